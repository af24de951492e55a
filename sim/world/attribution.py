"""Every token of a request that was not read from cache gets a cause.

Three stretches make up a request: what the last request sent just so, what a rewrite changed or moved since, and what
was appended. Unread tokens of the first were lost by the cache itself (expiry, minimum, lookback, …), those of the
second by the rewrite that came first in the prompt, those of the third are written for the first time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sim.history import Edit
from sim.ledger import CAUSES

_OF_EDIT = {
    "compaction": "compaction",
    "micro_compaction": "compaction",
    "restart": "compaction",
    "prune": "prune",
    "mask": "prune",
    "truncation": "prune",
    "system": "system",
    "model": "model",
}
_OF_WHY = {"ttl": "ttl", "minimum": "minimum", "lookback": "lookback"}


@dataclass(frozen=True, slots=True)
class Unread:
    """Unread tokens by cause; `first_write + sum(lost.values())` is the prompt minus what was read."""

    first_write: int
    lost: dict[str, int] = field(default_factory=dict)


def attribute(
    *, sums: Sequence[int], unchanged: int, appended: int, edits: Sequence[Edit], read: int, why: str
) -> Unread:
    """Split the unread tokens of a request.

    Args:
        sums: running token sums of the prompt.
        unchanged: leading tokens equal to the last request.
        appended: trailing tokens never sent before.
        edits: rewrites since the last request.
        read: tokens read from cache.
        why: the cache's reason for unread unchanged tokens.
    """
    total = sums[-1]
    lost = dict.fromkeys(CAUSES, 0)
    if read < unchanged:
        lost[_OF_WHY.get(why, "other")] += unchanged - read
    rewritten_end = total - appended
    start = max(read, unchanged)
    ordered = sorted(edits, key=lambda e: e.first)
    for i, edit in enumerate(ordered):
        begin = sums[min(edit.first, len(sums) - 1)]
        end = sums[min(ordered[i + 1].first, len(sums) - 1)] if i + 1 < len(ordered) else rewritten_end
        tokens = min(end, rewritten_end) - max(begin, start)
        if tokens > 0:
            lost[_OF_EDIT.get(edit.cause, "other")] += tokens
            start = max(start, min(end, rewritten_end))
    if start < rewritten_end:
        lost["other"] += rewritten_end - start
    return Unread(total - max(read, rewritten_end), {cause: n for cause, n in lost.items() if n})
