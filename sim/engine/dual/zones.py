"""The sacred zone: which rows may never be changed, and which must stay in place.

A *step* is an assistant row with the tool results that follow it, or a single other row. Zones are made of whole
steps, so a tool call is never parted from its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.engine.dual.item import Item


@dataclass(frozen=True, slots=True)
class Zones:
    """Zones of a body (prefix excluded).

    Attributes:
        first_stop: rows `[:first_stop]` are the first exchange (leading system rows, user, first response).
        pinned_stop: rows `[:pinned_stop]` may not be removed: the first exchange and the results of its tool calls,
            whose *content* may still be compressed.
        recent_start: rows `[recent_start:]` are the recent zone.
        length: rows of the body.
        first_tokens, recent_tokens: sizes of the two.
    """

    first_stop: int
    pinned_stop: int
    recent_start: int
    length: int
    first_tokens: int
    recent_tokens: int

    @property
    def old(self) -> range:
        """Rows whose content may be compressed."""
        return range(self.first_stop, max(self.first_stop, self.recent_start))

    @property
    def removable(self) -> range:
        """Rows that may be taken out."""
        return range(self.pinned_stop, max(self.pinned_stop, self.recent_start))

    def sacred(self, row: int) -> bool:
        """Whether a row is never changed."""
        return row < self.first_stop or row >= self.recent_start


def step_starts(items: Sequence[Item]) -> list[int]:
    """First row of each step, ascending."""
    return [i for i, item in enumerate(items) if item.role != "tool" or i == 0]


def first_exchange(items: Sequence[Item]) -> tuple[int, int]:
    """Ends of the first exchange: rows kept verbatim, and rows that must stay (its tool results too).

    Without a response yet, everything so far belongs to it.
    """
    i = 0
    while i < len(items) and items[i].role != "assistant":
        i += 1
    if i == len(items):
        return i, i
    stop = pinned = i + 1
    while pinned < len(items) and items[pinned].role == "tool":
        pinned += 1
    return stop, pinned


def recent_start(items: Sequence[Item], budget: int) -> int:
    """Start of the longest tail of whole steps of at most `budget` tokens; the step in hand always belongs.

    The step in hand is everything the model has not yet answered: the last assistant row with its results, and
    user rows after it.
    """
    start = len(items)
    while start > 0 and items[start - 1].role == "user":
        start -= 1
    if start > 0 and (start == len(items) or items[start - 1].role == "tool"):
        while start > 0 and items[start - 1].role == "tool":
            start -= 1
        start = max(start - 1, 0)
    tokens = sum(item.tokens for item in items[start:])
    end, position = start, start
    while position > 0:
        position -= 1
        tokens += items[position].tokens
        if tokens > budget:
            break
        if items[position].role != "tool" or position == 0:
            end = position
    return end


def find_zones(items: Sequence[Item], recent_budget: int, *, keep_first: bool = True) -> Zones:
    """Zones of a body.

    Args:
        items: chat rows in order, prefix excluded (leading system rows are taken as part of the first exchange).
        recent_budget: most tokens of the recent zone.
        keep_first: whether the first exchange is sacred (leading system rows always are).
    """
    if keep_first:
        stop, pinned = first_exchange(items)
    else:
        stop = 0
        while stop < len(items) and items[stop].role == "system":
            stop += 1
        pinned = stop
    start = max(recent_start(items, recent_budget), stop)
    first_tokens = sum(item.tokens for item in items[:stop])
    return Zones(stop, pinned, start, len(items), first_tokens, sum(item.tokens for item in items[start:]))
