"""What an engine made of its settings: the real trigger, and the rule that set it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .compaction import lower_to
from .package import ARGUMENTS, Package
from .session import Session

_MICRO_KEYS = ("micro_compact", "micro_compact_every_n_turns", "micro_compact_defrag_threshold_tokens")


def info(session: Session) -> dict[str, Any]:
    """Resolved figures of a session that has just been opened."""
    engine, blocks = session.engine, session.blocks
    if not blocks.enabled:
        return _result(session, None, "disabled", None, None)
    trigger = session.trigger
    rule = f"context_engine {engine.name}" if session.plugin else _rule(session, trigger)
    window = blocks.auxiliary_window
    if window is not None and blocks.minimum_window <= window < trigger:
        lower_to(engine, window)
        trigger, rule = window, "auxiliary_window"
    tail = getattr(engine, "tail_token_budget", None)
    tail = tail if isinstance(tail, int) else None
    kept = None
    if tail is not None:
        ceiling = getattr(engine, "_tail_soft_ceiling", None)
        kept = int(ceiling(tail)) if callable(ceiling) else int(tail * 1.5)
    return _result(session, trigger, rule, tail, kept)


def _rule(session: Session, trigger: int) -> str:
    """Which step of the trigger's rule decided it (facts of the engine, section 2)."""
    engine, compression = session.engine, session.blocks.compression
    bare = {key: value for key, value in compression.items() if key != "threshold_tokens"}
    uncapped = session.package.build(
        session.model, session.window, session.blocks.max_tokens, bare, session.blocks.minimum_window
    )
    without_cap = int(uncapped.threshold_tokens)
    if trigger < without_cap:
        return "threshold_tokens"
    window, reserved = int(engine.context_length), getattr(engine, "max_tokens", None) or 0
    room = window - reserved if window > reserved else window
    ratio = float(engine.threshold_percent)
    if trigger == int(room * ratio):
        # 0.19 keeps no ratio before its floor: there the configured one is what was asked for.
        asked = float(getattr(engine, "_base_threshold_percent", compression.get("threshold", 0.5)))
        if ratio > asked + 1e-12:
            return "floor_75"
        configured = compression.get("threshold", 0.5)
        return "threshold" if abs(asked - float(configured)) < 1e-9 else "model_thresholds"
    if trigger == session.blocks.minimum_window:
        return "floor_64k"
    return "degenerate_85"


def _result(session: Session, trigger: int | None, rule: str, tail: int | None, kept: int | None) -> dict[str, Any]:
    engine, blocks = session.engine, session.blocks
    refuses = session.window < blocks.minimum_window
    details: dict[str, Any] = {
        "threshold_percent": getattr(engine, "threshold_percent", None),
        "max_tokens": getattr(engine, "max_tokens", None),
        "tail_mode": getattr(engine, "tail_mode", None if session.plugin else "legacy"),
        "protect_first_n": getattr(engine, "protect_first_n", None),
        "protect_last_n": getattr(engine, "protect_last_n", None),
        "max_summary_tokens": getattr(engine, "max_summary_tokens", None),
        "max_attempts": blocks.max_attempts,
        "idle_compact_after_seconds": blocks.idle_after,
        "hygiene_hard_message_limit": blocks.hygiene_rows,
        "auxiliary_window": blocks.auxiliary_window,
        "proactive_prune_tokens": int(getattr(engine, "proactive_prune_tokens", 0) or 0),
        "proactive_prune_min_reclaim_tokens": int(getattr(engine, "proactive_prune_min_reclaim_tokens", 0) or 0),
        "proactive_prune_min_result_chars": int(getattr(engine, "proactive_prune_min_result_chars", 0) or 0),
        "idle_floor_tokens": _idle_floor(session, trigger),
        "minimum_window": blocks.minimum_window,
        "agent_refuses_window": refuses,
        "auxiliary_window_refused": blocks.auxiliary_window is not None
        and blocks.auxiliary_window < blocks.minimum_window,
    }
    return {
        "trigger": trigger,
        "rule": rule,
        "tail": tail,
        "kept": kept,
        "details": details,
        "ignored": ignored(session.package, blocks.compression),
    }


def _idle_floor(session: Session, trigger: int | None) -> int | None:
    ratio = getattr(session.engine, "summary_target_ratio", None)
    if trigger is None or session.blocks.idle_after <= 0 or ratio is None:
        return None
    return int(trigger * ratio)


def ignored(package: Package, compression: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Settings given that this version's constructor or host does not read."""
    able = package.capabilities
    found: list[tuple[str, str, str]] = []

    def say(key: str) -> None:
        found.append((f"compression.{key}", str(compression[key]), f"{able['version']} has no such setting"))

    for key, argument in ARGUMENTS.items():
        if key in compression and compression[key] is not None and argument not in package.signature:
            say(key)
    for key, capability in (("max_attempts", "max_attempts"), ("idle_compact_after_seconds", "idle")):
        if key in compression and not able[capability]:
            say(key)
    for key in _MICRO_KEYS:
        if key in compression and not able["micro"]:
            say(key)
    return found
