"""Output of commands and code: head, error lines, tail, and the result line."""

from __future__ import annotations

import re

from sim.engine.dual.fit import Piece, gap_piece
from sim.engine.dual.lines import Hits, clip, count_lines, find_word, first_lines, last_lines, line_at, merge_starts
from sim.engine.dual.phrases import say
from sim.engine.dual.strategy import Context, Plan, distinct_lines, focus_hits

ERROR_WORDS = (
    "Error", "Exception", "Traceback", "Warning", "error:", "ERROR", "warning:", "FAILED", "fatal", "panic", "错误",
    "异常", "失败", "警告",
)  # fmt: skip
_OUTCOMES = ("PASSED", "FAILED", "SKIPPED", "XFAIL", "XPASS")
_VERDICT = re.compile(
    r"\b\d+ (?:passed|failed|errors?|skipped|warnings?)\b|exit(?:ed)?(?: with)?(?: code)?[ :]\d+|退出码"
)


def find_errors(text: str) -> tuple[int, list[int]]:
    """Lines that tell of an error: how many (a line with two words counts once up to 200 a word) and their offsets."""
    hits: list[Hits] = [h for h in (find_word(text, word) for word in ERROR_WORDS) if h.count]
    starts = merge_starts(hits)
    most = max((h.count for h in hits), default=0)
    return max(most, len(starts)), starts


def plan_code_output(text: str, context: Context) -> Plan:
    """Pieces of a command's output; the chapter's 20 head, 5 error and 10 tail lines are the most it shows."""
    s, language = context.settings, context.language
    total = count_lines(text)
    head = first_lines(text, s.head_lines)
    floor = head[-1][0] + len(head[-1][1]) + 1 if head else 0
    tail = last_lines(text, s.tail_lines, floor)
    shown = {start for start, _ in (*head, *tail)}

    error_count, starts = find_errors(text)
    if len(starts) <= s.error_lines:
        errors = [(start, line_at(text, start)[1], 1) for start in starts]
    else:
        errors = distinct_lines(text, starts, 40)
    if len(errors) > s.error_lines > 0:
        errors = [*errors[: s.error_lines - 1], errors[-1]]
    errors = errors[: s.error_lines]
    wanted = [start for start in focus_hits(text, context.focus) if start not in shown][:12]

    outcome = _outcomes(text)
    pieces: list[Piece] = [Piece(1, outcome and say("passed", language, text=outcome))]
    for i, (_, line) in enumerate(head):
        pieces.append(Piece(10 + i, clip(line, language), 1))
    listed = [e for e in errors if e[0] not in shown]
    if listed:
        pieces.append(Piece(2, say("errors", language, n=error_count)))
    for i, (_, line, times) in enumerate(listed):
        pieces.append(Piece(3 + i, clip(line, language) + (f" ×{times}" if times > 1 else ""), 1))
    for i, start in enumerate(wanted):
        pieces.append(Piece(4 + i, clip(line_at(text, start)[1], language), 1))
    pieces.append(gap_piece(2))
    for i, (_, line) in enumerate(tail):
        rank = 1 if _VERDICT.search(line[:500]) else 9 + len(tail) - i
        pieces.append(Piece(rank, clip(line, language), 1))
    return Plan(pieces, total)


def _outcomes(text: str) -> str:
    if "PASSED" not in text and "FAILED" not in text:
        return ""
    counts = ((word, find_word(text, word, 1).count) for word in _OUTCOMES)
    return ", ".join(f"{n} {word}" for word, n in counts if n)
