"""Plays made-up sessions against an engine, as the world would, and writes down what happened."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sim.engine.contract import AuxReply, AuxRequest, Hook, Open, Outcome, Rewrite, Usage
from sim.engine.hermes.client import HermesEngine, HermesSession
from sim.history import Row

WORDS = [
    "alpha",
    "beta",
    "gamma",
    "error",
    "warning",
    "path",
    "src",
    "main",
    "test",
    "value",
    "return",
    "import",
    "class",
    "run",
    "build",
    "index",
]
START = 1_750_000_000.0
Answer = Callable[[AuxRequest, int, float], AuxReply]


def row(message: Mapping[str, Any]) -> Row:
    """A row of a message; billed tokens play no part for this engine."""
    return Row(message["role"], hash(id(message)), 0, message)


def words(rng: random.Random, size: int) -> str:
    """Text of `size` characters."""
    out: list[str] = []
    length = 0
    while length < size:
        word = rng.choice(WORDS)
        out.append(word + ("\n" if rng.random() < 0.1 else " "))
        length += len(word) + 1
    return "".join(out)[:size]


@dataclass(frozen=True)
class Step:
    """A reply and the results of its tool calls; none for a final answer."""

    reply: Row
    results: tuple[Row, ...]


@dataclass(frozen=True)
class Played:
    """A made-up session."""

    prefix: tuple[Row, ...]
    turns: tuple[tuple[float, Row, tuple[Step, ...]], ...]


def make(
    seed: int, calls: int, *, per_turn: int = 12, result: int = 4_000, gaps: tuple[float, ...] = (60.0,)
) -> Played:
    """A session of `calls` calls with results of about `result` characters."""
    rng = random.Random(seed)
    schema = {
        "type": "function",
        "function": {"name": "run", "description": "d" * 4_000, "parameters": {"type": "object"}},
    }
    prefix = (
        Row("tools", 1, 0, {"role": "tools", "content": "", "schemas": [schema] * 3}),
        row({"role": "system", "content": words(rng, 20_000)}),
    )
    turns = []
    made = 0
    while made < calls:
        steps: list[Step] = []
        for index in range(min(per_turn, calls - made)):
            made += 1
            if index == per_turn - 1 or made == calls:
                steps.append(Step(row({"role": "assistant", "content": words(rng, 500)}), ()))
                continue
            call = {
                "id": f"call_{made}",
                "type": "function",
                "function": {"name": "terminal", "arguments": json.dumps({"command": words(rng, 60)})},
            }
            reply = row({"role": "assistant", "content": words(rng, 100), "tool_calls": [call]})
            size = max(2, int(rng.lognormvariate(0, 0.8) * result))
            steps.append(Step(reply, (row({"role": "tool", "content": words(rng, size), "tool_call_id": call["id"]}),)))
        user = row({"role": "user", "content": words(rng, 300)})
        turns.append((rng.choice(gaps), user, tuple(steps)))
    return Played(prefix, tuple(turns))


def summarise(request: AuxRequest, number: int, now: float) -> AuxReply:
    """An auxiliary model that always answers."""
    return AuxReply(f"## Active Task\nSummary {number}. " + "Files and decisions. " * 60, 400, now + 20, model="aux")


@dataclass
class Story:
    """What happened in a session."""

    events: list[tuple[Any, ...]] = field(default_factory=list)
    estimates: list[int | None] = field(default_factory=list)
    body: list[dict[str, Any]] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    stop: str | None = None

    @property
    def digest(self) -> str:
        """Identity of everything in it."""
        text = json.dumps([self.events, self.estimates, self.body, self.prompts, self.stop], default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def kinds(self) -> list[str]:
        """`site kind` or `site reason` of every event, in order."""
        return [f"{event[1]} {event[2]}" for event in self.events]


def drive(
    session: HermesSession,
    played: Played,
    *,
    answer: Answer = summarise,
    before: Callable[[int], None] | None = None,
    usage: Callable[[int, int], Usage | None] | None = None,
    overhead: int = 9_000,
) -> Generator[None, None, Story]:
    """Play a session; yields after every hook and inside every auxiliary call, so that sessions can be interleaved.

    Args:
        before: told the number of each call before it.
        usage: what the provider reports, given the call number and the history's characters / 4 plus `overhead`.
    """
    story, now, number, asked = Story(), START, 0, 0

    def run(hook: Hook) -> Iterator[None]:
        nonlocal now, asked
        try:
            request = next(hook)
            while True:
                asked += 1
                story.prompts.append(hashlib.sha256((request.text or "").encode()).hexdigest()[:12])
                yield
                reply = answer(request, asked, now)
                now = reply.finished_at
                request = hook.send(reply)
        except StopIteration as ended:
            note(ended.value)

    def note(outcome: Outcome) -> None:
        story.estimates.append(outcome.estimate)
        for event in outcome.events:
            if isinstance(event, Rewrite):
                story.events.append(
                    (number, event.site, event.kind, event.estimate_before, event.estimate_after, event.note)
                )
                body, position = [], 0
                for splice in event.splices:
                    body += story.body[position : splice.start] + [dict(r) for r in splice.rows]  # type: ignore[call-overload]
                    position = splice.stop
                story.body = body + story.body[position:]
            else:
                story.events.append((number, event.site, event.reason, event.estimate))
        story.stop = story.stop or outcome.stop

    def size() -> int:
        return overhead + sum(len(str(message)) for message in story.body) // 4

    for gap, user, steps in played.turns:
        now += gap
        story.body.append(dict(user.message or {}))
        yield from run(session.turn_start([user], gap, now))
        for step in steps:
            number += 1
            if before is not None:
                before(number)
            if story.stop is None:
                yield from run(session.before_call(now))
            if story.stop is not None:
                return story
            now += 8
            reported = usage(number, size()) if usage is not None else Usage(size(), 120)
            yield from run(session.after_response(step.reply, reported, now))
            story.body.append(dict(step.reply.message or {}))
            if step.results:
                now += 3
                story.body += [dict(result.message or {}) for result in step.results]
                yield from run(session.after_tools(step.results, now))
            yield
        yield from run(session.turn_end(now))
    return story


def request(
    played: Played, settings: Mapping[str, Any], *, window: int = 200_000, session: str = "s", **more: Any
) -> Open:
    """How to open a played session."""
    return Open(session, "sim-model", window, more.pop("max_tokens", None), played.prefix, settings, now=START, **more)


def finish(story: Generator[None, None, Story]) -> Story:
    """Run a session to its end."""
    try:
        while True:
            next(story)
    except StopIteration as ended:
        result: Story = ended.value
        return result


def play(engine: HermesEngine, played: Played, settings: Mapping[str, Any], **more: Any) -> Story:
    """One session from opening to closing; `more` goes to `drive` or `request` by name."""
    told = {key: more.pop(key) for key in ("answer", "before", "usage", "overhead") if key in more}
    session = engine.open(request(played, settings, **more))
    try:
        return finish(drive(session, played, **told))
    finally:
        session.close()
