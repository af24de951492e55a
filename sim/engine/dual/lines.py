"""Line access to large texts without splitting them: everything here runs at the speed of `str.find`."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field

from sim.engine.dual.phrases import Language, say

CLIP = 200
"""Characters of a line that are shown at most."""


def unify(text: str) -> str:
    """Mixed line ends made one kind (`\\r\\n` and lone `\\r` become `\\n`)."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def clip(line: str, language: Language, limit: int = CLIP) -> str:
    """A line cut to `limit` characters: three quarters of its start, a quarter of its end, and what was left out."""
    line = line.rstrip()
    if len(line) <= limit:
        return line
    front = limit * 3 // 4
    return line[:front] + say("clipped", language, n=len(line) - limit) + line[len(line) - (limit - front) :]


def count_lines(text: str) -> int:
    """Lines, a last one without line end included; 0 for empty text."""
    if not text:
        return 0
    return text.count("\n") + (not text.endswith("\n"))


def first_lines(text: str, n: int) -> list[tuple[int, str]]:
    """The first `n` lines with their offsets."""
    found: list[tuple[int, str]] = []
    start = 0
    while len(found) < n and start < len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        found.append((start, text[start:stop]))
        start = stop + 1
    return found


def last_lines(text: str, n: int, floor: int = 0) -> list[tuple[int, str]]:
    """The last `n` lines that start at or after `floor`, in text order, with their offsets."""
    found: list[tuple[int, str]] = []
    stop = len(text) - (text.endswith("\n"))
    while len(found) < n and stop >= floor and text:
        start = text.rfind("\n", 0, stop) + 1
        if start < floor:
            break
        found.append((start, text[start:stop]))
        stop = start - 1
        if start == 0:
            break
    found.reverse()
    return found


def line_at(text: str, offset: int) -> tuple[int, str]:
    """The line that holds `offset`, with the offset of its start."""
    start = text.rfind("\n", 0, offset) + 1
    stop = text.find("\n", offset)
    return start, text[start : len(text) if stop < 0 else stop]


@dataclass(slots=True)
class Hits:
    """Lines that hold a word.

    Attributes:
        count: number of such lines.
        starts: offsets of the first ones and the last ones, ascending.
    """

    count: int = 0
    starts: list[int] = field(default_factory=list)


def find_word(text: str, word: str, keep: int = 100) -> Hits:
    """Lines that hold `word` (case matters); offsets of the first `keep` and the last `keep` are remembered."""
    hits = Hits()
    first: list[int] = []
    last: list[int] = []
    at = text.find(word)
    while at >= 0:
        hits.count += 1
        if len(first) < keep:
            first.append(text.rfind("\n", 0, at) + 1)
        else:
            last.append(at)
            if len(last) > 4 * keep:
                del last[: len(last) - keep]
        end = text.find("\n", at)
        if end < 0:
            break
        at = text.find(word, end + 1)
    hits.starts = first + [text.rfind("\n", 0, at) + 1 for at in last[-keep:]]
    return hits


def merge_starts(hits: Iterable[Hits]) -> list[int]:
    """Distinct line offsets of several searches, ascending."""
    merged: list[int] = []
    for start in heapq.merge(*(h.starts for h in hits)):
        if not merged or merged[-1] != start:
            merged.append(start)
    return merged
