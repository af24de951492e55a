"""In which order tool results are compressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Order = Literal["largest-first", "oldest-first", "cache-aware"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A compressible row: its place in the body, its tokens, and how many a rewrite would save."""

    row: int
    tokens: int
    saving: int


def damage(cut: int, sizes: Sequence[int], savings: Sequence[int], read: int, write: int) -> int:
    """Cache damage of rewriting rows of which `cut` is the first: everything from there on is written instead of read.

    Args:
        sizes: tokens of every row of the body.
        savings: tokens each row loses by the rewrite (0 for rows left alone).
        read, write: price of a token read from the cache, and written to it.
    """
    return (write - read) * (sum(sizes[cut:]) - sum(savings[cut:]))


def cheapest_set(sizes: Sequence[int], candidates: Sequence[Candidate], need: int) -> list[int]:
    """Rows to rewrite so that `need` tokens are saved at the least cache damage; all of them when that is not enough.

    Only the *first* rewritten row decides what stays in the cache: rows behind it are sent anew whether they are
    rewritten or not, and fewer tokens if they are. So for any first row it is best to rewrite every candidate behind
    it, and a later first row leaves less to send. The optimum is the latest first row whose tail of candidates saves
    enough: the candidates taken from the newest backwards.
    """
    chosen: list[int] = []
    saved = 0
    for candidate in sorted(candidates, key=lambda c: -c.row):
        if saved >= need:
            break
        if candidate.saving > 0:
            chosen.append(candidate.row)
            saved += candidate.saving
    chosen.reverse()
    return chosen


def in_order(rows: Sequence[tuple[int, int]], order: Order) -> list[int]:
    """Rows given as `(row, tokens)` in the order in which they are tried until the target is reached.

    `cache-aware` tries from the newest backwards, which is `cheapest_set` without having to know the savings first.
    """
    if order == "largest-first":
        return [row for row, _ in sorted(rows, key=lambda rt: (-rt[1], rt[0]))]
    return sorted((row for row, _ in rows), reverse=order == "cache-aware")
