"""Tool calls and their results belong together; a rewrite that parts them makes the request invalid."""

from __future__ import annotations

from collections.abc import Iterable

from sim.history.row import Row


def unpaired_calls(rows: Iterable[Row]) -> tuple[set[str], set[str]]:
    """Ids of calls without a result and of results without a call.

    A result counts only if its call came before it.
    """
    open_calls: set[str] = set()
    answered: set[str] = set()
    orphan_results: set[str] = set()
    for row in rows:
        if row.message is None:
            continue
        for call in row.message.get("tool_calls") or ():
            open_calls.add(str(call.get("id")))
        if row.role == "tool":
            call_id = str(row.message.get("tool_call_id"))
            if call_id in open_calls:
                answered.add(call_id)
            else:
                orphan_results.add(call_id)
    return open_calls - answered, orphan_results
