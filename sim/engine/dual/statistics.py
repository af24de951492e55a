"""The compression log and its statistics, as typed results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sim.engine.dual.body import Pass, Rung
from sim.engine.dual.loss import Loss, add_losses


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One pass that changed the history.

    Attributes:
        at: seconds on the caller's clock.
        seconds: how long it took on that clock.
        before, after: tokens of the whole request.
        messages_compressed: rows shortened.
        messages_removed: rows taken out.
        kinds: by content kind: rows, tokens before, tokens after.
    """

    at: float
    rung: Rung
    before: int
    after: int
    messages_compressed: int
    messages_removed: int
    auxiliary_calls: int
    seconds: float
    kinds: tuple[tuple[str, int, int, int], ...]
    loss: Loss

    @property
    def ratio(self) -> float:
        """Share of the request that went away."""
        return (self.before - self.after) / self.before if self.before else 0.0


@dataclass(frozen=True, slots=True)
class KindShare:
    """Compression of one kind of content: rows, tokens before and after."""

    kind: str
    rows: int
    before: int
    after: int

    @property
    def saved(self) -> float:
        """Share of the tokens that went away."""
        return (self.before - self.after) / self.before if self.before else 0.0


@dataclass(frozen=True, slots=True)
class Statistics:
    """The chapter's statistics of a session.

    Attributes:
        total_compressions: passes that changed something.
        total_tokens_saved: sum of the tokens each took out of the request.
        average_compression_ratio: mean of their ratios, 0 when there were none.
        by_kind: largest first.
        by_rung: how often each rung fired.
        loss: everything dropped.
        timeline: the log.
    """

    total_compressions: int
    total_tokens_saved: int
    average_compression_ratio: float
    by_kind: tuple[KindShare, ...]
    by_rung: tuple[tuple[Rung, int], ...]
    loss: Loss
    timeline: tuple[LogEntry, ...]


def log_entry(done: Pass, at: float, seconds: float = 0.0) -> LogEntry:
    """The log's line for a pass."""
    kinds: dict[str, tuple[int, int, int]] = {}
    for row in done.rows:
        rows, before, after = kinds.get(row.kind, (0, 0, 0))
        kinds[row.kind] = (rows + 1, before + row.before, after + row.after)
    return LogEntry(
        at=at,
        rung=done.rung,
        before=done.before,
        after=done.after,
        messages_compressed=len(done.rows),
        messages_removed=done.removed,
        auxiliary_calls=done.asked,
        seconds=seconds,
        kinds=tuple((kind, *sizes) for kind, sizes in sorted(kinds.items())),
        loss=done.loss,
    )


def statistics(log: Sequence[LogEntry]) -> Statistics:
    """Statistics over a log (of one session or of several)."""
    rungs: dict[Rung, int] = {}
    for entry in log:
        rungs[entry.rung] = rungs.get(entry.rung, 0) + 1
    return Statistics(
        total_compressions=len(log),
        total_tokens_saved=sum(e.before - e.after for e in log),
        average_compression_ratio=sum(e.ratio for e in log) / len(log) if log else 0.0,
        by_kind=kind_shares(log),
        by_rung=tuple(sorted(rungs.items())),
        loss=add_losses(e.loss for e in log),
        timeline=tuple(log),
    )


def kind_shares(log: Iterable[LogEntry]) -> tuple[KindShare, ...]:
    """Compression by kind of content, the most tokens first."""
    sums: dict[str, tuple[int, int, int]] = {}
    for entry in log:
        for kind, rows, before, after in entry.kinds:
            r, b, a = sums.get(kind, (0, 0, 0))
            sums[kind] = (r + rows, b + before, a + after)
    shares = [KindShare(kind, *sizes) for kind, sizes in sums.items()]
    return tuple(sorted(shares, key=lambda k: (-k.before, k.kind)))
