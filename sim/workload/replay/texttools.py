"""Agents that write their tool calls in plain text get the results as user messages; here they become results."""

from __future__ import annotations

import re

from sim.workload.replay.drafts import Called, Draft, Event, Said, Used
from sim.workload.replay.values import plain


def results_from_messages(draft: Draft, mark: re.Pattern[str], name: str = "") -> int:
    """Turn messages that match `mark` and follow an answer into the result of a tool call of that answer.

    Args:
        mark: what a result starts with; its first group, if any, names the tool.
        name: the tool's name when the mark has no group.

    Returns:
        How many were turned; a note is added to the draft.
    """
    events: list[Event] = []
    turned = 0
    for event in draft.events:
        before = events[-1] if events else None
        if isinstance(event, Said) and isinstance(before, Called) and not before.tools:
            found = mark.match(plain(event.content))
            if found:
                tool = name or found.group(1)
                before.tools.append(Used(f"text-{turned}", tool, "", event.content, event.at))
                turned += 1
                continue
        events.append(event)
    draft.events = events
    if turned:
        draft.notes.append(f"{turned} tool call(s) written in the answer's text: their results are tool results here")
    return turned
