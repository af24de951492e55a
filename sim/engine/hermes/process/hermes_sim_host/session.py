"""One session in the host: its rows, its books, its compressor, and one real compaction or prune around them."""

from __future__ import annotations

import inspect
import time as real_time
from collections.abc import Mapping
from typing import Any

from . import blocks, plugins
from .books import Books, Prices, PruneBound
from .gauge import Fixed, Gauge
from .package import API_MODE, BASE_URL, PROVIDER, Package, PackageError
from .splices import splices

Row = dict[str, Any]

# Compressor state that a real host keeps in the session's database row across a boundary.
_DURABLE = ("_summary_failure_cooldown_until", "_anti_thrash_recovery_deadline", "_fallback_probe_at")


class Session:
    """State shared by both gate families; subclasses hold the gates themselves.

    Attributes:
        rows: the live rows, bookkeeping keys included; never changed in place.
        events: rewrites and attempts of the step at hand, plain data.
        stop: why the turn at hand ends without another call; a new turn may try again.
        attempts, blocked: passes used and the insufficient-progress block of this turn.
        user: this turn's message.
        reading: last prompt the provider reported, for gateway hygiene; 0 when a rewrite made it void.
        task: name for auxiliary calls other than the compaction's own.
        refused: the prune bound at which the engine last declined.
    """

    anchors = True

    def __init__(self, package: Package, spec: Mapping[str, Any]) -> None:
        self.package = package
        self.clock = package.clock
        self.id: str = spec["session"]
        self.model: str = spec["model"]
        self.window: int = spec["window"]
        self.gateway: bool = spec["gateway"]
        self.blocks = blocks.read(
            spec["settings"],
            auxiliary_window=spec["auxiliary_window"],
            max_tokens=spec["max_tokens"],
            late=self.anchors,
        )
        self.engine = self._open_engine(spec)
        self.plugin = bool(spec.get("context_engine"))
        self.tools: list[Any] = spec["tools"]
        self.system: str = spec["system"]
        self.rows: list[Row] = []
        self.books = Books(package.measure, self._bound())
        self.gauge = Gauge(self.books, self._fixed(), self.anchors)
        self.events: list[dict[str, Any]] = []
        self.stop: str | None = None
        self.attempts = 0
        self.blocked = False
        self.transient = False
        self.checked = self.blocks.auxiliary_window is None
        self.last_pass: int | None = None
        self.refused: int | None = None
        self.user: Row | None = None
        self.reading = 0
        self.task: str | None = None
        self.engine_seconds = 0.0

    # -- opening -------------------------------------------------------------------------------------------------

    def _open_engine(self, spec: Mapping[str, Any]) -> Any:
        name = spec.get("context_engine")
        if not name:
            settings = self.blocks
            engine = self.package.build(
                self.model, self.window, settings.max_tokens, settings.compression, settings.minimum_window
            )
        else:
            engine = plugins.load(name)
            if engine is None:
                known = ", ".join(plugins.available()) or "none"
                raise PackageError(f"this Hermes has no context engine {name!r}; it can load: {known}")
            engine.update_model(
                **_accepted(
                    engine.update_model,
                    {
                        "model": self.model,
                        "context_length": self.window,
                        "base_url": BASE_URL,
                        "api_key": "",
                        "provider": PROVIDER,
                        "api_mode": API_MODE,
                    },
                )
            )
        bind = getattr(engine, "bind_session_state", None)
        if callable(bind):
            bind(None, self.id)
        for key, attribute in _MICRO.items():
            if key in self.blocks.compression and hasattr(engine, attribute):
                value = self.blocks.compression[key]
                default = getattr(engine, attribute)
                setattr(
                    engine,
                    attribute,
                    blocks.truthy(value, default)
                    if isinstance(default, bool)
                    else max(1, blocks.whole(value, default)),
                )
        started = getattr(engine, "on_session_start", None)
        if name and callable(started):
            started(self.id, platform="cli", model=self.model, context_length=self.window)
        return engine

    def _bound(self) -> PruneBound | None:
        trigger = int(getattr(self.engine, "proactive_prune_tokens", 0) or 0)
        if trigger <= 0 or not hasattr(self.engine, "prune_tool_results_only"):
            return None
        smallest = int(getattr(self.engine, "proactive_prune_min_result_chars", 0) or 0)
        return PruneBound(int(self.engine.protect_last_n), smallest)

    def _fixed(self) -> Fixed:
        row = {"role": "system", "content": self.system}
        return Fixed(
            self.package.text_tokens(self.system) if self.system else 0,
            self.package.row_measure(row) if self.system else 0,
            self.package.tools_tokens(self.tools),
            self.package.stale_thinking_sent(self.model),
        )

    # -- rows ----------------------------------------------------------------------------------------------------

    @property
    def trigger(self) -> int:
        """The engine's effective trigger now."""
        return int(getattr(self.engine, "threshold_tokens", 0) or 0)

    def append(self, row: Row, prices: Prices | None = None) -> None:
        """A row arrived."""
        self.rows.append(row)
        self.books.append(row, prices)
        self.gauge.append(row)

    def put(self, rows: list[Row]) -> int | None:
        """Replace the rows after a rewrite, pricing only what changed; returns the first changed row."""
        old, each = self.rows, self.books.each
        known: list[Prices | None] = [None] * len(rows)
        first: int | None = None
        if len(rows) == len(old):
            for index, (a, b) in enumerate(zip(old, rows, strict=True)):
                if _unchanged(a, b):
                    known[index] = each[index]
                elif first is None:
                    first = index
        else:
            limit = min(len(old), len(rows))
            head = 0
            while head < limit and _unchanged(old[head], rows[head]):
                known[head] = each[head]
                head += 1
            kept = 0
            while kept < limit - head and _unchanged(old[-1 - kept], rows[-1 - kept]):
                known[-1 - kept] = each[-1 - kept]
                kept += 1
            first = head
        self.rows = rows
        self.books.replace(rows, known)
        return first

    # -- engine predicates ---------------------------------------------------------------------------------------

    def cooldown(self) -> bool:
        """Whether the engine is in its failure cooldown."""
        active = getattr(self.engine, "get_active_compression_failure_cooldown", None)
        return bool(active()) if callable(active) else False

    def deferred(self, rough: int) -> bool:
        """Whether a rough figure must wait for the provider's own count."""
        defer = getattr(self.engine, "should_defer_preflight_to_real_usage", None)
        return bool(defer(rough)) if callable(defer) else False

    def ask_reason(self, tokens: int) -> None:
        """Ask why a compaction is blocked, as the package does for its warning (asking has side effects)."""
        info = getattr(self.engine, "should_compress_info", None)
        if callable(info):
            info(tokens)

    @property
    def awaiting(self) -> bool:
        """Whether the first usage after a compaction is still to come."""
        return bool(getattr(self.engine, "awaiting_real_usage_after_compression", False))

    # -- one compaction ------------------------------------------------------------------------------------------

    def compact(self, pressure: int, site: str, *, bypass: bool = False) -> bool:
        """One pass of the real engine with the host's duties around it (host page, (a) 4); True when rows changed."""
        self.transient = False
        if self._gate_blocks(bypass):
            self._attempt(site, "blocked", pressure)
            return False
        if not self.feasible(None):
            self._attempt(site, "auxiliary_window_below_minimum", pressure)
            return False
        if self._gate_blocks(bypass):
            self._attempt(site, "blocked", pressure)
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
        after = list(engine.compress(list(before), **_accepted(engine.compress, keywords)))
        self.engine_seconds += real_time.perf_counter() - self.package.waited - started
        progress = bool(getattr(engine, "_last_compression_made_progress", False))
        fallback = bool(getattr(engine, "_last_summary_fallback_used", False))
        skipped = bool(getattr(engine, "_last_feasibility_skip", False))
        if getattr(engine, "_last_compress_aborted", False):
            self._attempt(site, "aborted", pressure)
            return False
        if after == before:
            no_op = getattr(engine, "_record_structural_no_op", None)
            if callable(no_op):
                no_op("compaction returned the transcript unchanged (no_progress)")
            self._attempt(site, "unchanged", pressure)
            return False
        if not after:
            self._attempt(site, "empty", pressure)
            return False
        self._repair(before, after)
        candidate, note = self._shrunk(before, after, rearm)
        if candidate is None:
            self._attempt(site, "would_grow", pressure)
            return False
        self.put(candidate)
        self._boundary(progress, fallback, skipped)
        self.restore_request()
        self.rewrite(
            "compaction", site, before, pressure, self.gauge.whole(), note or ("fallback_text" if fallback else "")
        )
        return True

    def _gate_blocks(self, bypass: bool) -> bool:
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
                record(engine, **_accepted(record, {"used_fallback": fallback, "feasibility_skip": skipped}))
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

    # -- events --------------------------------------------------------------------------------------------------

    def _attempt(self, site: str, reason: str, estimate: int) -> None:
        self.events.append({"type": "attempt", "site": site, "reason": reason, "estimate": estimate})

    def rewrite(self, kind: str, site: str, before: list[Row], pressure: int, after: int, note: str = "") -> None:
        """Note a rewrite of `before` into the rows as they stand."""
        self.events.append(
            {
                "type": "rewrite",
                "kind": kind,
                "site": site,
                "splices": splices(before, self.rows),
                "before": pressure,
                "after": after,
                "note": note,
            }
        )


def _unchanged(old: Row, new: Row) -> bool:
    return old is new or (old.get("content") is new.get("content") and old == new)


_KEEP_REPLY = "_ensure_compressed_keeps_last_assistant_reply"
_MICRO = {
    "micro_compact": "_micro_compact_enabled",
    "micro_compact_every_n_turns": "_micro_compact_every_n_turns",
    "micro_compact_defrag_threshold_tokens": "_micro_compact_defrag_threshold_tokens",
}


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


def _accepted(function: Any, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that a function of this package version takes."""
    parameters = inspect.signature(function).parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return dict(keywords)
    return {name: value for name, value in keywords.items() if name in parameters}
