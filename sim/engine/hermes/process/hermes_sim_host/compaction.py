"""One pass of the real engine and a host's duties around it (host page, (a) 4)."""

from __future__ import annotations

import inspect
import time as real_time
from typing import Any

from .books import Books
from .session import Row, Session, accepted

# Compressor state that a real host keeps in the session's database row across a boundary.
_DURABLE = ("_summary_failure_cooldown_until", "_anti_thrash_recovery_deadline", "_fallback_probe_at")
_KEEP_REPLY = "_ensure_compressed_keeps_last_assistant_reply"


class Compacting(Session):
    """A session that can compact."""

    def compact(self, pressure: int, site: str, *, bypass: bool = False) -> bool:
        """One pass of the real engine with the host's duties around it (host page, (a) 4); True when rows changed."""
        self.transient = False
        if self._blocked_by_engine(bypass):
            self.attempt(site, "blocked", pressure)
            return False
        if not self.feasible(None):
            self.attempt(site, "auxiliary_window_below_minimum", pressure)
            return False
        if self._blocked_by_engine(bypass):
            self.attempt(site, "blocked", pressure)
            return False
        engine, before = self.engine, self.rows
        rearm = getattr(engine, "_proactive_prune_rearm_tokens", None)
        keywords = {
            "current_tokens": pressure,
            "focus_topic": None,
            "force": False,
            "memory_context": "",
            "bypass_cooldown": bypass,
        }
        started = real_time.perf_counter() - self.package.waited
        after = list(engine.compress(list(before), **accepted(engine.compress, keywords)))
        self.engine_seconds += real_time.perf_counter() - self.package.waited - started
        progress = bool(getattr(engine, "_last_compression_made_progress", False))
        fallback = bool(getattr(engine, "_last_summary_fallback_used", False))
        skipped = bool(getattr(engine, "_last_feasibility_skip", False))
        if getattr(engine, "_last_compress_aborted", False):
            self.attempt(site, "aborted", pressure)
            return False
        if after == before:
            no_op = getattr(engine, "_record_structural_no_op", None)
            if callable(no_op):
                no_op("compaction returned the transcript unchanged (no_progress)")
            self.attempt(site, "unchanged", pressure)
            return False
        if not after:
            self.attempt(site, "empty", pressure)
            return False
        self._repair(before, after)
        candidate, note = self._shrunk(before, after, rearm)
        if candidate is None:
            self.attempt(site, "would_grow", pressure)
            return False
        self.put(candidate)
        self._boundary(progress, fallback, skipped)
        self.restore_request()
        self.rewrite(
            "compaction", site, before, pressure, self.gauge.whole(), note or ("fallback_text" if fallback else "")
        )
        return True

    def _blocked_by_engine(self, bypass: bool) -> bool:
        blocked = getattr(type(self.engine), "_automatic_compression_blocked", None)
        if not callable(blocked):
            return False
        ignore = {"ignore_cooldown": True} if bypass and "ignore_cooldown" in _names(blocked) else {}
        if not blocked(self.engine, **ignore):
            return False
        reason = getattr(self.engine, "_compression_block_reason", None)
        text = str(reason(**ignore)) if callable(reason) else ""
        self.transient = text.startswith(("cooldown", "structural_backoff"))
        return True

    def feasible(self, pressure: int | None) -> bool:
        """Look at the auxiliary window once: at the first pass, in 0.22 already when pressure reaches 64,000.

        Returns:
            False when that window is below the minimum: the engine then refuses to compact at all.
        """
        if self.checked or (pressure is not None and (not self.anchors or pressure < 64_000)):
            return True
        window = self.blocks.auxiliary_window
        assert window is not None
        if window < self.blocks.minimum_window:
            if pressure is None:
                self.stop = "auxiliary_window_below_minimum"
            return False
        self.checked = True
        if window < self.trigger:
            lower_to(self.engine, window)
        return True

    def _repair(self, before: list[Row], after: list[Row]) -> None:
        """Put back what a real host never lets a compaction fold away: the last reply and a real user row."""
        keep_reply = self.package.function("conversation_compression_reply_anchor", _KEEP_REPLY)
        if keep_reply is not None:
            keep_reply(before, after, session_id=self.id)
        keep_user = self.package.function("conversation_compression", "_ensure_compressed_has_user_turn")
        if keep_user is not None:
            keep_user(before, after)

    def _shrunk(self, before: list[Row], after: list[Row], rearm: int | None) -> tuple[list[Row] | None, str]:
        """The candidate if it is no larger than what it replaces, salvaged if need be; None when refused."""
        for row in after:
            row.pop("_compaction_tail", None)
        if not self.anchors:
            return after, ""
        budget = self.books.rough
        size = self._rough(after)
        if size <= budget:
            return after, ""
        salvage = getattr(self.package.compressor, "salvage_grown_transcript", None)
        if salvage is not None:
            salvaged = salvage(before, after, budget=budget)
            if salvaged is not None and self._rough(salvaged) < budget:
                return salvaged, "salvaged"
        self.engine._last_compress_refused_would_grow = True
        self.engine.record_rejected_compaction()
        if rearm is not None:
            self.engine._proactive_prune_rearm_tokens = rearm
        return None, ""

    def _rough(self, rows: list[Row]) -> int:
        books = Books(self.package.measure)
        for row in rows:
            books.append(row)
        return books.rough

    def _boundary(self, progress: bool, fallback: bool, skipped: bool) -> None:
        """The host's bookkeeping after a committed compaction."""
        engine = self.engine
        started = getattr(engine, "on_session_start", None)
        if callable(started):
            kept = {name: getattr(engine, name) for name in _DURABLE if hasattr(engine, name)}
            error = getattr(engine, "_last_summary_error", None)
            started(
                self.id, boundary_reason="compression", old_session_id=self.id, platform="cli", conversation_id=None
            )
            for name, value in kept.items():
                setattr(engine, name, value)
            if kept.get("_summary_failure_cooldown_until", 0.0) > self.clock.now:
                engine._last_summary_error = error
        engine.last_compression_rough_tokens = self.gauge.whole()
        engine.last_prompt_tokens = -1
        engine.last_completion_tokens = 0
        engine.awaiting_real_usage_after_compression = True
        self.gauge.anchor = None
        if progress:
            record = getattr(type(engine), "record_completed_compaction", None)
            if callable(record):
                record(engine, **accepted(record, {"used_fallback": fallback, "feasibility_skip": skipped}))
            else:
                engine._verify_compaction_cleared_threshold = True

    def restore_request(self) -> None:
        """Append this turn's user message again when only a handoff would drive the next call."""
        drives = getattr(self.package.compressor, "reference_handoff_would_drive_next_model_call", None)
        if drives is None or not drives(self.rows) or self.user is None:
            return
        content = self.user.get("content")
        last = self.rows[-1] if self.rows else {}
        blank = not content.strip() if isinstance(content, str) else not content
        if not blank and not (last.get("role") == "user" and last.get("content") == content):
            self.append({"role": "user", "content": content})


def lower_to(engine: Any, window: int) -> None:
    """Lower an engine's trigger to the auxiliary model's window, as the host does (legacy tails follow)."""
    engine.threshold_tokens = window
    engine._aux_context_ceiling = window
    ratio = getattr(engine, "summary_target_ratio", None)
    if getattr(engine, "tail_mode", None) == "lean":
        engine._tail_token_budget = None
    elif isinstance(ratio, (int, float)):
        engine.tail_token_budget = int(window * ratio)
    if engine.context_length:
        engine.threshold_percent = window / engine.context_length


def _names(function: Any) -> set[str]:
    return set(inspect.signature(function).parameters)
