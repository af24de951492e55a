"""Whether a preset's first request fits a context window at all."""

from __future__ import annotations

import numpy as np

from sim.errors import InputError
from sim.workload.preset import Preset
from sim.workload.synthetic import nominal_prefix


def first_prompt_tokens(preset: Preset) -> int:
    """Tokens of a typical first request: prefix at the default memory limits, and a median first message."""
    first = preset.first_user or preset.user
    return nominal_prefix(preset) + round(float(np.median(first.draws(np.random.default_rng(0), 999))))


def require_room(preset: Preset, window: int) -> None:
    """Refuse a preset whose sessions cannot make even their first call.

    Args:
        window: context window, tokens.

    Raises:
        InputError: the first request is as large as the window, or larger.
    """
    first = first_prompt_tokens(preset)
    if first < window:
        return
    parts = {name: getattr(preset.prefix, name) for name in ("tools_tokens", "mcp_tokens", "skills_tokens")}
    largest = max(parts, key=lambda name: parts[name])
    raise InputError(
        f"preset {preset.name!r} starts with about {first:,} tokens, and the window holds {window:,}",
        rule="the first request must fit the window",
        remedy=f"choose a larger `model.window`, or lower `prefix.{largest}` (now {parts[largest]:,}) of the workload",
    )
