"""What every strategy is given and returns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sim.engine.dual.fit import Piece
from sim.engine.dual.focus import NO_FOCUS, Focus
from sim.engine.dual.lines import Hits, find_word, line_at, merge_starts
from sim.engine.dual.phrases import Language
from sim.engine.dual.settings import DualSettings

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Context:
    """Settings, language of the notes, and what the agent is after."""

    settings: DualSettings
    language: Language
    focus: Focus = NO_FOCUS


@dataclass(frozen=True, slots=True)
class Plan:
    """Pieces a strategy would show, and how many lines the original has (0: no note on omitted lines)."""

    pieces: Sequence[Piece]
    total_lines: int = 0


def focus_hits(text: str, focus: Focus, *, each: int = 4) -> list[int]:
    """Offsets of lines that hold a focus term; terms on more than a twentieth of the lines are left out."""
    if not focus.terms:
        return []
    ceiling = max(text.count("\n") // 20, 8)
    hits: list[Hits] = []
    for term in focus.terms:
        found = find_word(text, term, each)
        if 0 < found.count <= ceiling:
            hits.append(found)
    return merge_starts(hits)


def distinct_lines(text: str, starts: Sequence[int], most: int) -> list[tuple[int, str, int]]:
    """Lines at the given offsets, those that differ in digits only shown once: (offset, line, how often)."""
    seen: dict[str, int] = {}
    found: list[tuple[int, str, int]] = []
    for start in starts:
        line = line_at(text, start)[1][:2_000]
        shape = _DIGITS.sub("#", line[:300])
        if shape in seen:
            offset, shown, times = found[seen[shape]]
            found[seen[shape]] = (offset, shown, times + 1)
        elif len(found) < most:
            seen[shape] = len(found)
            found.append((start, line, 1))
    return found
