"""The gates of 0.22: anchored on usage, with idle compaction, proactive prune and gateway hygiene.

Each gate asks the engine's own predicates as often and in the same order as the package does, because asking can arm
a timer or use up a probe; below the trigger none has a side effect, so the gate returns at once.
"""

from __future__ import annotations

from typing import Any

from . import micro
from .books import Prices
from .pruning import Pruning
from .session import Row, Session, accepted

Priced = tuple[Row, Prices | None]


class AnchoredGates(Pruning):
    """Gates of 0.22 and later, and of context-engine plugins in such a host."""

    anchors = True

    # -- turn start ----------------------------------------------------------------------------------------------

    def turn_start(self, rows: list[Priced], gap: float) -> None:
        """Hygiene before the message, then the message, then idle and threshold passes."""
        self.attempts, self.blocked, self.last_pass, self.stop = 0, False, None, None
        self.refused_by_provider = False
        self.told.clear()
        self.user = None
        if self.gateway:
            self._hygiene()
        for row, prices in rows:
            self.append(row, prices)
            if row.get("role") == "user":
                self.user = row
        if self.stop or not self.blocks.enabled:
            return
        self._idle(gap)
        if self.stop is None:
            self._turn_start_passes()

    def _hygiene(self) -> None:
        if not self.blocks.enabled or not self.rows:
            return
        size = self.reading if self.reading > 0 else self.gauge.anchored()
        if size is None:
            size = self.books.rough
        if size < int(self.window * 0.85) and len(self.rows) < self.blocks.hygiene_rows:
            return
        if self.cooldown():
            return
        if self.compact(size, "hygiene"):
            self.reading = 0

    def _idle(self, gap: float) -> None:
        after, engine = self.blocks.idle_after, self.engine
        if after <= 0 or gap < after or self.awaiting:
            return
        tokens = self.gauge.estimate()
        floor = int(self.trigger * getattr(engine, "summary_target_ratio", 0.2))
        if self.cooldown():
            return
        produced = int(getattr(engine, "last_compression_rough_tokens", 0) or 0)
        if produced > 0:
            floor = max(floor, produced + floor)
        if tokens > floor:
            self.compact(tokens, "idle")

    def _turn_start_passes(self) -> None:
        engine = self.engine
        protected = int(getattr(engine, "protect_first_n", 3)) + int(getattr(engine, "protect_last_n", 20)) + 1
        if len(self.rows) <= protected and self.books.rough < self.trigger:
            return
        anchored = self.gauge.anchored() is not None
        pressure = self.gauge.estimate()
        if not anchored and self.deferred(pressure):
            return
        seed = getattr(engine, "maybe_seed_preflight_display_tokens", None)
        if callable(seed):
            seed(pressure)
        if pressure < self.trigger:
            self._maintenance(pressure)
            return
        if self.cooldown():
            self.held_back("turn_start", pressure)
            return
        if not engine.should_compress(pressure):
            self.ask_reason(pressure)
            self.held_back("turn_start", pressure)
            return
        for _ in range(self.blocks.max_attempts):
            rows, size = len(self.rows), pressure
            self.compact(size, "turn_start")
            pressure = self.gauge.estimate()
            if not (len(self.rows) < rows or pressure < size * 0.95):
                self._fail_when_over_window(pressure)
                self.blocked = True
                break
            if not engine.should_compress(pressure):
                break
            if not self._worth_another(size, pressure):
                self.blocked = True
                self._fail_when_over_window(pressure)
                break

    def _maintenance(self, pressure: int) -> None:
        """A plugin engine may ask for one pass below its trigger."""
        wants = getattr(self.engine, "should_compress_preflight", None)
        if self.plugin and callable(wants) and not self.cooldown() and wants(list(self.rows)):
            self.compact(pressure, "turn_start")

    def _worth_another(self, before: int, after: int) -> bool:
        return after >= self.trigger and before > 0 and after < before * 0.95

    def _fail_when_over_window(self, pressure: int) -> None:
        """The package ends the turn without a call when a pass cannot bring the request under the window."""
        if pressure > int(self.engine.context_length) and not self.transient and self.stop is None:
            self.stop = "over_window_at_turn_start"

    # -- before a call -------------------------------------------------------------------------------------------

    def before_call(self) -> None:
        """Passes before a request, re-measured after each."""
        while self.stop is None and self.blocks.enabled:
            anchored = self.gauge.anchored()
            pressure = anchored if anchored is not None else self._floored(self.gauge.wired())
            last, self.last_pass = self.last_pass, None
            # A request that the provider just refused is looked at again, whatever the milder gates say.
            self.refused_by_provider = self.refused_by_provider and pressure >= self.trigger
            if pressure < self.trigger and (self.checked or pressure < 64_000):
                return
            if last is not None and pressure >= self.trigger and not self._worth_another(last, pressure):
                self.blocked = True
            if not self._before_call_pass(pressure, anchored is not None):
                return

    def _floored(self, rough: int) -> int:
        last = int(getattr(self.engine, "last_real_prompt_tokens", 0) or 0)
        return last if last > rough and not self.awaiting else rough

    def _before_call_pass(self, pressure: int, anchored: bool) -> bool:
        """One round; True when the loop must measure again."""
        cooldown, forced = self.cooldown(), self.refused_by_provider
        eligible = len(self.rows) > 1 and self.attempts < self.blocks.max_attempts
        if eligible:
            self.feasible(pressure)
        if (
            eligible
            and (forced or not self.blocked)
            and (forced or anchored or not self.deferred(pressure))
            and not cooldown
            and self.engine.should_compress(pressure)
        ):
            self.attempts += 1
            self.last_pass = pressure
            if self.compact(pressure, "before_call") or not self.transient:
                return True
            self.attempts -= 1
            self.last_pass = None
        elif forced and cooldown:
            self.stop = "overflow_deferred"
            return False
        elif anchored or forced or not self.deferred(pressure):
            if eligible and cooldown:
                self.ask_reason(pressure)
            self.held_back("before_call", pressure)
        if forced:
            self.stop = "overflow_attempts_exhausted"
        return False

    # -- response and tools --------------------------------------------------------------------------------------

    def after_response(self, row: Row, prices: Prices | None, usage: tuple[int, int] | None) -> None:
        """Usage first, then the reply."""
        engine = self.engine
        self.refused_by_provider = False
        if usage is None:
            if self.awaiting:
                engine.update_from_response({})
            note = getattr(engine, "note_usage_less_response", None)
            if callable(note):
                note()
        else:
            prompt, completion = usage
            pending = bool(getattr(engine, "_verify_compaction_cleared_threshold", False))
            engine.update_from_response(usage_fields(prompt, completion))
            self.reading = prompt
            self.gauge.response(prompt, completion)
            if self.attempts and pending and 0 < prompt < self.trigger:
                self.attempts, self.blocked = 0, False
        self.append(row, prices)

    def after_tools(self, rows: list[Priced]) -> None:
        """Results, then a compaction or, if none was tried, the prune."""
        for row, prices in rows:
            self.append(row, prices)
        if self.awaiting or not self.blocks.enabled or self.stop:
            return
        pressure = self._pressure_after_tools()
        if self.attempts < self.blocks.max_attempts:
            self.feasible(pressure)
            if self.engine.should_compress(pressure):
                self.attempts += 1
                self.compact(pressure, "after_tools")
                return
        if pressure >= self.trigger:
            self.ask_reason(pressure)
            self.held_back("after_tools", pressure)
        self.prune(pressure)

    def _pressure_after_tools(self) -> int:
        anchored = self.gauge.anchored()
        if anchored is not None:
            return anchored
        last = int(self.engine.last_prompt_tokens)
        if last > 0:
            return last
        return 0 if last == -1 else self.gauge.resort()

    # -- overflow, end of turn, other model ----------------------------------------------------------------------

    def on_overflow(self, error: str) -> None:
        """The provider refused the request: a pass with the cooldown bypassed, counted against the same limit."""
        self.attempts += 1
        if self.attempts > self.blocks.max_attempts or not self.blocks.enabled:
            self.stop = "overflow_attempts_exhausted" if self.blocks.enabled else "overflow"
            return
        rows, size = len(self.rows), self.books.rough
        if not self.compact(self.gauge.wired(), "overflow", bypass=True) and self.transient:
            self.attempts -= 1
            self.stop = "overflow_deferred"
            return
        if self.stop is None:
            self.refused_by_provider = len(self.rows) < rows or 0 < self.books.rough < size * 0.95
            if not self.refused_by_provider:
                self.stop = "overflow_cannot_shrink"

    def turn_end(self) -> None:
        """The final answer was given."""
        if self.plugin:
            observe = getattr(self.engine, "on_turn_complete", None)
            if callable(observe):
                observe(list(self.rows), None)
            return
        if self.blocks.enabled and getattr(self.engine, "_micro_compact_enabled", False):
            micro.run(self)

    def on_model_change(self, model: str, window: int) -> None:
        """The session goes on with another model."""
        change_model(self, model, window)
        self.feasible(64_000)


def usage_fields(prompt: int, completion: int) -> dict[str, Any]:
    """Usage in the shape engines are given."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "input_tokens": prompt,
        "output_tokens": completion,
        "cache_read_tokens": 0,
        "cache_write_tokens": 0,
        "reasoning_tokens": 0,
    }


def change_model(session: Session, model: str, window: int) -> None:
    """Tell the engine; the auxiliary window is looked at again before its next pass."""
    from .package import API_MODE, BASE_URL, PROVIDER

    update = session.engine.update_model
    update(
        **accepted(
            update,
            {
                "model": model,
                "context_length": window,
                "base_url": BASE_URL,
                "api_key": "",
                "provider": PROVIDER,
                "api_mode": API_MODE,
            },
        )
    )
    session.model, session.window = model, window
    session.checked = session.blocks.auxiliary_window is None
