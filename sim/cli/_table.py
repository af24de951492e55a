"""Rows as a table for people, as CSV, or as JSON."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.cli import _out


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a printed table.

    Attributes:
        key: of the row.
        title: heading.
        right: numbers stand right.
    """

    key: str
    title: str
    right: bool = False
    wrap: bool = False
    style: str | None = None


def flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested mappings as dotted keys; lists joined by `; `."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            out.update(flat(value, f"{prefix}{key}."))
        elif isinstance(value, (list, tuple)):
            out[prefix + key] = "; ".join(
                " ".join(map(str, v.values())) if isinstance(v, Mapping) else str(v) for v in value
            )
        else:
            out[prefix + key] = value
    return out


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """CSV with the union of all keys as header; empty for null."""
    flats = [flat(row) for row in rows]
    names = list(dict.fromkeys(key for row in flats for key in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n", restval="")
    writer.writeheader()
    for row in flats:
        writer.writerow({k: "" if v is None else v for k, v in row.items()})
    sys.stdout.write(out.getvalue())


def print_table(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[Column], *, title: str | None = None, lines: bool = False
) -> None:
    """A table as wide as the terminal allows; cells may hold line breaks and rich markup is not read."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD if not lines else box.SIMPLE,
        title=title,
        title_justify="left",
        title_style="bold",
        header_style="bold",
        pad_edge=False,
        show_edge=False,
        show_lines=lines,
        padding=(0, 1),
        collapse_padding=True,
    )
    for column in columns:
        table.add_column(
            column.title,
            justify="right" if column.right else "left",
            no_wrap=not column.wrap,
            overflow="fold" if column.wrap else "ellipsis",
            style=column.style,
        )
    for row in rows:
        table.add_row(*(_cell(row.get(c.key), Text) for c in columns))
    _out.emit(table)


def _cell(value: Any, text: Any) -> Any:
    if isinstance(value, text):
        return value
    return text("" if value is None else str(value))
