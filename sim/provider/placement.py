"""Where a client puts its cache markers.

Hermes's layouts (facts of the engine, section 14): 0.19 marks the end of the system prompt and the last three chat rows
that can carry a marker; 0.22 marks the static part of the system prompt, its end, and the last two. Rows of pure tool
calls (an assistant row without text) cannot carry a marker on chat-shaped routes and are passed over.
"""

from __future__ import annotations

from collections.abc import Sequence

from sim.history import Prompt, Row
from sim.provider.seam import Mark

SEARCHED = 60
"""Rows searched from the end for those that can carry a marker; more than any run of pure tool calls seen."""


def hermes_layout(prompt: Prompt, *, engine_version: str, ttl: str) -> list[Mark]:
    """Markers as Hermes of that version sets them, in prompt order, at most four."""
    systems = [i + 1 for i, row in enumerate(prompt.rows[:4]) if row.role == "system"]
    head = systems[-2:] if _has_static_part(engine_version) else systems[-1:]
    body = _last_carriers(prompt.rows, systems[-1] if systems else 0, 4 - len(head) if head else 4)
    if not _has_static_part(engine_version):
        body = body[-3:]
    return [Mark(index, ttl) for index in (*head, *body)]


def _has_static_part(engine_version: str) -> bool:
    """0.22 and later split the system prompt into a static and a changing part."""
    major, _, rest = engine_version.partition(".")
    minor = rest.partition(".")[0]
    if not (major.isdigit() and minor.isdigit()):
        return True
    return (int(major), int(minor)) >= (0, 22)


def _last_carriers(rows: Sequence[Row], start: int, count: int) -> list[int]:
    found: list[int] = []
    index = len(rows)
    while index > start and len(found) < count and len(rows) - index < SEARCHED:
        row = rows[index - 1]
        if row.has_text:
            found.append(index)
        index -= 1
    return found[::-1]
