"""Log files: size, counts by level, time range, and the important lines."""

from __future__ import annotations

import re

from sim.engine.dual.fit import Piece, gap_piece
from sim.engine.dual.lines import clip, count_lines, find_word, first_lines, last_lines, line_at, merge_starts
from sim.engine.dual.phrases import say
from sim.engine.dual.strategy import Context, Plan, distinct_lines, focus_hits

_STAMP = re.compile(
    r"\d{4}[-/]\d\d?[-/]\d\d?[T ,]+\d\d?:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d\d?/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|\d{4}年\d{1,2}月\d{1,2}日(?: ?\d\d:\d\d(?::\d\d)?)?"
)
_COUNTED = ("CRITICAL", "FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE", "错误", "警告")
_SEVERE = ("CRITICAL", "FATAL", "ERROR", "严重", "致命", "错误")


def time_range(text: str) -> tuple[str, str]:
    """First and last time stamp in the text's first and last 50 lines; empty when there are none."""
    first = next((m.group() for _, line in first_lines(text, 50) if (m := _STAMP.search(line[:300]))), "")
    last = next((m.group() for _, line in reversed(last_lines(text, 50)) if (m := _STAMP.search(line[:300]))), "")
    return first, last


def plan_log(text: str, context: Context) -> Plan:
    """Pieces of a log; severe lines before warnings, lines that differ in digits only shown once with their number."""
    s, language = context.settings, context.language
    levels = (*s.log_levels, *context.focus.levels)
    hits = {level: find_word(text, level) for level in dict.fromkeys((*_COUNTED, *levels))}
    counts = ", ".join(f"{level}: {hits[level].count}" for level in _COUNTED if hits[level].count)
    # WARNING holds WARN: the shorter word finds both.
    searched = [level for level in levels if not any(level != other and other in level for other in levels)]
    important = sum(hits[level].count for level in searched)

    severe = merge_starts(hits[level] for level in searched if level in _SEVERE)
    milder = merge_starts(hits[level] for level in searched if level not in _SEVERE)
    wanted = focus_hits(text, context.focus)
    ranked: dict[int, tuple[int, str]] = {}
    for rank, starts in ((3, wanted), (4, severe), (100, milder)):
        for order, (start, line, times) in enumerate(distinct_lines(text, starts, s.log_lines)):
            if start not in ranked:
                ranked[start] = (rank + 2 * order, clip(line, language) + (f" ×{times}" if times > 1 else ""))
    best = sorted(ranked.items(), key=lambda kv: (kv[1][0], kv[0]))[: s.log_lines]

    total = count_lines(text)
    first, last = time_range(text)
    pieces = [
        Piece(1, say("lines", language, n=total)),
        Piece(1, counts and say("levels", language, text=counts)),
        Piece(1, first and say("time", language, a=first, b=last)),
    ]
    if best:
        pieces.append(Piece(2, say("important", language, n=important)))
        pieces += [Piece(rank, line, 1) for _, (rank, line) in sorted(best)]
    else:
        start, line = line_at(text, 0)
        pieces += [Piece(8, clip(line, language), 1), gap_piece(8)]
        pieces += [Piece(8 + i, clip(line, language), 1) for i, (_, line) in enumerate(last_lines(text, 3, start + 1))]
    return Plan(pieces, total)
