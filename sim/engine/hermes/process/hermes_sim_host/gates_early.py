"""The gates of 0.19: three sites, the rough whole-request figure, no anchor, no prune, no idle compaction."""

from __future__ import annotations

from .books import Prices
from .compaction import Compacting
from .gates_anchored import Priced, change_model, usage_fields
from .session import Row

_ATTEMPTS = 3


class EarlyGates(Compacting):
    """Gates of 0.19 and earlier."""

    anchors = False

    def turn_start(self, rows: list[Priced], gap: float) -> None:
        """Hygiene before the message, then the message and up to three passes."""
        self.attempts, self.stop = 0, None
        self.told.clear()
        self.user = None
        if self.gateway:
            self._hygiene()
        for row, prices in rows:
            self.append(row, prices)
            if row.get("role") == "user":
                self.user = row
        if self.stop is None and self.blocks.enabled:
            self._turn_start_passes()

    def _hygiene(self) -> None:
        if not self.blocks.enabled or not self.rows:
            return
        size = self.reading if self.reading > 0 else self.books.rough
        over = size >= int(self.window * 0.85) or len(self.rows) >= self.blocks.hygiene_rows
        if over and not self.cooldown() and self.compact(size, "hygiene"):
            self.reading = 0

    def _turn_start_passes(self) -> None:
        engine = self.engine
        protected = int(engine.protect_first_n) + int(engine.protect_last_n) + 1
        if len(self.rows) <= protected and self.books.rough < self.trigger:
            return
        pressure = self.gauge.request()
        if self.deferred(pressure):
            return
        if 0 <= int(engine.last_prompt_tokens) < pressure:
            engine.last_prompt_tokens = pressure
        if pressure < self.trigger:
            return
        if self.cooldown() or not engine.should_compress(pressure):
            self.held_back("turn_start", pressure)
            return
        for _ in range(_ATTEMPTS):
            rows, size = len(self.rows), pressure
            self.compact(size, "turn_start")
            pressure = self.gauge.request()
            if not (len(self.rows) < rows or (size > 0 and pressure < size * 0.95)):
                return
            if self.stop is not None or not engine.should_compress(pressure):
                return

    def before_call(self) -> None:
        """Up to three passes a turn; attempts come before the deferral, which raises its own mark when it defers."""
        while self.stop is None and self.blocks.enabled:
            pressure = self.gauge.wired()
            if pressure < self.trigger or len(self.rows) <= 1:
                return
            if self.attempts >= _ATTEMPTS:
                self.held_back("before_call", pressure)
                return
            cooldown = self.cooldown()
            if self.deferred(pressure):
                return
            if cooldown or not self.engine.should_compress(pressure):
                self.held_back("before_call", pressure)
                return
            self.attempts += 1
            self.compact(pressure, "before_call")

    def after_response(self, row: Row, prices: Prices | None, usage: tuple[int, int] | None) -> None:
        """Usage first, then the reply."""
        if usage is not None:
            self.engine.update_from_response(usage_fields(*usage))
            self.reading = usage[0]
        elif self.awaiting:
            self.engine.update_from_response({})
        self.append(row, prices)

    def after_tools(self, rows: list[Priced]) -> None:
        """The last real reading decides; it neither respects nor counts against the attempts."""
        for row, prices in rows:
            self.append(row, prices)
        if self.stop or not self.blocks.enabled:
            return
        last = int(self.engine.last_prompt_tokens)
        pressure = last if last > 0 else 0 if last == -1 else self.books.rough + self.gauge.fixed.tools
        if self.engine.should_compress(pressure):
            self.compact(last, "after_tools")

    def on_overflow(self, error: str) -> None:
        """The provider refused the request: a pass counted against the limit of the turn."""
        self.attempts += 1
        if self.attempts > _ATTEMPTS or not self.blocks.enabled:
            self.stop = "overflow_attempts_exhausted" if self.blocks.enabled else "overflow"
            return
        rows, size = len(self.rows), self.books.rough
        self.compact(self.gauge.wired() - self.gauge.fixed.tools, "overflow")
        if self.stop is None and not (len(self.rows) < rows or 0 < self.books.rough < size * 0.95):
            self.stop = "overflow_cannot_shrink"

    def turn_end(self) -> None:
        """Nothing happens here in this version."""

    def on_model_change(self, model: str, window: int) -> None:
        """The session goes on with another model."""
        change_model(self, model, window)
