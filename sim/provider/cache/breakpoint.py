"""Breakpoint caches: a prefix can be read only where an earlier request marked its end.

Rules from Anthropic's prompt-caching page (platform.claude.com/docs/en/build-with-claude/prompt-caching, as of
2026-12-01): at most four markers, each writes one entry; a read looks back 20 positions from each marker, counting
the marker's own; only written entries are found; the lifetime runs from the start of the request that wrote or read
the entry; a read refreshes it; an entry is visible from the writer's first response byte; prefixes below the model's
minimum are neither written nor read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sim.history import Prompt, Row
from sim.provider.seam import Mark, Served, Why


@dataclass(frozen=True, slots=True)
class BreakpointRules:
    """Parameters of the family.

    Attributes:
        min_tokens: shortest prefix that is cached.
        lookback: positions checked from each marker, its own included.
        max_writes: markers a request may carry; the last ones win.
        ttls: lifetime of each class, seconds; alive while now - start <= lifetime.
        refresh_on_read: whether a read restarts the lifetime.
    """

    min_tokens: int = 1_024
    lookback: int = 20
    max_writes: int = 4
    ttls: Mapping[str, float] = field(default_factory=lambda: {"5m": 300.0, "1h": 3_600.0})
    refresh_on_read: bool = True


@dataclass(slots=True)
class _Entry:
    start: float
    ttl: str
    visible: float


class BreakpointCache:
    """One scope of a breakpoint cache; the cost of a request does not depend on the prompt's length."""

    def __init__(self, rules: BreakpointRules) -> None:
        self._rules = rules
        self._entries: dict[int, _Entry] = {}

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, *, first_byte: float, done: float, session: str = ""
    ) -> Served:
        """Find the longest readable prefix, then write at the markers beyond it."""
        rules = self._rules
        ordered = sorted(marks, key=lambda m: m.index)[-rules.max_writes :]
        hit, why = self._longest(prompt, ordered, now)
        read = prompt.sums[hit]
        if hit:
            entry = self._entries[prompt.chain[hit]]
            if rules.refresh_on_read:
                entry.start = now
        writes: dict[str, int] = {}
        reached = hit
        for ttl in _by_lifetime(ordered, rules.ttls):
            last = max((m.index for m in ordered if m.ttl == ttl), default=0)
            if last > reached and prompt.sums[last] >= rules.min_tokens:
                writes[ttl] = prompt.sums[last] - prompt.sums[reached]
                reached = last
        for mark in ordered:
            if prompt.sums[mark.index] >= rules.min_tokens:
                self._write(prompt.chain[mark.index], mark, now, first_byte)
        fresh = prompt.tokens - read - sum(writes.values())
        return Served(read, {k: n for k, n in writes.items() if n}, fresh, why)

    def settle(self, prompt: Prompt, done: float, *, session: str = "") -> None:
        """Generated tokens enter the cache only as part of a later marked prompt."""

    def _write(self, key: int, mark: Mark, now: float, first_byte: float) -> None:
        old = self._entries.get(key)
        if old is not None and now - old.start <= self._rules.ttls[old.ttl]:
            # Alive already: a marker on it is a read, which keeps the longer lifetime.
            if self._rules.refresh_on_read:
                old.start = max(old.start, now)
            if self._rules.ttls[mark.ttl] > self._rules.ttls[old.ttl]:
                old.ttl = mark.ttl
            return
        self._entries[key] = _Entry(now, mark.ttl, first_byte)

    def _longest(self, prompt: Prompt, marks: Sequence[Mark], now: float) -> tuple[int, Why]:
        """Index of the longest readable prefix, and why nothing longer was read."""
        why: Why = "lookback"
        for mark in reversed(marks):
            for index in _positions(prompt.rows, mark.index, self._rules.lookback):
                entry = self._entries.get(prompt.chain[index])
                if entry is None:
                    continue
                if prompt.sums[index] < self._rules.min_tokens:
                    why = "minimum"
                elif now - entry.start > self._rules.ttls[entry.ttl]:
                    why = "ttl"
                elif now < entry.visible:
                    why = "visibility"
                else:
                    return index, why
        if marks and prompt.sums[marks[-1].index] < self._rules.min_tokens:
            why = "minimum"
        return 0, why


def _positions(rows: Sequence[Row], index: int, lookback: int) -> list[int]:
    """Row boundaries within `lookback` positions of a marker after `rows[:index]`, longest first.

    A run of tool results is one position, a run of tool calls is one; an assistant row with text and calls is two.
    """
    found = []
    used = 1
    while index > 0 and used <= lookback:
        found.append(index)
        row = rows[index - 1]
        index -= 1
        if row.role == "tool" and index > 0 and rows[index - 1].role == "tool":
            continue  # still inside the run
        used += 2 if row.role == "assistant" and row.calls and row.has_text else 1
    return found


def _by_lifetime(marks: Sequence[Mark], ttls: Mapping[str, float]) -> list[str]:
    """Classes in use, longest-lived first: those must come first in the prompt, and are billed first."""
    return sorted({m.ttl for m in marks}, key=lambda t: (-ttls[t], t))
