"""Sessions that share calls: resumed and forked Claude Code files copy old lines, Hermes keeps a session in two places.

A call is paid for once, so only one session may hold it; the others carry its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sim.workload.replay.drafts import Called, Carried, Draft, Event, Said

Key: TypeAlias = tuple[str, float | None]


def _key(call: Called) -> Key:
    """What a copied call keeps: its id and its time (ids alone repeat with some proxies)."""
    return call.id, call.done


def untangle(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts of one format with every call in one of them only.

    A session whose calls all stand in a longer one is left out (it was resumed there). Where two share a beginning and
    go on differently, the one that went on first keeps the shared calls and the other carries their rows.

    Returns:
        The drafts that remain, in their order; `empty` ones are gone.
    """
    holders: dict[Key, list[int]] = {}
    ids = [{_key(call) for call in draft.calls if call.id} for draft in drafts]
    for place, found in enumerate(ids):
        for ident in found:
            holders.setdefault(ident, []).append(place)
    tangled = {place for places in holders.values() if len(places) > 1 for place in places}
    if not tangled:
        return list(drafts)
    gone: dict[int, int] = {}
    for place in sorted(tangled, key=lambda p: (len(ids[p]), -p)):
        partners = {other for ident in ids[place] for other in holders[ident]} - {place} - gone.keys()
        larger = next((other for other in sorted(partners) if ids[place] <= ids[other]), None)
        if larger is not None:
            gone[place] = larger
    for place, larger in gone.items():
        into = drafts[larger]
        into.notes.append(f"session {drafts[place].name} is the beginning of this one and is not counted again")
        into.skipped["record of a session that goes on in another file"] += drafts[place].used
        into.skipped.update(drafts[place].skipped)
    owned: set[Key] = set()
    left = [place for place in range(len(drafts)) if place not in gone]
    for place in sorted(left, key=lambda p: (_goes_on(drafts[p], holders), p)):
        if place in tangled:
            _carry(drafts[place], owned)
        owned |= ids[place]
    return [drafts[place] for place in left if not drafts[place].empty]


def _goes_on(draft: Draft, holders: dict[Key, list[int]]) -> float:
    """When a session makes its first call that no other has."""
    own = (call.done for call in draft.calls if len(holders.get(_key(call), ())) < 2)
    return next((at for at in own if at is not None), float("inf"))


def _carry(draft: Draft, owned: set[Key]) -> None:
    """Make the calls that another session owns, at the start of this one, rows that are carried in."""
    cut = 0
    for place, event in enumerate(draft.events):
        if isinstance(event, Called):
            if _key(event) not in owned:
                break
            cut = place + 1
    events = [event for event in draft.events[:cut] if isinstance(event, Said | Called)]
    if events:
        shared = sum(isinstance(event, Called) for event in events)
        rest: list[Event] = list(draft.events[cut:])
        draft.events = [Carried(events), *rest]
        draft.notes.append(
            f"{shared} call(s) at its start were made and paid in another session: their rows are carried"
        )


def same_sessions(named: Sequence[tuple[str, Draft]]) -> set[int]:
    """Places of Hermes exports whose session stands in a database that was read too.

    Args:
        named: (format, draft) in order.
    """
    stored = {draft.name for form, draft in named if form == "hermes-db"}
    return {place for place, (form, draft) in enumerate(named) if form == "hermes-export" and draft.name in stored}
