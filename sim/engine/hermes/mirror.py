"""The client's copy of a session's books: it says when a batch of steps must be sent to the host.

It uses the very code the host decides by, so a step that it keeps back cannot have been an event (the host checks).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.engine.hermes.process.hermes_sim_host.books import Books, Measure, Prices, PruneBound
from sim.engine.hermes.process.hermes_sim_host.gauge import Fixed, Gauge
from sim.errors import EngineError

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rules:
    """What of a session's resolved settings decides when something may happen.

    Attributes:
        eager: every gate must be asked (plugin engines, an unknown estimation rule).
        enabled: whether the engine compresses at all.
        trigger: the lowest trigger it can have.
        prune: trigger of the proactive prune, 0 when off.
    """

    eager: bool
    enabled: bool
    anchored: bool
    trigger: int
    window: int
    idle_after: int
    hygiene_rows: int
    gateway: bool
    prune: int
    prune_reclaim: int
    protect_last: int


class Mirror:
    """Books, gauge and the few engine flags that the gates look at."""

    def __init__(self, rules: Rules, measure: Measure, fixed: Fixed, smallest: int) -> None:
        self.rules = rules
        self.rows: list[Message] = []
        bound = PruneBound(rules.protect_last, smallest) if rules.prune else None
        self.books = Books(measure, bound)
        self.gauge = Gauge(self.books, fixed, rules.anchored)
        self.trigger = rules.trigger
        self.awaiting = False
        self.last_real = self.last_prompt = self.reading = self.rearm = 0
        self.refused: int | None = None

    def append(self, row: Message, prices: Prices) -> None:
        """A row was appended."""
        self.rows.append(row)
        self.books.append(row, prices)
        self.gauge.append(row)

    def usage(self, prompt: int, completion: int) -> None:
        """A response with usage arrived (before its row is appended)."""
        self.awaiting = False
        self.last_prompt = prompt
        if prompt > 0:
            self.last_real = self.reading = prompt
        self.gauge.response(prompt, completion)

    def no_usage(self) -> None:
        """A response without usage arrived."""
        if self.awaiting:
            self.awaiting = False
            self.last_prompt = 0

    # -- may something happen? -----------------------------------------------------------------------------------

    def at_turn_start(self, gap: float, rows: int) -> bool:
        """Whether a gate can fire at turn start; `rows` were just appended."""
        rules = self.rules
        if rules.eager or not rules.enabled:
            return rules.eager
        if rules.idle_after and gap >= rules.idle_after:
            return True
        if rules.gateway:
            size = max(self.reading, self.gauge.estimate(), self.books.rough)
            if size >= int(rules.window * 0.85) or len(self.rows) >= rules.hygiene_rows:
                return True
        # Few, small rows skip the check, but the mirror need not know: below the trigger nothing happens either way.
        return max(self.gauge.estimate(), self.books.rough) >= self.trigger

    def before_call(self) -> bool:
        """Whether a gate can fire before a call."""
        if self.rules.eager or not self.rules.enabled:
            return self.rules.eager
        anchored = self.gauge.anchored()
        return (max(self.gauge.wired(), self.last_real) if anchored is None else anchored) >= self.trigger

    def after_tools(self) -> bool:
        """Whether a gate can fire after a tool round."""
        rules = self.rules
        if rules.eager or not rules.enabled:
            return rules.eager
        if rules.anchored and self.awaiting:
            return False
        anchored = self.gauge.anchored()
        pressure = max(self.last_prompt, self.gauge.resort()) if anchored is None else anchored
        if pressure >= self.trigger:
            return True
        bound = self.books.prune
        if bound is None or pressure < rules.prune or self.books.budget < self.rearm:
            return False
        if len(self.rows) <= rules.protect_last + 1:
            return False
        if bound.odd or self._pending() > rules.protect_last:
            return True
        return bound.eligible > 0 and bound.bound >= rules.prune_reclaim and bound.bound != self.refused

    def _pending(self) -> int:
        count = 0
        for row in reversed(self.rows):
            count += 1
            if row.get("role") != "tool":
                break
        return count

    # -- back in step --------------------------------------------------------------------------------------------

    def adopt(self, state: Mapping[str, Any], events: Sequence[Mapping[str, Any]], prices: list[Any] | None) -> None:
        """Take over the host's state after a batch.

        Raises:
            EngineError: host and client count differently, which would make every bound unsound.
        """
        rewritten = False
        for event in events:
            if event["type"] == "rewrite":
                rewritten = True
                self._splice(event["splices"])
        if rewritten and prices is not None:
            if len(prices) != len(self.rows):
                raise EngineError(
                    f"the engine host holds {len(prices)} rows after a rewrite, the client {len(self.rows)}"
                )
            self.books.replace(self.rows, [tuple(p) for p in prices])
        self.trigger = min(self.rules.trigger, state["trigger"]) if not state["checked"] else state["trigger"]
        anchor = state["anchor"]
        self.gauge.anchor = None if anchor is None else tuple(anchor)
        self.gauge.reply = state["reply"]
        self.awaiting = state["awaiting"]
        self.last_real, self.last_prompt = state["last_real"], state["last_prompt"]
        self.reading = state["reading"]
        self.rearm, self.refused = state["rearm"], state["refused"]
        bound = self.books.prune
        mine = (len(self.books), self.books.rough, None if bound is None else bound.bound)
        theirs = (state["rows"], state["rough"], state["bound"])
        if mine != theirs:
            raise EngineError(
                f"engine host and client count differently: rows, rough, bound are {theirs} against {mine}"
            )

    def _splice(self, splices: Sequence[Any]) -> None:
        rows: list[Message] = []
        position = 0
        for start, stop, new in splices:
            rows += self.rows[position:start]
            rows += new
            position = stop
        self.rows = rows + self.rows[position:]
