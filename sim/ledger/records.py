"""One flat record for each thing that happened; every figure and table is a query over these.

Money is integer pico-dollars (10**-12 USD), tokens are integers, times are seconds since the session's start.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One model request, main or auxiliary.

    `input_tokens = cache_read_tokens + cache_write_tokens + fresh_tokens` holds on every row. The `lost_*` counts
    split the tokens that were not read by cause, `first_write_tokens` those never sent before; together they are
    `input_tokens - cache_read_tokens`.
    """

    arm: str
    replication: int
    session: str
    call: int
    """1-based over the main calls of the session; an auxiliary call carries the number of the main call it precedes."""
    turn: int
    """1-based turn within the session."""
    kind: str
    """`main`, `auxiliary`, `ping`."""
    started_by: str
    """`user`, `tool`, or the task of an auxiliary call."""
    model: str
    started_s: float
    ended_s: float
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_write_long_tokens: int
    """Part of `cache_write_tokens` written to a longer-lived class (1 h, 12 h)."""
    fresh_tokens: int
    output_tokens: int
    estimate_tokens: int
    """The engine's own size of the request, 0 when it keeps none."""
    rows: int
    first_write_tokens: int
    lost_compaction_tokens: int
    lost_prune_tokens: int
    lost_ttl_tokens: int
    lost_minimum_tokens: int
    lost_system_tokens: int
    lost_model_tokens: int
    lost_lookback_tokens: int
    lost_other_tokens: int
    cost_read_pico: int
    cost_write_pico: int
    cost_fresh_pico: int
    cost_output_pico: int
    cost_storage_pico: int
    penalty_pico: int
    """What the lost tokens cost above the read price."""
    outcome: str
    """`ok`; not billed: `overflow`, `rate_limit`, `overloaded` (the row lasts until the next attempt), `budget`; or the
    failure kind of an auxiliary call."""


@dataclass(frozen=True, slots=True)
class RewriteRecord:
    """One rewrite, or one attempt that changed nothing (`kind` is then `attempt`)."""

    arm: str
    replication: int
    session: str
    call: int
    """Main call that comes next."""
    turn: int
    kind: str
    site: str
    note: str
    at_s: float
    estimate_before: int
    estimate_after: int
    tokens_before: int
    """Billed tokens of the whole request before."""
    tokens_after: int
    """Landing: billed tokens of the whole request after."""
    rows_before: int
    rows_after: int
    kept_prefix_tokens: int
    """Billed tokens before the first changed row, which stay cacheable."""
    auxiliary_calls: int
    auxiliary_tokens: int
    dropped: str = ""
    """What was lost, as JSON of flat figures, for engines that measure it; empty otherwise."""


@dataclass(frozen=True, slots=True)
class BreakRecord:
    """Tokens that had been sent before and were not read from cache, one row per call and cause."""

    arm: str
    replication: int
    session: str
    call: int
    turn: int
    at_s: float
    cause: str
    tokens: int
    penalty_pico: int


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One session under one arm."""

    arm: str
    replication: int
    session: str
    end: str
    """`finished`, `cut_off`, `overflow`, `failed`, `budget` (the account's money was spent)."""
    calls: int
    turns: int
    tool_calls: int
    compactions: int
    prunes: int
    attempts: int
    auxiliary_calls: int
    peak_tokens: int
    duration_s: float
    input_tokens: int
    cost_pico: int
    trigger_tokens: int
    """Resolved trigger, -1 when the engine never fires."""
    first_fire_estimate: int
    """The engine's figure at its first threshold compaction, -1 if none."""
    facts_verbatim: int = 0
    """Planted facts that stood in their tool result when they were needed."""
    facts_summarised: int = 0
    facts_recoverable: int = 0
    facts_gone: int = 0
    repeated_calls: int = 0
    """Tool calls made again because their result was no longer seen."""
    group: str = ""
    """The fleet's group, empty outside fleets."""
    started_at_s: float = 0.0
    """Start, counted from the start of the replication's span."""
    waited_s: float = 0.0
    """Time that requests waited for the account's limits."""
    refused_requests: int = 0
    """Requests turned away by the account's limits, `rate_limit` and `overloaded` rows of `calls`."""


CAUSES = ("compaction", "prune", "ttl", "minimum", "system", "model", "lookback", "other")
"""Causes of a break, in the order of the `lost_*` columns."""


@dataclass(slots=True)
class Ledger:
    """Rows of one block of work, in the order things happened."""

    calls: list[CallRecord] = field(default_factory=list)
    rewrites: list[RewriteRecord] = field(default_factory=list)
    breaks: list[BreakRecord] = field(default_factory=list)
    sessions: list[SessionRecord] = field(default_factory=list)

    def extend(self, other: Ledger) -> None:
        """Append another block's rows."""
        self.calls += other.calls
        self.rewrites += other.rewrites
        self.breaks += other.breaks
        self.sessions += other.sessions


TABLES: dict[str, type] = {
    "calls": CallRecord,
    "rewrites": RewriteRecord,
    "breaks": BreakRecord,
    "sessions": SessionRecord,
}
"""Table name → record type; the file is `<name>.parquet`."""
