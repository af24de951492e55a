"""One Hermes session as the world sees it; its steps are kept back until something may happen."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sim.engine.contract import Attempt, AuxReply, AuxRequest, Hook, Open, Outcome, Rewrite, Usage
from sim.engine.hermes.hostprocess import HostDiedError, HostProcess
from sim.engine.hermes.mirror import Mirror, Rules
from sim.engine.hermes.process.hermes_sim_host.books import Prices
from sim.engine.hermes.process.hermes_sim_host.gauge import Fixed
from sim.errors import EngineCrashed, EngineError
from sim.history import Row, Splice

if TYPE_CHECKING:
    from sim.engine.hermes.client import HermesEngine

TRIES = 3
_TARGET = re.compile(r"[Tt]arget ~(\d+) tokens")
Reply = dict[str, Any]


@dataclass(slots=True)
class _Journal:
    """Every frame of a session with a digest of its reply, so that the session can be driven again."""

    frames: list[Mapping[str, Any]] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)


class HermesSession:
    """One session; steps are kept back until the mirror says that a gate may fire.

    Attributes:
        waiting: whether it waits for an auxiliary reply.
        busy_seconds, engine_seconds: real time in the host, and that of it in engine calls that could change rows.
        frames: frames exchanged.
    """

    def __init__(self, engine: HermesEngine, request: Open) -> None:
        self._engine = engine
        self._key = engine.new_key()
        self._journal = _Journal()
        self._generation = 0
        self._queue: list[tuple[str, tuple[Any, ...], float]] = []
        self.waiting = False
        self.busy_seconds = 0.0
        self.engine_seconds = 0.0
        self.frames = 0
        opened = self._exchange({"do": "open", "key": self._key, "spec": engine.spec(request)})
        self.info = engine.info(opened["info"], request)
        self._mirror = self._new_mirror(request, opened)

    def _new_mirror(self, request: Open, opened: Reply) -> Mirror:
        details, capabilities = self.info.details, self._engine.capabilities
        measure = self._engine.measure()
        self._blind = measure.rule == "package"
        micro = bool((request.settings.get("compression") or {}).get("micro_compact"))
        self._at_end = bool(self._engine.context_engine) or (micro and bool(capabilities["micro"]))
        rules = Rules(
            eager=self._engine.eager or bool(self._engine.context_engine) or measure.rule == "package",
            enabled=self.info.trigger_tokens is not None,
            anchored=capabilities["family"] == "anchored",
            trigger=self.info.trigger_tokens or 0,
            window=request.window,
            idle_after=details["idle_compact_after_seconds"],
            hygiene_rows=details["hygiene_hard_message_limit"],
            gateway=request.gateway,
            prune=details["proactive_prune_tokens"],
            prune_reclaim=details["proactive_prune_min_reclaim_tokens"],
            protect_last=details["protect_last_n"] or 0,
        )
        return Mirror(rules, measure, Fixed(*opened["fixed"]), details["proactive_prune_min_result_chars"])

    # -- hooks ---------------------------------------------------------------------------------------------------

    def turn_start(self, rows: Sequence[Row], gap: float, now: float) -> Hook:
        """See the contract."""
        self._step("turn_start", (self._rows(rows), gap), now)
        return (yield from self._settle(self._mirror.at_turn_start(gap, len(rows))))

    def before_call(self, now: float) -> Hook:
        """See the contract."""
        self._step("before_call", (), now)
        return (yield from self._settle(self._mirror.before_call()))

    def after_response(self, row: Row, usage: Usage | None, now: float) -> Hook:
        """See the contract."""
        message = self._message(row)
        prices = self._engine.prices(row.message)
        self._step("after_response", (message, prices, usage and (usage.prompt, usage.completion)), now)
        if usage is None:
            self._mirror.no_usage()
        else:
            self._mirror.usage(usage.prompt, usage.completion)
        self._note(message, prices)
        return (yield from self._settle(False))

    def after_tools(self, rows: Sequence[Row], now: float) -> Hook:
        """See the contract."""
        self._step("after_tools", (self._rows(rows),), now)
        return (yield from self._settle(self._mirror.after_tools()))

    def on_overflow(self, error: str, now: float) -> Hook:
        """See the contract."""
        self._step("on_overflow", (error,), now)
        return (yield from self._settle(True))

    def turn_end(self, now: float) -> Hook:
        """See the contract."""
        if self._at_end:
            self._step("turn_end", (), now)
        return (yield from self._settle(self._at_end))

    def on_model_change(self, model: str, window: int, now: float) -> Hook:
        """See the contract."""
        self._step("on_model_change", (model, window), now)
        outcome = yield from self._settle(True)
        self._mirror.rules = replace(self._mirror.rules, window=window, trigger=self._mirror.trigger)
        return outcome

    def close(self) -> None:
        """Free the session in the host; steps still kept back can change nothing any more."""
        host = self._engine.host
        if host is not None and host.alive and self._generation == self._engine.generation:
            with contextlib.suppress(HostDiedError):
                host.request({"do": "close", "key": self._key})
        self._queue.clear()
        self._journal = _Journal()

    # -- steps ---------------------------------------------------------------------------------------------------

    def _message(self, row: Row) -> dict[str, Any]:
        if row.message is None:
            raise EngineError(
                f"hermes@{self._engine.version} needs text, but a {row.role} row of this workload has a size only",
                remedy="use a synthetic or replayed workload, or the engine `parametric`",
            )
        return row.message if type(row.message) is dict else dict(row.message)

    def _rows(self, rows: Sequence[Row]) -> list[tuple[dict[str, Any], Prices | None]]:
        priced = [(self._message(row), self._engine.prices(row.message)) for row in rows]
        for message, prices in priced:
            self._note(message, prices)
        return priced

    def _note(self, message: dict[str, Any], prices: Prices | None) -> None:
        if prices is not None:
            self._mirror.append(message, prices)

    def _step(self, name: str, arguments: tuple[Any, ...], now: float) -> None:
        self._queue.append((name, arguments, now))

    def _settle(self, ship: bool) -> Generator[AuxRequest, AuxReply, Outcome]:
        """Send what was kept back if something may happen; else only say how large the request is."""
        if not ship:
            return Outcome(estimate=None if self._blind else self._mirror.gauge.estimate())
        steps, self._queue = self._queue, []
        reply = self._exchange({"do": "steps", "key": self._key, "steps": steps})
        while reply["kind"] == "aux":
            self.waiting = True
            answer = yield self._request(reply["request"])
            self.waiting = False
            reply = self._exchange({"do": "aux", "key": self._key, "reply": _plain_reply(answer)})
        if not self._blind:
            self._mirror.adopt(reply["state"], reply["events"], reply["prices"])
        self.busy_seconds, self.engine_seconds = reply["busy"], reply["engine"]
        events, stop = [_event(event) for event in reply["events"]], reply["stop"]
        if stop is not None and stop.startswith("over"):
            # The contract's one word for a request that does not fit; the engine's reason goes with it.
            events.append(Attempt("turn_start" if "turn_start" in stop else "overflow", stop, reply["estimate"]))
            stop = "overflow"
        return Outcome(events=tuple(events), estimate=reply["estimate"], stop=stop)

    @staticmethod
    def _request(asked: Mapping[str, Any]) -> AuxRequest:
        target = _TARGET.search(asked["text"])
        return AuxRequest(
            task=asked["task"],
            text=asked["text"],
            model=asked["model"],
            max_tokens=asked["max_tokens"],
            target_tokens=int(target.group(1)) if target else None,
        )

    # -- journal -------------------------------------------------------------------------------------------------

    def _exchange(self, frame: Mapping[str, Any]) -> Reply:
        """One frame and its reply; a session whose host died is first driven again on a new one."""
        died: HostDiedError | None = None
        for _ in range(TRIES):
            try:
                host = self._engine.running()
                if self._generation != self._engine.generation:
                    self._drive_again(host)
                reply = host.request(frame)
                self.frames += 1
                break
            except HostDiedError as error:
                died = error
        else:
            assert died is not None
            raise crashed(self._engine, died)
        checked(reply, self._engine)
        self._journal.frames.append(frame)
        self._journal.digests.append(_digest(reply))
        return reply

    def _drive_again(self, host: HostProcess) -> None:
        for frame, expected in zip(self._journal.frames, self._journal.digests, strict=True):
            if _digest(checked(host.request(frame), self._engine)) != expected:
                raise EngineCrashed(
                    "a session driven again on a new engine host took another course",
                    remedy="the engine is not deterministic here; please report the Hermes version",
                )
        self._generation = self._engine.generation


def checked(reply: Reply, engine: HermesEngine) -> Reply:
    """The reply, unless it says that the engine failed.

    Raises:
        EngineError: the engine refused its settings, or raised.
    """
    if reply["kind"] == "refused":
        raise EngineError(f"hermes@{engine.version}: {reply['message']}", remedy="see `hermes-sim engines check`")
    if reply["kind"] == "failed":
        raise EngineError(
            f"hermes@{engine.version} failed: {reply['message']}\n{reply['trace']}".rstrip(),
            remedy="check the settings with `hermes-sim explain`; if they are sound, report this with the scenario",
        )
    return reply


def crashed(engine: HermesEngine, died: HostDiedError) -> EngineCrashed:
    """The error for a host that keeps dying."""
    words = died.stderr.strip().splitlines()
    return EngineCrashed(
        f"the host of hermes@{engine.version} died {TRIES} times in a row: {died.reason}"
        + (f"; its last words: {words[-1]}" if words else ""),
        remedy="run `hermes-sim engines check`; free memory if the system ended it",
    )


def _plain_reply(reply: AuxReply) -> dict[str, Any]:
    return {
        "text": reply.text,
        "failure": reply.failure,
        "status": reply.status,
        "finished_at": reply.finished_at,
        "provider": reply.provider,
        "model": reply.model,
    }


def _event(event: Mapping[str, Any]) -> Rewrite | Attempt:
    """A rewrite or an attempt out of the host's plain data."""
    if event["type"] == "attempt":
        return Attempt(event["site"], event["reason"], event["estimate"])
    return Rewrite(
        kind=event["kind"],
        site=event["site"],
        splices=tuple(Splice(start, stop, tuple(rows)) for start, stop, rows in event["splices"]),
        estimate_before=event["before"],
        estimate_after=event["after"],
        note=event["note"],
    )


_TIMINGS = frozenset({"busy", "engine"})


def _digest(reply: Reply) -> str:
    """Identity of a reply without its timings."""
    text = json.dumps({k: v for k, v in reply.items() if k not in _TIMINGS}, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
