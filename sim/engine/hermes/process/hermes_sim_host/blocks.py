"""Hermes's own settings blocks as the host reads them, with the package's own coercions and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_TRUE = frozenset({"1", "true", "yes", "on"})


def truthy(value: Any, default: bool) -> bool:
    """A flag as Hermes reads it: bool, number or one of the usual words."""
    if value is None:
        return default
    if isinstance(value, str):
        return value.strip().lower() in _TRUE
    return bool(value)


def whole(value: Any, default: int) -> int:
    """A whole number, the default when it is none."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return default


def positive(value: Any) -> int | None:
    """A positive whole number, else None."""
    number = whole(value, 0)
    return number if number > 0 else None


@dataclass(frozen=True)
class Blocks:
    """What the gates need of the settings.

    Attributes:
        compression: the `compression` block.
        max_attempts: passes per turn, 1 to 10.
        idle_after: seconds of idleness that allow a compaction on resume, 0 for never.
        hygiene_rows: rows at which a gateway compacts before a message.
        auxiliary_window: window of the auxiliary model, if known.
        minimum_window: smallest window the agent and its auxiliary model may have.
    """

    compression: Mapping[str, Any]
    enabled: bool
    max_attempts: int
    idle_after: int
    hygiene_rows: int
    auxiliary_window: int | None
    minimum_window: int
    max_tokens: int | None


def read(settings: Mapping[str, Any], *, auxiliary_window: int | None, max_tokens: int | None, late: bool) -> Blocks:
    """The blocks of a session; `late` for versions that read `max_attempts` and `idle_compact_after_seconds`."""
    compression = _block(settings, "compression")
    auxiliary = _block(_block(settings, "auxiliary"), "compression")
    attempts = whole(compression.get("max_attempts", 3), 3) if late else 3
    agent, model = _block(settings, "agent"), _block(settings, "model")
    return Blocks(
        compression=compression,
        enabled=truthy(compression.get("enabled"), True),
        max_attempts=min(attempts if attempts >= 1 else 3, 10),
        idle_after=max(0, whole(compression.get("idle_compact_after_seconds", 0), 0)) if late else 0,
        hygiene_rows=positive(compression.get("hygiene_hard_message_limit")) or 5_000,
        auxiliary_window=positive(auxiliary.get("context_length")) or auxiliary_window,
        minimum_window=(positive(agent.get("minimum_tool_context_length")) or 64_000) if late else 64_000,
        max_tokens=positive(model.get("max_tokens")) or max_tokens,
    )


def _block(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = settings.get(name)
    return found if isinstance(found, Mapping) else {}
