"""A small stage for engines: made-up sessions, and a driver that plays one through the hooks without a world.

It is what the conformance suite runs on. Sessions are a few hundred rows of plain text (or of sizes alone), the same
for the same seed; time is counted in seconds from zero.
"""

from __future__ import annotations

import json
import random
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from sim.engine.contract import (
    Attempt,
    AuxFailure,
    AuxReply,
    AuxRequest,
    Engine,
    EngineSession,
    Hook,
    Open,
    Outcome,
    Rewrite,
    Usage,
)
from sim.history import Blank, History, Message, Row, RowMaker, unpaired_calls
from sim.tokens import token_model

_WORDS = tuple(
    word
    for line in (
        "the request fails when cache entry is older than window and worker retries before lock was given back",
        "so that queue grows until memory limit stops service which then starts again with empty table",
    )
    for word in line.split()
)
_CHINESE = "压缩之后历史变短缓存前缀失效需要重新写入工具结果保留最近几条"
_LEVELS = ("INFO", "INFO", "INFO", "DEBUG", "WARNING", "ERROR")
STATUS: Mapping[str, int] = {
    "rate_limit": 429,
    "overloaded": 503,
    "auth": 401,
    "budget": 402,
    "bad_request": 400,
}


@dataclass(frozen=True, slots=True)
class Step:
    """One model response with its tool results, in order."""

    reply: Row
    results: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Act:
    """One turn."""

    gap: float
    users: tuple[Row, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """One session to rehearse."""

    name: str
    prefix: tuple[Row, ...]
    acts: tuple[Act, ...]

    @property
    def tokens(self) -> int:
        """Size of the whole history if nothing is ever rewritten."""
        rows = [
            row for act in self.acts for row in (*act.users, *(r for s in act.steps for r in (s.reply, *s.results)))
        ]
        return sum(row.tokens for row in (*self.prefix, *rows))


@lru_cache(maxsize=32)
def make_play(seed: int, tokens: int, *, text: bool, model: str) -> Play:
    """A session whose history would grow to about `tokens`.

    Args:
        seed: the same seed gives the same session.
        text: real messages; otherwise rows known by size only.
        model: whose tokens are counted.
    """
    rng = random.Random(seed)
    maker = RowMaker(token_model(model))
    write = _text_rows(rng, maker) if text else _blank_rows(rng, maker)
    prefix = write.prefix()
    grown = sum(row.tokens for row in prefix)
    acts: list[Act] = []
    while grown < tokens:
        users = tuple(write.user() for _ in range(2 if rng.random() < 0.1 else 1))
        steps = [write.step(rng.choice((1, 1, 1, 2, 3))) for _ in range(rng.randrange(1, 8))]
        steps.append(Step(write.answer(), ()))
        acts.append(Act(rng.choice((5.0, 60.0, 400.0, 4_000.0)), users, tuple(steps)))
        grown += sum(r.tokens for r in users) + sum(r.tokens for s in steps for r in (s.reply, *s.results))
    return Play(f"play-{seed}", prefix, tuple(acts))


class _text_rows:  # noqa: N801 - a maker of rows, used like a function
    def __init__(self, rng: random.Random, maker: RowMaker) -> None:
        self.rng, self.maker, self.calls = rng, maker, 0
        self.last = "nothing was read yet\n" * 12

    def prefix(self) -> tuple[Row, ...]:
        schema = {"name": "run", "description": "Run a command.", "parameters": {"type": "object", "properties": {}}}
        system: Message = {"role": "system", "content": "You work on a code base.\n" + self.prose(300)}
        return (self.maker.tools([{"type": "function", "function": schema}]), self.maker.row(system))

    def prose(self, words: int) -> str:
        text = " ".join(self.rng.choice(_WORDS) for _ in range(words))
        return text + ("。" + _CHINESE if self.rng.random() < 0.2 else ".")

    def user(self) -> Row:
        return self.maker.row(
            {"role": "user", "content": "Please look at this. " + self.prose(self.rng.randrange(5, 60))}
        )

    def answer(self) -> Row:
        return self.maker.row({"role": "assistant", "content": self.prose(self.rng.randrange(20, 150))})

    def step(self, count: int) -> Step:
        calls, results = [], []
        for _ in range(count):
            self.calls += 1
            name = f"call-{self.calls}"
            arguments = json.dumps({"command": f"cat src/part_{self.rng.randrange(40)}.py", "limit": 200})
            calls.append({"id": name, "type": "function", "function": {"name": "run", "arguments": arguments}})
            results.append(self.maker.row({"role": "tool", "tool_call_id": name, "content": self.result()}))
        content = self.prose(12) if self.rng.random() < 0.6 else None
        reply = self.maker.row({"role": "assistant", "content": content, "tool_calls": calls})
        return Step(reply, tuple(results))

    def result(self) -> str:
        kind, size = self.rng.random(), self.rng.choice((5, 20, 60, 150))
        if kind < 0.1:
            return self.last
        if kind < 0.25:
            self.last = "\n\n".join(self.prose(60).capitalize() for _ in range(size // 5))
        elif kind < 0.5:
            lines = [f"12:{i:02d} {self.rng.choice(_LEVELS)} {self.prose(9)}" for i in range(size)]
            self.last = "\n".join(lines)
        elif kind < 0.8:
            lines = [f"    {self.rng.choice(_WORDS)}_{i} = {self.rng.choice(_WORDS)}({i})" for i in range(size)]
            self.last = "def part():\n" + "\n".join(lines)
        else:
            self.last = json.dumps([{"id": i, "name": self.prose(3), "ok": i % 7 > 0} for i in range(size)])
        return self.last


class _blank_rows:  # noqa: N801 - as above
    def __init__(self, rng: random.Random, maker: RowMaker) -> None:
        self.rng, self.maker, self.made = rng, maker, 0

    def row(self, role: Any, tokens: int, calls: int = 0) -> Row:
        self.made += 1
        return self.maker.row(Blank(role, tokens, f"row-{self.made}", calls == 0, calls))

    def prefix(self) -> tuple[Row, ...]:
        return (self.row("tools", 400), self.row("system", 900))

    def user(self) -> Row:
        return self.row("user", self.rng.randrange(10, 90))

    def answer(self) -> Row:
        return self.row("assistant", self.rng.randrange(30, 200))

    def step(self, count: int) -> Step:
        reply = self.row("assistant", 30 * count, count)
        return Step(reply, tuple(self.row("tool", self.rng.choice((50, 300, 900, 2_500))) for _ in range(count)))


# playing ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Manner:
    """How the surroundings behave.

    Attributes:
        failures: how auxiliary calls end, in turn, over and over; None for a good answer.
        usage: whether the provider reports usage.
        overflow_every: before every n-th call the provider refuses the request once; 0 for never.
        smaller_window: window of a model that answers from the middle of the session on, None for no change.
    """

    failures: tuple[AuxFailure | None, ...] = (None,)
    usage: bool = True
    overflow_every: int = 0
    smaller_window: int | None = None


@dataclass(slots=True)
class Seen:
    """What came out of a rehearsal.

    Attributes:
        trace: every event as plain text, in order: equal traces are equal courses.
        faults: broken rules, in words.
        rewrites, attempts: events.
        auxiliary: calls asked for.
        estimates: (engine's figure, tokens of the request) whenever the engine told one before a call.
        stopped: reason with which the engine ended the session.
    """

    trace: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    rewrites: list[Rewrite] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    auxiliary: int = 0
    estimates: list[tuple[int, int]] = field(default_factory=list)
    peak: int = 0
    final: int = 0
    stopped: str | None = None


Playing: TypeAlias = Generator[None, None, None]


class Rehearsal:
    """Plays one session through an engine; `steps` yields after every hook, so that sessions can be interleaved."""

    def __init__(
        self,
        engine: Engine,
        play: Play,
        *,
        window: int,
        settings: Mapping[str, Any],
        model: str,
        manner: Manner | None = None,
    ) -> None:
        self.engine, self.play, self.window, self.model = engine, play, window, model
        self.manner = manner or Manner()
        self.maker = RowMaker(token_model(model))
        self.history = History(play.prefix)
        self.seen = Seen()
        self.now = 1_000_000.0
        self.calls = 0
        self.waiting = False
        """Whether a hook waits for an auxiliary answer just now."""
        self.session: EngineSession = engine.open(
            Open(
                session=play.name,
                model=model,
                window=window,
                max_tokens=None,
                prefix=play.prefix,
                settings=settings,
                now=self.now,
            )
        )

    def run(self) -> Seen:
        """Play to the end and close."""
        for _ in self.steps():
            pass
        return self.seen

    def steps(self) -> Playing:
        """Play hook by hook."""
        half = len(self.play.acts) // 2
        for number, act in enumerate(self.play.acts):
            if self.seen.stopped:
                break
            if number == half and self.manner.smaller_window:
                self.window = self.manner.smaller_window
                yield from self._hook(
                    "on_model_change", self.session.on_model_change(self.model, self.window, self.now)
                )
            self.now += act.gap
            for row in act.users:
                self.history.append(row)
            yield from self._hook("turn_start", self.session.turn_start(act.users, act.gap, self.now))
            for step in act.steps:
                if not self.seen.stopped:
                    yield from self._call(step)
            yield from self._hook("turn_end", self.session.turn_end(self.now))
        self.seen.final = self.history.tokens
        self.session.close()

    def _call(self, step: Step) -> Playing:
        self.calls += 1
        self.now += 10.0
        yield from self._hook("before_call", self.session.before_call(self.now))
        forced = self.manner.overflow_every and self.calls % self.manner.overflow_every == 0
        if forced or self.history.tokens > self.window:
            yield from self._hook("on_overflow", self.session.on_overflow("context_length_exceeded", self.now))
        self._before_sending()
        usage = Usage(self.history.tokens, step.reply.tokens) if self.manner.usage else None
        self.history.mark_sent()
        self.history.append(step.reply)
        yield from self._hook("after_response", self.session.after_response(step.reply, usage, self.now))
        if step.results:
            self.now += 2.0
            for row in step.results:
                self.history.append(row)
            yield from self._hook("after_tools", self.session.after_tools(step.results, self.now))

    def _before_sending(self) -> None:
        self.seen.peak = max(self.seen.peak, self.history.tokens)
        calls, results = unpaired_calls(self.history.body)
        if calls or results:
            lost = f"tool calls without a result {sorted(calls)}, results without a call {sorted(results)}"
            self.seen.faults.append(f"call {self.calls}: {lost}")
        if not self.history.body_length:
            self.seen.faults.append(f"call {self.calls}: the request holds no message any more")

    def _hook(self, name: str, hook: Hook) -> Playing:
        """Run one hook to its end, answering what it asks."""
        try:
            request = next(hook)
            while True:
                self.waiting = True
                yield
                self.waiting = False
                request = hook.send(self._answer(request))
        except StopIteration as stop:
            self._apply(name, stop.value)
        yield

    def _answer(self, request: AuxRequest) -> AuxReply:
        failures = self.manner.failures
        failure = failures[self.seen.auxiliary % len(failures)]
        self.seen.auxiliary += 1
        size = request.tokens if request.text is None else len(request.text)
        self.seen.trace.append(f"asks {request.task} {size}")
        self.now += 20.0
        text: str | None = None
        if failure in (None, "cut_off") and request.text is not None:
            text = f"## Goal\nKeep the service running ({self.seen.auxiliary}).\n" + "It was found and noted. " * 60
        elif failure == "empty":
            text = ""
        elif failure == "refusal":
            text = "I cannot help with that."
        return AuxReply(text, 400, self.now, failure, STATUS.get(failure or ""), "auxiliary", "small-model")

    def _apply(self, name: str, outcome: Outcome) -> None:
        seen = self.seen
        if not isinstance(outcome, Outcome):
            seen.faults.append(f"{name} returned {type(outcome).__name__} instead of an Outcome")
            return
        for event in outcome.events:
            if isinstance(event, Attempt):
                seen.attempts.append(event)
                seen.trace.append(f"{name} attempt {event.site} {event.reason} {event.estimate}")
            else:
                self._rewrite(name, event)
        if outcome.estimate is not None and name == "before_call":
            seen.estimates.append((outcome.estimate, self.history.tokens))
        if outcome.stop is not None:
            seen.stopped = outcome.stop
            seen.trace.append(f"{name} stop {outcome.stop}")

    def _rewrite(self, name: str, event: Rewrite) -> None:
        seen, before = self.seen, self.history.tokens
        seen.rewrites.append(event)
        seen.trace.append(
            f"{name} {event.kind} {event.site} {event.estimate_before} {event.estimate_after} {event.note}"
        )
        for splice in event.splices:
            seen.trace.append(f"  {splice.start}:{splice.stop} {[_plain(row) for row in splice.rows]}")
        if not event.stored:
            return  # only that request's view changed
        splices = [(s.start, s.stop, [self.maker.row(row) for row in s.rows]) for s in event.splices]
        # History refuses stretches that overlap, run backwards or leave the body.
        self.history.splice(splices, event.kind)
        if event.prefix is not None:
            self.history.set_prefix(event.prefix, "system")
        after = self.history.tokens
        if after > before:
            seen.faults.append(f"{name}: a {event.kind} made the history grow from {before:,} to {after:,} tokens")
        if event.estimate_after > event.estimate_before:
            seen.faults.append(
                f"{name}: a {event.kind} grew by its own figure, {event.estimate_before:,} to {event.estimate_after:,}"
            )


def _plain(row: Message | Blank) -> str:
    return repr(row) if isinstance(row, Blank) else json.dumps(row, sort_keys=True, default=str)


def play_together(rehearsals: Sequence[Rehearsal]) -> None:
    """Play several sessions hook by hook in turn; a hook is always finished before the next session's begins."""
    going = [one.steps() for one in rehearsals]
    while going:
        for steps in list(going):
            if next(steps, _DONE) is _DONE:
                going.remove(steps)


_DONE = object()
