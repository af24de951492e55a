"""Tables: column names, number of rows, statistics of columns, first and last rows."""

from __future__ import annotations

import csv
import io
import re

from sim.engine.dual.fit import Piece, gap_piece
from sim.engine.dual.lines import clip, count_lines, first_lines, last_lines
from sim.engine.dual.phrases import Language, say
from sim.engine.dual.strategy import Context, Plan

_MOST_ROWS = 5_000
"""Rows that column statistics look at; said in the output when the table is longer."""
_RULE = re.compile(r"[\s|+:=-]+")
_NUMBER = re.compile(r"[-+]?\d[\d_]*(?:[.,]\d+)?(?:[eE][-+]?\d+)?%?")


def cells_of(line: str, delimiter: str) -> list[str]:
    """Cells of one line."""
    if delimiter == "  ":
        return re.split(r"\s{2,}", line.strip())
    if delimiter == "|":
        return [cell.strip() for cell in line.strip().strip("|").split("|")]
    if '"' in line:
        try:
            return next(csv.reader(io.StringIO(line), delimiter=delimiter), [])
        except csv.Error:
            return line.split(delimiter)
    return line.split(delimiter)


def plan_table(text: str, context: Context, delimiter: str) -> Plan:
    """Pieces of a table with a header line."""
    s, language = context.settings, context.language
    sampled = [
        line[:2_000] for _, line in first_lines(text, _MOST_ROWS + 3) if line.strip() and not _RULE.fullmatch(line)
    ]
    header, rows = (sampled[0] if sampled else ""), sampled[1:]
    total = max(count_lines(text) - 1, 0)
    names = cells_of(header, delimiter)
    pieces = [
        Piece(1, say("columns", language, text=clip(header, language))),
        Piece(1, say("rows", language, n=total)),
    ]
    for i, line in enumerate(_statistics(names, rows, delimiter, language)):
        pieces.append(Piece(3 + 2 * i, line))
    matching = [r for r in rows if any(t in r for t in context.focus.terms[:8])][:3] if context.focus.terms else []
    head = rows[: s.table_head_rows]
    pieces += [Piece(2 + i, clip(line, language), 1) for i, line in enumerate(matching) if line not in head]
    pieces += [Piece(4 + 2 * i, clip(line, language), 1) for i, line in enumerate(head)]
    if len(rows) > len(head):
        pieces.append(gap_piece(9))
        tail = [line for _, line in last_lines(text, s.table_tail_rows) if line.strip()]
        pieces += [Piece(9 + 2 * (len(tail) - i), clip(line, language), 1) for i, line in enumerate(tail)]
    return Plan(pieces, total)


def _statistics(names: list[str], rows: list[str], delimiter: str, language: Language) -> list[str]:
    columns: list[list[str]] = [[] for _ in names]
    for row in rows[:_MOST_ROWS]:
        for column, cell in zip(columns, cells_of(row, delimiter), strict=False):
            column.append(cell.strip())
    said = []
    for name, column in zip(names, columns, strict=True):
        label = clip(name.strip(), language, 40)
        numbers = [_to_float(cell) for cell in column if cell and _NUMBER.fullmatch(cell)]
        if column and len(numbers) * 10 >= len(column) * 9:
            mean = sum(numbers) / len(numbers)
            said.append(
                say("range", language, name=label, a=f"{min(numbers):g}", b=f"{max(numbers):g}", c=f"{mean:.4g}")
            )
        elif column:
            said.append(say("distinct", language, name=label, n=len(set(column))))
    return said


def _to_float(cell: str) -> float:
    return float(cell.rstrip("%").replace("_", "").replace(",", "."))
