"""Fitting a compressed text into its token target: pieces are taken by rank until the target is full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.engine.dual.item import Count
from sim.engine.dual.phrases import Language, say

_MISSES = 4
"""Pieces that did not fit before the search for smaller ones is given up."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of output.

    Attributes:
        rank: 0 is always taken; lower ranks are taken first.
        text: what it says.
        lines: original lines it shows (0 for notes).
        gap: whether it is the note that says how many lines are missing; its text is then made by `fit`.
    """

    rank: int
    text: str
    lines: int = 0
    gap: bool = False


@dataclass(frozen=True, slots=True)
class Fitted:
    """Result of fitting; `why` says why the target could not be kept, empty when it was."""

    text: str
    tokens: int
    why: str = ""


def gap_piece(rank: int) -> Piece:
    """The place of the note on omitted lines."""
    return Piece(rank, "", gap=True)


def fit(pieces: Sequence[Piece], target: int, count: Count, language: Language, total_lines: int = 0) -> Fitted:
    """The best-ranked pieces that fit into `target` tokens, in their given order.

    Args:
        pieces: in output order; pieces of rank 0 are taken even when they exceed the target.
        target: most tokens of the result.
        count: token count of a text.
        language: of the note on omitted lines.
        total_lines: lines of the original, for that note.
    """
    chosen: list[int] = []
    used = misses = 0
    for index in sorted(range(len(pieces)), key=lambda i: (pieces[i].rank, i)):
        piece = pieces[index]
        text = say("omitted", language, n=total_lines) if piece.gap else piece.text
        if not text:
            continue
        if piece.rank and used >= target:
            break
        size = count(text) + 1
        if piece.rank and used + size > target:
            misses += 1
            if misses >= _MISSES:
                break
            continue
        chosen.append(index)
        used += size
    while True:
        text = _join(pieces, chosen, language, total_lines)
        tokens = count(text)
        if tokens <= target:
            return Fitted(text, tokens)
        if not chosen or pieces[chosen[-1]].rank == 0:
            return Fitted(text, tokens, f"the shortest form takes {tokens} tokens")
        chosen.pop()


def _join(pieces: Sequence[Piece], chosen: Sequence[int], language: Language, total_lines: int) -> str:
    shown = sum(pieces[i].lines for i in chosen)
    parts = []
    for index in sorted(chosen):
        piece = pieces[index]
        if not piece.gap:
            parts.append(piece.text)
        elif total_lines > shown:
            parts.append(say("omitted", language, n=total_lines - shown))
    return "\n".join(parts)
