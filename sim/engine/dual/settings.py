"""Settings of the dual system; the defaults are the chapter's numbers, or what makes them workable (docs/dual.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from sim.errors import ScenarioError
from sim.units import parse_share, parse_tokens

Tokens = Annotated[int, BeforeValidator(parse_tokens)]
Share = Annotated[float, BeforeValidator(parse_share)]

IMPORTANT_LEVELS = ("ERROR", "CRITICAL", "FATAL", "WARN", "WARNING", "错误", "严重", "致命", "警告")


class DualSettings(BaseModel):
    """Every knob of the dual system. Token counts take `20K`, shares take `75%`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    # controller
    trigger: Share = Field(default=0.75, gt=0, le=1)
    """Compress when the request is larger than this share of the window."""
    target: Share = Field(default=0.50, gt=0, le=1)
    """Stop compressing at this share."""
    min_reclaim: Share = Field(default=0.02, ge=0, le=1)
    """A pass that would free less than this share of the window is not worth the cache it breaks, and is left out
    (unless the request would not fit otherwise)."""
    order: Literal["largest-first", "oldest-first", "cache-aware"] = "largest-first"

    # sacred zone
    recent: Literal["fixed", "adaptive"] = "fixed"
    recent_tokens: Tokens = Field(default=20_000, ge=0)
    """Most recent tokens kept verbatim, in whole steps; the step in hand is kept whatever its size."""
    recent_share: Share = Field(default=0.25, ge=0, le=1)
    """The recent zone is never more than this share of the window, so that small windows stay usable."""
    adaptive_min_tokens: Tokens = Field(default=5_000, ge=0)
    adaptive_max_tokens: Tokens = Field(default=40_000, ge=0)
    adaptive_steps: int = Field(default=18, ge=1)
    """Steps an adaptive zone should hold (the chapter says 15-20)."""
    adaptive_quantile: Share = Field(default=0.9, ge=0, le=1)
    """Share of the agent's back-references an adaptive zone should reach."""
    first_exchange: bool = True
    """Keep the first user message and the first response verbatim for ever."""
    small_window: Literal["shrink", "error"] = "shrink"
    """What to do when prefix, first exchange and recent zone together exceed the trigger."""

    # tool results
    result_threshold_tokens: Tokens = Field(default=500, ge=1)
    result_target_tokens: Tokens = Field(default=150, ge=1)
    head_lines: int = Field(default=20, ge=0)
    error_lines: int = Field(default=5, ge=0)
    tail_lines: int = Field(default=10, ge=0)
    log_lines: int = Field(default=20, ge=0)
    log_levels: tuple[Annotated[str, Field(min_length=1)], ...] = IMPORTANT_LEVELS
    table_head_rows: int = Field(default=5, ge=0)
    table_tail_rows: int = Field(default=3, ge=0)
    json_samples: int = Field(default=2, ge=0)
    json_depth: int = Field(default=4, ge=1, le=50)
    outline_parser: Literal["auto", "lines"] = "auto"
    """`auto`: Python's own parser, tree-sitter where installed, else the line outline; `lines`: line outline only."""
    summaries: Literal["model", "extract"] = "model"
    """How prose and other files are summarised: by the auxiliary model, or by leading and closing lines."""
    summary_characters: int = Field(default=3_000, ge=1)
    summary_tokens: Tokens = Field(default=150, ge=1)
    summary_model: str | None = None
    context_aware: bool = False
    """Let the task and the recent calls steer what is kept."""
    language: Literal["auto", "en", "zh"] = "auto"
    """Language of the notes left in the history; `auto` follows the text."""

    # fallback ladder; each rung fires only if the one before left more than its mark
    aggressive_above: Share = Field(default=0.70, gt=0)
    truncate_above: Share = Field(default=0.75, gt=0)
    restart_above: Share = Field(default=0.95, gt=0)
    aggressive_target_tokens: Tokens = Field(default=40, ge=1)
    restart_summary_tokens: Tokens = Field(default=500, ge=1)
    restart_cold: bool = True
    """A restarted session gets a new session line in its system prompt, so its cache starts cold from there."""

    # accounting
    fact_pattern: str = ""
    """Regular expression of planted facts, for retention accounting; empty: none are planted."""

    @field_validator("log_levels", mode="before")
    @classmethod
    def _tuple(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("fact_pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return value

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.target >= self.trigger:
            raise ValueError(f"target {self.target} must be below trigger {self.trigger}")
        if self.result_target_tokens >= self.result_threshold_tokens:
            raise ValueError("result_target_tokens must be below result_threshold_tokens")
        if not self.aggressive_above <= self.truncate_above <= self.restart_above:
            raise ValueError("aggressive_above, truncate_above, restart_above must ascend, or a rung is never reached")
        if self.adaptive_min_tokens > self.adaptive_max_tokens:
            raise ValueError("adaptive_min_tokens must not exceed adaptive_max_tokens")
        return self


def read_settings(data: Mapping[str, Any] | None) -> DualSettings:
    """Settings from a scenario's `dual:` block (None or empty: all defaults).

    Raises:
        ScenarioError: an unknown key, a wrong type, or values that contradict each other.
    """
    rule, remedy = "settings of engine dual", "see docs/dual.md for the keys and their ranges"
    if data is not None and not (isinstance(data, Mapping) and all(isinstance(key, str) for key in data)):
        raise ScenarioError(f"dual: {str(data)[:80]!r} is not a block of named settings", rule=rule, remedy=remedy)
    try:
        return DualSettings(**dict(data or {}))
    except ValidationError as error:
        parts = []
        for item in error.errors():
            key = ".".join(str(p) for p in item["loc"]) or "dual"
            parts.append(f"{key}: {item['msg'].removeprefix('Value error, ')}")
        raise ScenarioError("; ".join(parts), rule=rule, remedy=remedy) from error
