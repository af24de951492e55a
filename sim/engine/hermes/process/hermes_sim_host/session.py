"""One session in the host: its rows, its books, its compressor and what it may be asked."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from . import blocks, plugins
from .books import Books, Prices, PruneBound
from .gauge import Fixed, Gauge
from .package import API_MODE, BASE_URL, PROVIDER, Package, PackageError
from .splices import splices

Row = dict[str, Any]


class Session:
    """State shared by both gate families; `compaction` adds one pass, the gate modules decide when it runs.

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
        self.refused_by_provider = False
        self.told: set[str] = set()
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
                **accepted(
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

    def held_back(self, site: str, pressure: int) -> None:
        """Note, once a turn and reason, that a request at or above the trigger goes out without a pass."""
        if pressure < self.trigger:
            return
        named = getattr(self.engine, "_compression_block_reason", None)
        reason = str((named() if callable(named) else None) or "").partition(":")[0]
        if not reason:
            used_up = self.attempts >= self.blocks.max_attempts
            waits = "cooldown" if self.cooldown() else "little_progress" if self.blocked else "blocked"
            reason = "attempts_exhausted" if used_up else waits
        if reason not in self.told:
            self.told.add(reason)
            self.attempt(site, reason, pressure)

    @property
    def awaiting(self) -> bool:
        """Whether the first usage after a compaction is still to come."""
        return bool(getattr(self.engine, "awaiting_real_usage_after_compression", False))

    # -- events --------------------------------------------------------------------------------------------------

    def attempt(self, site: str, reason: str, estimate: int) -> None:
        """Note a gate that fired without a change."""
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


_MICRO = {
    "micro_compact": "_micro_compact_enabled",
    "micro_compact_every_n_turns": "_micro_compact_every_n_turns",
    "micro_compact_defrag_threshold_tokens": "_micro_compact_defrag_threshold_tokens",
}


def accepted(function: Any, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that a function of this package version takes."""
    parameters = inspect.signature(function).parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return dict(keywords)
    return {name: value for name, value in keywords.items() if name in parameters}
