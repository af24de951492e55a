"""Breakpoint caches: a prefix can be read only where an earlier request marked its end.

Rules from Anthropic's prompt-caching page (platform.claude.com/docs/en/build-with-claude/prompt-caching, as of
2026-12-01): at most four markers, each writes one entry; a read looks back 20 positions from each marker, counting
the marker's own; only written entries are found; the lifetime runs from the start of the request that wrote or read
the entry; a read refreshes it; an entry is visible from the writer's first response byte; prefixes below the model's
minimum are neither written nor read. OpenAI from GPT-5.6, Qwen's explicit cache and Kimi K3 differ by parameters only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sim.history import Prompt, Row
from sim.provider.cache.readiness import lucky, moment
from sim.provider.cache.trace import Trace, unchanged_tokens
from sim.provider.seam import Mark, Served, Why


@dataclass(frozen=True, slots=True)
class BreakpointRules:
    """Parameters of the family.

    Attributes:
        min_tokens: shortest prefix that is cached.
        lookback: positions checked from each marker, its own included.
        positions: what a position is: `blocks` (Anthropic: a run of tool calls or of results is one) or `eligible`
            (OpenAI: ends of user messages and of runs of results; the end of the opening system rows always counts).
        max_writes: markers a request may carry; the last ones win.
        ttls: lifetime of each class, seconds; alive while now - start <= lifetime.
        refresh_on_read: whether a read restarts the lifetime.
        visible, delay: when an entry can be read: `immediate`, `first_byte` or `done`, and seconds after it.
        p_hit: share of formally matching requests that are served.
        seed: of the draws for `p_hit`.
    """

    min_tokens: int = 1_024
    lookback: int = 20
    positions: str = "blocks"
    max_writes: int = 4
    ttls: Mapping[str, float] = field(default_factory=lambda: {"5m": 300.0, "1h": 3_600.0})
    refresh_on_read: bool = True
    visible: str = "first_byte"
    delay: float = 0.0
    p_hit: float = 1.0
    seed: int = 0


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
        self._traces: dict[str, Trace] = {}

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, *, first_byte: float, done: float, session: str = ""
    ) -> Served:
        """Find the longest readable prefix, then write at the markers beyond it."""
        rules = self._rules
        trace = self._traces.get(session)
        if trace is None:
            trace = self._traces[session] = Trace()
        common = trace.common(prompt)
        ordered = sorted(marks, key=lambda m: m.index)[-rules.max_writes :]
        fortunate = lucky(rules.p_hit, rules.seed, session, trace.count)
        hit = self._longest(prompt, ordered, now) if fortunate else 0
        why = self._why(prompt, trace, common, hit, fortunate, now)
        if hit and rules.refresh_on_read:
            self._entries[prompt.chain[hit]].start = now
        writes = self._billed(prompt, ordered, hit)
        visible = moment(rules.visible, rules.delay, now, first_byte, done)
        for mark in ordered:
            if prompt.sums[mark.index] >= rules.min_tokens:
                self._write(prompt.chain[mark.index], mark, now, visible)
        trace.follow(prompt, common)
        trace.sent, trace.count = len(prompt), trace.count + 1
        read = prompt.sums[hit]
        return Served(read, writes, prompt.tokens - read - sum(writes.values()), why)

    def settle(self, prompt: Prompt, done: float, *, session: str = "") -> None:
        """Generated tokens enter the cache only as part of a later marked prompt."""

    def _billed(self, prompt: Prompt, ordered: Sequence[Mark], hit: int) -> dict[str, int]:
        """Tokens written by class: read up to A, long-lived up to the last long marker after A, short up to the last.

        Anthropic's rule for mixed lifetimes; a shorter class never reaches back before a longer one.
        """
        writes: dict[str, int] = {}
        reached = hit
        last_of = {m.ttl: m.index for m in ordered}
        # Longest-lived first: those must come first in the prompt, and are billed first.
        for ttl in sorted(last_of, key=lambda t: (-self._rules.ttls[t], t)) if len(last_of) > 1 else last_of:
            last = last_of[ttl]
            if last > reached and prompt.sums[last] >= self._rules.min_tokens:
                writes[ttl] = prompt.sums[last] - prompt.sums[reached]
                reached = last
        return {ttl: tokens for ttl, tokens in writes.items() if tokens}

    def _alive(self, entry: _Entry, now: float) -> bool:
        return now - entry.start <= self._rules.ttls[entry.ttl]

    def _write(self, key: int, mark: Mark, now: float, visible: float) -> None:
        old = self._entries.get(key)
        if old is None or not self._alive(old, now):
            self._entries[key] = _Entry(now, mark.ttl, visible)
        else:
            # Alive already, or being written by a request in flight: nothing new is stored.
            old.visible = min(old.visible, visible)
            if self._rules.refresh_on_read:
                old.start = max(old.start, now)

    def _longest(self, prompt: Prompt, marks: Sequence[Mark], now: float) -> int:
        """Rows of the longest readable prefix."""
        rules, entries, chain, sums = self._rules, self._entries, prompt.chain, prompt.sums
        walk = _eligible if rules.positions == "eligible" else _blocks
        best = 0
        for mark in reversed(marks):
            if mark.index <= best:
                break
            for index in walk(prompt.rows, mark.index, rules.lookback):
                if index <= best:
                    break
                entry = entries.get(chain[index])
                if (
                    entry is not None
                    and now - entry.start <= rules.ttls[entry.ttl]
                    and entry.visible <= now
                    and sums[index] >= rules.min_tokens
                ):
                    best = index
                    break
        return best

    def _why(self, prompt: Prompt, trace: Trace, common: int, hit: int, fortunate: bool, now: float) -> Why:
        """Why tokens that the session's last request sent just so are not read."""
        if not trace.count:
            return "first"
        unchanged = unchanged_tokens(trace, prompt, common)
        if prompt.sums[hit] >= unchanged:
            return ""
        if not fortunate:
            return "best_effort"
        for index in range(min(common, trace.sent), hit, -1):
            entry = self._entries.get(prompt.chain[index])
            if entry is None:
                continue
            if not self._alive(entry, now):
                return "ttl"
            return "visibility" if entry.visible > now else "lookback"
        return "minimum" if unchanged < self._rules.min_tokens else "granularity"


def _blocks(rows: Sequence[Row], index: int, lookback: int) -> Iterator[int]:
    """Row boundaries within `lookback` positions of a marker after `rows[:index]`, longest first.

    A run of tool results is one position, a run of tool calls is one; text beside calls is one more.
    """
    used = 1
    while index > 0 and used <= lookback:
        yield index
        row = rows[index - 1]
        index -= 1
        if row.role == "tool" and index > 0 and rows[index - 1].role == "tool":
            continue  # still inside the run
        used += 2 if row.role == "assistant" and row.calls and row.has_text else 1


def _eligible(rows: Sequence[Row], index: int, lookback: int) -> Iterator[int]:
    """The marker itself, message ends that can carry an implicit marker, then the end of the opening rows."""
    yield index
    place, count = index - 1, 0
    while place > 0 and count < lookback:
        if is_eligible(rows, place):
            count += 1
            yield place
        place -= 1
    opening = opening_rows(rows)
    if 0 < opening < index:
        yield opening


def is_eligible(rows: Sequence[Row], index: int) -> bool:
    """Whether the message that ends at boundary `index` is a user message or the last of a run of tool results."""
    row = rows[index - 1]
    if row.role == "user":
        return True
    return row.role == "tool" and (index == len(rows) or rows[index].role != "tool")


def opening_rows(rows: Sequence[Row]) -> int:
    """Number of tool-schema and system rows that a request begins with."""
    count = 0
    while count < len(rows) and rows[count].role in {"tools", "system"}:
        count += 1
    return count
