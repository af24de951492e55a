"""What a rewrite changed, as stretches of the old list and the rows that stand there now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
_NOT_SENT = frozenset({"timestamp", "display_kind", "display_metadata"})


def sent(row: Row) -> dict[str, Any]:
    """A row as the provider sees it: without the host's own bookkeeping keys, in the same key order."""
    return {key: value for key, value in row.items() if not key.startswith("_") and key not in _NOT_SENT}


def same(a: Row, b: Row) -> bool:
    """Whether two rows are the same to the provider: by identity first, by value second."""
    if a is b:
        return True
    if a.get("role") != b.get("role"):
        return False
    mine, theirs = a.get("content"), b.get("content")
    if mine is not theirs and mine != theirs:
        return False
    return a == b or sent(a) == sent(b)


def _partners(a: Row, b: Row) -> bool:
    """Whether `b` stands where `a` stood, its text changed or not."""
    if a.get("role") != b.get("role") or a.get("tool_call_id") != b.get("tool_call_id"):
        return False
    if a.get("role") == "tool":
        return True
    mine, theirs = a.get("tool_calls") or (), b.get("tool_calls") or ()
    return bool(mine) and [call.get("id") for call in mine] == [call.get("id") for call in theirs]


def splices(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[int, int, list[dict[str, Any]]]]:
    """Replaced stretches `(start, stop, rows)` over `old`, ascending and disjoint; empty when nothing changed."""
    if len(old) == len(new):
        return _merge([(i, i + 1, [sent(b)]) for i, (a, b) in enumerate(zip(old, new, strict=True)) if not same(a, b)])
    limit = min(len(old), len(new))
    head = 0
    while head < limit and same(old[head], new[head]):
        head += 1
    tail: list[tuple[int, int, list[dict[str, Any]]]] = []
    kept = 0
    while kept < limit - head:
        a, b = old[len(old) - 1 - kept], new[len(new) - 1 - kept]
        if not same(a, b):
            if not _partners(a, b):
                break
            tail.append((len(old) - 1 - kept, len(old) - kept, [sent(b)]))
        kept += 1
    middle = (head, len(old) - kept, [sent(row) for row in new[head : len(new) - kept]])
    return _merge([middle, *reversed(tail)])


def _merge(found: list[tuple[int, int, list[dict[str, Any]]]]) -> list[tuple[int, int, list[dict[str, Any]]]]:
    merged: list[tuple[int, int, list[dict[str, Any]]]] = []
    for start, stop, rows in found:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], stop, merged[-1][2] + rows)
        else:
            merged.append((start, stop, rows))
    return merged
