"""One session under one arm: the person writes, the agent calls the model, tools run, the engine may rewrite.

The order of hooks is the engine contract's; the clock is SimPy's, seconds since the session's start. `epoch` turns it
into wall-clock seconds for engines and prices.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, TypeAlias

import numpy as np
import simpy

from sim.engine import Attempt, AuxRequest, EngineSession, Hook, Open, Outcome, Rewrite, Usage
from sim.errors import EngineError, SimulationError
from sim.history import History, Prompt, Row
from sim.ledger import Ledger
from sim.provider.seam import Mark, PromptCache
from sim.streams import Streams
from sim.workload.script import Reply, Script, ToolRun, Turn
from sim.world.account import Account, SessionEnded
from sim.world.auxiliary import Auxiliary, AuxiliaryCall
from sim.world.booking import Book
from sim.world.residency import Memory
from sim.world.setup import Provider, Setup

Process: TypeAlias = Generator[Any, Any, Any]
_OVERFLOW_PASSES = 12
"""More passes than any engine allows in a turn; a guard against an engine that never gives up."""


class Session:
    """Plays one script.

    Args:
        env: the world's clock.
        base: wall-clock seconds (UTC) at the clock's zero.
        setup: the arm.
        script: what happens.
        caches: prompt caches by model, shared by the sessions of the account.
        streams: for what depends on the arm's own state (auxiliary answers).
        replication: for the records.
        ledger: where records go.
        account: the account whose limits hold; None for none.
        group: the fleet's group that the session belongs to.
    """

    def __init__(
        self,
        env: simpy.Environment,
        base: float,
        setup: Setup,
        script: Script,
        caches: dict[str, PromptCache],
        streams: Streams,
        replication: int,
        ledger: Ledger,
        account: Account | None = None,
        group: str = "",
    ) -> None:
        if setup.engine.needs == "text" and not script.has_text:
            raise EngineError(
                f"engine {setup.engine.name!r} needs text, but session {script.session!r} has token counts only",
                remedy="use engine none or parametric, or a workload with text",
            )
        self.env, self.base, self.setup, self.script = env, base, setup, script
        self._caches = caches
        self._provider: Provider = setup.provider
        self._window = setup.window
        self.history = History(script.prefix)
        self._account, self._streams = account, streams
        self.book = Book(setup, script, replication, ledger, account, group)
        self._auxiliary = Auxiliary(setup.auxiliary, streams) if setup.auxiliary else None
        instead = setup.auxiliary_fallback
        self._instead = Auxiliary(instead, streams.child("fallback")) if instead and account else None
        self._memory = Memory(script, streams, setup.forgetting, setup.maker)
        self._start = self._last_activity = script.started_at - base

    @property
    def epoch(self) -> float:
        """Wall-clock seconds (UTC) of the simulated now."""
        return self.base + self.env.now

    def run(self) -> Process:
        """The agent's process, from the first message to the end of the session."""
        yield self.env.timeout(self._start)
        self._engine = self._open()
        end = "finished" if self.script.finished else "cut_off"
        try:
            for turn in self.script.turns:
                message = self.env.process(self._person(turn))
                yield message
                yield from self._turn(turn)
        except SessionEnded as ended:
            end = ended.end
        finally:
            self._engine.close()
        info = self._engine.info
        self.book.session(end, self._start, self.env.now - self._start, info.trigger_tokens, self._memory)

    def _open(self) -> EngineSession:
        setup, script = self.setup, self.script
        return setup.engine.open(
            Open(
                # The same id in every arm: engines write it into rows, so a name would change token counts.
                session=f"{script.session}-{self.book.replication}",
                model=setup.provider.model,
                window=setup.window,
                max_tokens=setup.max_tokens,
                prefix=script.prefix,
                settings=setup.settings,
                rates=setup.provider.rates(self.epoch),
                auxiliary_window=setup.auxiliary.window if setup.auxiliary else None,
                gateway=script.origin == "gateway",
                now=self.epoch,
            )
        )

    # the person -------------------------------------------------------------------------------------------------

    def _person(self, turn: Turn) -> Process:
        """Thinks, then writes; the client may keep the cache warm meanwhile."""
        waited = 0.0
        pings = self.setup.keep_alive
        if pings is not None and self.book.call:
            # The message itself is the last read, so no ping falls on its moment.
            while waited + pings.every_s < turn.gap and waited + pings.every_s <= pings.give_up_s:
                yield self.env.timeout(pings.every_s)
                waited += pings.every_s
                self._ping(self.history.sent_prompt(), "keep_alive")
        elif self.setup.prewarm and not self.book.call and self.script.prefix:
            self._ping(Prompt(self.script.prefix), "prewarm")
        yield self.env.timeout(turn.gap - waited)

    def _ping(self, prompt: Prompt, purpose: str) -> None:
        """A request with `max_tokens: 0`: bills the read, or the write when the cache is cold, and no output."""
        served = self._cache().serve(
            prompt, self._marks(prompt), self.epoch, first_byte=self.epoch, done=self.epoch, session=self.script.session
        )
        self.book.ping(prompt, served, self._provider, self.env.now - self._start, purpose, self.epoch)

    def _marks(self, prompt: Prompt) -> Sequence[Mark]:
        ttl = self.setup.cache_ttl
        if ttl == "auto":
            # Hermes 0.22: long-lived for turns paced by a person, short for machines.
            ttl = "1h" if self.script.origin in {"terminal", "gateway"} else "5m"
        return self._provider.place(prompt, engine_version=self.setup.engine_version, cache_ttl=ttl)

    # the agent --------------------------------------------------------------------------------------------------

    def _turn(self, turn: Turn) -> Process:
        self.book.turn += 1
        gap = self.env.now - self._last_activity
        for row in turn.users:
            self.history.append(row)
        yield from self._drive(self._engine.turn_start(turn.users, gap, self.epoch))
        started_by = "user"
        for reply in turn.replies:
            for again in self._memory.repeats_for(reply, self.history):
                yield from self._call(again, started_by)
                started_by = "tool"
                yield from self._use_tools(again.tools)
            yield from self._call(reply, started_by)
            started_by = "tool"
            if reply.tools:
                yield from self._use_tools(reply.tools)
        yield from self._drive(self._engine.turn_end(self.epoch))
        self._last_activity = self.env.now

    def _call(self, reply: Reply, started_by: str) -> Process:
        self.book.call += 1
        if reply.model and reply.model != self._provider.model and reply.model in self.setup.other_models:
            yield from self._switch_model(self.setup.other_models[reply.model])
        yield from self._drive(self._engine.before_call(self.epoch))
        yield from self._fit_window()
        account, place = self._account, None
        if account is not None:
            asked = self.env.now
            place = yield from account.admit(self._provider, self._jitter, self._refused)
            self.book.waited += self.env.now - asked
        cache = self._cache()
        prompt, start = self.history.prompt, self.env.now
        marks = self._marks(prompt)
        if self.setup.on_request is not None:
            self.setup.on_request(self.script.session, self.book.call, prompt, marks)
        served = cache.serve(
            prompt,
            marks,
            self.epoch,
            first_byte=self.epoch + reply.seconds / 3,
            done=self.epoch + reply.seconds,
            session=self.script.session,
        )
        if account is not None:
            try:
                account.charge(self._provider, served, reply.row.tokens + reply.hidden_tokens, prompt.tokens)
            except SessionEnded:
                account.leave(place)
                raise
        yield self.env.timeout(reply.seconds)  # the provider's latency
        if account is not None:
            account.leave(place)
        self.book.main_call(
            self.history,
            served,
            reply,
            self._provider,
            start - self._start,
            self.env.now - self._start,
            started_by,
            self.base + start,
        )
        usage = Usage(prompt.tokens, reply.row.tokens + reply.hidden_tokens)
        self.history.mark_sent()
        self.history.append(reply.row)
        cache.settle(self.history.prompt, self.epoch, session=self.script.session)
        yield from self._drive(self._engine.after_response(reply.row, usage, self.epoch))
        self._last_activity = self.env.now

    def _jitter(self) -> np.random.Generator:
        return self._streams.rng("backoff", self.book.call)

    def _refused(self, outcome: str, wait: float) -> None:
        self.book.limited(outcome, self._provider.model, self.env.now - self._start, wait)

    def _use_tools(self, tools: tuple[ToolRun, ...]) -> Process:
        """Tools run side by side; results are appended in call order when the last is done."""
        yield self.env.all_of([self.env.process(self._tool(t)) for t in tools])
        rows = [t.result for t in tools]
        for row in rows:
            self.history.append(row)
        self.book.tool_calls += len(tools)
        self._last_activity = self.env.now
        yield from self._drive(self._engine.after_tools(rows, self.epoch))

    def _tool(self, tool: ToolRun) -> Process:
        yield self.env.timeout(tool.seconds)

    def _switch_model(self, provider: Provider) -> Process:
        self._provider = provider
        self._window = provider.window or self._window
        self.history.changed_everywhere("model")
        yield from self._drive(self._engine.on_model_change(provider.model, self._window, self.epoch))

    def _cache(self) -> PromptCache:
        model = self._provider.model
        if model not in self._caches:
            self._caches[model] = self._provider.open_cache()
        return self._caches[model]

    def _fit_window(self) -> Process:
        """A request larger than the window is refused; the engine may shrink it, else the session ends."""
        for _ in range(_OVERFLOW_PASSES):
            if self.history.tokens <= self._window:
                return
            self.book.refused(self.history, self._provider.model, self.env.now - self._start)
            before = self.history.tokens
            yield from self._drive(self._engine.on_overflow("context_length_exceeded", self.epoch))
            if self.history.tokens >= before:
                break
            # Hermes measures again before it sends the request again.
            yield from self._drive(self._engine.before_call(self.epoch))
        if self.history.tokens > self._window:
            raise SessionEnded("overflow")

    # the engine -------------------------------------------------------------------------------------------------

    def _drive(self, hook: Hook) -> Process:
        """Run a hook to its end, answering its auxiliary requests in simulated time, and apply what it did."""
        calls = tokens = 0
        try:
            request = next(hook)
            while True:
                if self._auxiliary is None:
                    raise EngineError(
                        f"engine {self.setup.engine.name!r} asked for an auxiliary model, but none is set up",
                        remedy="name one under `auxiliary.compression`",
                    )
                done = yield from self._summarised(self._auxiliary, request)
                self.book.auxiliary_call(done, self.env.now - self._start, self._start)
                calls += 1
                tokens += done.input_tokens + done.output_tokens
                request = hook.send(done.reply)
        except StopIteration as stop:
            self._apply(stop.value, calls, tokens)

    def _summarised(self, auxiliary: Auxiliary, request: AuxRequest) -> Generator[Any, Any, AuxiliaryCall]:
        """An auxiliary call within the account's limits; a refused one goes to the priced fallback."""
        refusal = None if self._account is None else self._account.auxiliary_refusal(auxiliary.model)
        if refusal is None:
            return (yield from auxiliary.call(self.env, request, self.base))
        if refusal == "rate_limit" and self._instead is not None:
            self.book.limited(refusal, auxiliary.model, self.env.now - self._start, 0.0, request.task)
            return (yield from self._instead.call(self.env, request, self.base))
        return (yield from auxiliary.refused(self.env, request, self.base, refusal))

    def _apply(self, outcome: Outcome, calls: int, tokens: int) -> None:
        if outcome.estimate is not None:
            self.book.estimate = outcome.estimate
        for event in outcome.events:
            now = self.env.now - self._start
            if isinstance(event, Attempt):
                self.book.attempt(event, self.history, now, calls, tokens)
            else:
                self._rewrite(event, now, calls, tokens)
            calls = tokens = 0
        if outcome.stop is not None:
            raise SessionEnded("overflow" if outcome.stop == "overflow" else "failed")

    def _rewrite(self, event: Rewrite, now: float, calls: int, tokens: int) -> None:
        if not event.stored:
            raise SimulationError(f"engine {self.setup.engine.name!r} returned a view; only stored rewrites are played")
        history = self.history
        tokens_before, rows_before = history.tokens, history.body_length
        first = len(history.prompt)
        if event.splices:
            splices = [(s.start, s.stop, self._rows(s.rows)) for s in event.splices]
            first = history.splice(splices, event.kind)
        if event.prefix is not None:
            first = min(first, history.set_prefix([self._own(r) for r in event.prefix], "system"))
        self.book.rewrite(
            event,
            now,
            tokens_before=tokens_before,
            tokens_after=history.tokens,
            rows_before=rows_before,
            rows_after=history.body_length,
            kept_prefix=min(history.prompt.sums[min(first, len(history.prompt))], tokens_before),
            auxiliary_calls=calls,
            auxiliary_tokens=tokens,
        )

    def _rows(self, messages: tuple[Any, ...]) -> list[Row]:
        return [self.setup.maker.row(m) for m in messages]

    def _own(self, row: Row) -> Row:
        return row if row.message is None else self.setup.maker.recount(row)
