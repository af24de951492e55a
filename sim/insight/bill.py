"""Amounts out of a bill: a number, a JSON document, or a CSV export of a provider's console."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from sim.errors import InputError, Where
from sim.units import PICO

LARGEST = 16 * 2**20
"""Bytes of a bill."""
_COLUMN = re.compile(r"(?:^|[_\s(])(?:cost|amount|spend|usd|total|price)(?:$|[_\s)])", re.IGNORECASE)
_BETTER = ("cost_usd", "amount_usd", "cost", "amount", "spend", "usd", "total")


def read_bill(path: Path) -> dict[str, Any]:
    """The amount of a bill: `{"pico": …, "source": …, "entries": …}`.

    Args:
        path: a file that holds one number (`12.34`, `$12.34`), JSON with a cost, or CSV with a cost column.

    Raises:
        InputError: missing, too large, or without an amount.
    """
    where = Where(str(path))
    try:
        size = path.stat().st_size
        text = path.read_text(encoding="utf-8-sig", errors="replace") if size <= LARGEST else ""
    except OSError as error:
        raise InputError(f"the bill cannot be read: {error.strerror or error}", where=where) from error
    if size > LARGEST:
        raise InputError(
            f"the bill has {size:,} bytes", where=where, remedy="export the period of the transcripts only"
        )
    found = _number(text.strip())
    if found is not None:
        return {"pico": _pico(found), "source": path.name, "entries": 1}
    amounts = list(_json(text)) or list(_csv(text))
    if not amounts:
        raise InputError(
            "no amount found in the bill",
            where=where,
            remedy="give a number, JSON with `cost_usd`, or CSV with a cost column",
        )
    return {"pico": _pico(sum(amounts, Decimal(0))), "source": path.name, "entries": len(amounts)}


def _pico(amount: Decimal) -> int:
    return int((amount * PICO).to_integral_value())


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = Decimal(str(value).strip().lstrip("$").removesuffix("USD").replace(",", "").strip())
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _json(text: str) -> Iterator[Decimal]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return
    for item in data if isinstance(data, list) else [data]:
        rows = item.get("data", item) if isinstance(item, dict) else item
        for row in rows if isinstance(rows, list) else [rows]:
            if isinstance(row, dict):
                for name in _BETTER:
                    if (found := _number(row.get(name))) is not None:
                        yield found
                        break


def _csv(text: str) -> Iterator[Decimal]:
    rows = csv.reader(io.StringIO(text.replace("\x00", "")))
    header = next(rows, [])
    lower = [name.strip().lower() for name in header]
    column = next((lower.index(name) for name in _BETTER if name in lower), None)
    if column is None:
        column = next((i for i, name in enumerate(lower) if _COLUMN.search(name)), None)
    if column is None:
        return
    for row in rows:
        if len(row) > column and (found := _number(row[column])) is not None:
            yield found
