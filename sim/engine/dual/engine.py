"""The dual system as an engine of the simulator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sim.engine.contract import (
    Attempt,
    EngineInfo,
    Hook,
    Ignored,
    Needs,
    Open,
    Outcome,
    Rewrite,
    RewriteKind,
    Site,
    Usage,
    nothing,
)
from sim.engine.dual.body import Body, Pass
from sim.engine.dual.controller import Controller, Limits, resolve_limits
from sim.engine.dual.item import Chat, Count, Item
from sim.engine.dual.phrases import language_of, say
from sim.engine.dual.settings import DualSettings, read_settings
from sim.engine.dual.statistics import LogEntry, Statistics, log_entry, statistics
from sim.errors import ScenarioError
from sim.history import Row, RowMaker, Splice
from sim.tokens import token_model

_KINDS: dict[str, RewriteKind] = {"truncate": "truncation", "restart": "restart"}


class DualEngine:
    """Engine `dual`.

    Args:
        count: token count of a text; by default the billed count of each session's model.
        clock: seconds, to time the compression itself; by default only the simulated time of summary calls counts.
    """

    name = "dual"
    version = "1"
    needs: Needs = "text"

    def __init__(
        self,
        count: Count | None = None,
        *,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._count = count
        self._clock = clock
        self.log: list[LogEntry] = []

    def resolve(self, request: Open) -> EngineInfo:
        """What the settings come to on this window.

        Raises:
            ScenarioError: bad settings; or, with `small_window: error`, a prefix and recent zone above the trigger.
        """
        settings = read_settings(_block(request.settings))
        limits = resolve_limits(settings, request.window)
        return _info(settings, limits, request)

    def open(self, request: Open) -> DualSession:
        """A new session."""
        return DualSession(self, request, self.resolve(request), self._count, self._clock)

    def statistics(self) -> Statistics:
        """Statistics over every session opened here."""
        return statistics(self.log)

    def write_metrics(self, path: str) -> None:
        """Write the Prometheus metrics of every session opened here, in exposition format."""
        from sim.engine.dual.metrics import write_metrics

        write_metrics(self.log, path)

    def close(self) -> None:
        """Nothing to stop."""


class DualSession:
    """One session of engine `dual`."""

    def __init__(
        self,
        engine: DualEngine,
        request: Open,
        info: EngineInfo,
        count: Count | None,
        clock: Callable[[], float] | None,
    ) -> None:
        self.info = info
        self.log: list[LogEntry] = []
        self._engine, self._request, self._clock = engine, request, clock
        self.settings = read_settings(_block(request.settings))
        count, measure = _counters(count, request.model)
        rates = request.rates
        cached = rates is None or rates.write > rates.read
        self.controller = Controller(self.settings, request.window, count, cached=cached)
        self._prefix = request.prefix
        self.body = Body(sum(row.tokens for row in request.prefix), measure)
        self._sessions = 1

    # hooks ------------------------------------------------------------------------------------------------------

    def turn_start(self, rows: Sequence[Row], gap: float, now: float) -> Hook:
        """User rows are noted; the gate is before the call."""
        self._append(rows)
        return nothing()

    def before_call(self, now: float) -> Hook:
        """The gate: compress when the request is over the trigger."""
        if not self.controller.should_compress(self.body.tokens):
            return Outcome(estimate=self.body.tokens)
        return (yield from self._compress("before_call", now, overflow=False))

    def after_response(self, row: Row, usage: Usage | None, now: float) -> Hook:
        """The reply is noted."""
        self._append((row,))
        return nothing()

    def after_tools(self, rows: Sequence[Row], now: float) -> Hook:
        """Results are noted; the gate is before the next call."""
        self._append(rows)
        return nothing()

    def on_overflow(self, error: str, now: float) -> Hook:
        """Climb the whole ladder; a request that then still exceeds the window ends the session."""
        return (yield from self._compress("overflow", now, overflow=True))

    def turn_end(self, now: float) -> Hook:
        """Nothing to do."""
        return nothing()

    def on_model_change(self, model: str, window: int, now: float) -> Hook:
        """Marks move with the window."""
        self.controller.resize(window)
        return nothing()

    def close(self) -> None:
        """Nothing to free."""

    def statistics(self) -> Statistics:
        """The chapter's statistics of this session."""
        return statistics(self.log)

    # inside -----------------------------------------------------------------------------------------------------

    def _append(self, rows: Sequence[Row]) -> None:
        for row in rows:
            item = Item(row.role, row.tokens, row.message, row.calls)
            self.body.append(item)
            if self.controller.adaptive is not None:
                self.controller.adaptive.see(item)

    def _compress(self, site: Site, now: float, *, overflow: bool) -> Hook:
        started = self._clock() if self._clock else 0.0
        finished = now
        asking = self.controller.compress(self.body, overflow=overflow)
        try:
            request = next(asking)
            while True:
                reply = yield request
                finished = max(finished, reply.finished_at)
                request = asking.send(reply)
        except StopIteration as stop:
            passes: list[Pass] = stop.value
        seconds = finished - now + (self._clock() - started if self._clock else 0.0)
        changed = [p for p in passes if p.changed]
        events: list[Rewrite | Attempt] = [self._event(p, site, seconds / len(changed), finished) for p in changed]
        if not changed:
            events.append(Attempt(site, "unchanged", self.body.tokens))
        # Before a call the provider has the last word: it refuses the request, and `on_overflow` follows.
        hopeless = site == "overflow" and self.body.tokens > self.controller.limits.window
        stop_reason = "overflow" if hopeless else None
        return Outcome(tuple(events), self.body.tokens, stop_reason)

    def _event(self, done: Pass, site: Site, seconds: float, at: float) -> Rewrite:
        entry = log_entry(done, at, seconds)
        self.log.append(entry)
        self._engine.log.append(entry)
        after = done.after - self.body.prefix_tokens
        prefix = self._new_system() if done.cold else None
        after += self.body.prefix_tokens
        note: str = done.rung if done.rung != "restart" or done.removed else "step_in_hand"
        if any(row.failure for row in done.rows):
            note = "fallback_text"
        kind = _KINDS.get(done.rung, "compaction" if any(row.by_model for row in done.rows) else "prune")
        return Rewrite(
            kind=kind,
            site=site,
            splices=tuple(Splice(c.start, c.stop, c.messages) for c in done.changes),
            estimate_before=done.before,
            estimate_after=after,
            prefix=prefix,
            note=note,
            dropped={**done.loss.flat(), **_by_kind(entry)},
        )

    def _new_system(self) -> tuple[Row, ...] | None:
        """The prefix of a restarted session: its last system row says which session this is."""
        places = [i for i, row in enumerate(self._prefix) if row.role == "system" and row.message is not None]
        if not places:
            return None
        self._sessions += 1
        first = self._request.prefix[places[-1]]
        assert first.message is not None
        text = str(first.message.get("content") or "")
        line = say("session", language_of(text, self.settings.language), n=self._sessions)
        maker = RowMaker(token_model(self._request.model))
        row = maker.row({**first.message, "content": f"{text}\n\n{line}"}, first.kind)
        prefix = list(self._prefix)
        prefix[places[-1]] = row
        self._prefix = tuple(prefix)
        self.body.prefix_tokens = sum(r.tokens for r in prefix)
        return self._prefix


def _block(settings: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return settings.get("dual")


def _counters(count: Count | None, model: str) -> tuple[Count, Callable[[Chat], int]]:
    """Counts of a text and of a message, the same the rest of the simulator bills by unless a count is given."""
    tokens = token_model(model)
    if count is None:
        maker = RowMaker(tokens)
        return (lambda text: tokens.billed(text, tokens.classify(text))), (lambda message: maker.row(message).tokens)
    from sim.history.row import message_text

    given = count
    return given, lambda message: given(message_text(message))


def _info(settings: DualSettings, limits: Limits, request: Open) -> EngineInfo:
    fixed = sum(row.tokens for row in request.prefix)
    ignored = [
        Ignored(f"{block}.{key}", str(value), "engine dual has its own settings under `dual:`")
        for block in ("compression", "micro_compaction")
        for key, value in dict(request.settings.get(block) or {}).items()
    ]
    if limits.recent < settings.recent_tokens and settings.recent == "fixed":
        ignored.append(
            Ignored(
                "dual.recent_tokens",
                str(settings.recent_tokens),
                f"recent_share {settings.recent_share:g} allows {limits.recent} on a window of {limits.window}",
            )
        )
    if fixed + limits.recent > limits.trigger:
        need = f"prefix of {fixed} and recent zone of {limits.recent} tokens exceed the trigger of {limits.trigger}"
        if settings.small_window == "error":
            raise ScenarioError(
                f"window {limits.window} is too small for the sacred zone: {need}",
                rule="small_window: error",
                remedy="use a larger window, smaller recent_tokens or recent_share, or small_window: shrink",
            )
        ignored.append(Ignored("dual.target", f"{settings.target:g}", f"cannot be held: {need}"))
    return EngineInfo(
        name=DualEngine.name,
        version=DualEngine.version,
        needs="text",
        trigger_tokens=limits.trigger,
        trigger_rule="trigger",
        tail_tokens=limits.recent,
        tail_kept_tokens=limits.recent_most if settings.recent == "adaptive" else limits.recent,
        ignored=tuple(ignored),
        details={
            "target_tokens": limits.target,
            "order": settings.order,
            "recent": settings.recent,
            "prefix_tokens": fixed,
            "aggressive_above_tokens": limits.aggressive,
            "truncate_above_tokens": limits.truncate,
            "restart_above_tokens": limits.restart,
            "context_aware": settings.context_aware,
        },
    )


def _by_kind(entry: LogEntry) -> dict[str, int]:
    flat: dict[str, int] = {}
    for kind, rows, before, after in entry.kinds:
        flat[f"{kind}_rows"], flat[f"{kind}_before"], flat[f"{kind}_after"] = rows, before, after
    return flat
