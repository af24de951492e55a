"""Cline and Roo tasks: `ui_messages.json`, with the texts of `api_conversation_history.json` beside it.

`tokensIn` leaves cached tokens out; `request` is the whole last message (tool result and environment). Tool calls are
written in the text, so results come as messages; they are given to a call of that name.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sim.workload.replay.anthropic import session
from sim.workload.replay.drafts import Called, Draft, Said, Used
from sim.workload.replay.source import Source
from sim.workload.replay.texttools import results_from_messages
from sim.workload.replay.values import exclusive, listing, mapping, string, when

NAME = "cline"
_RESULT = re.compile(r"\s*\[(\w+)[^\n]{0,300}\] Result:")

CLINE_FILES = ("ui_messages.json", "api_conversation_history.json")


def recognise(source: Source) -> bool:
    """A list of rows with `say` or `ask`, and a time."""
    rows = source.document if isinstance(source.document, list) else []
    return any(
        string(mapping(row).get("type")) in {"say", "ask"} and "ts" in mapping(row) and ("say" in row or "ask" in row)
        for row in rows[:5]
    )


def read(source: Source) -> list[Draft]:
    """The task of the file; texts from `api_conversation_history.json` beside it when it is there."""
    rows = [mapping(row) for row in listing(source.document)]
    requests = [row for row in rows if row.get("say") == "api_req_started" and not row.get("partial")]
    usages, times = [], []
    for row in requests:
        told = _told(row)
        usage = exclusive(told.get("tokensIn"), told.get("cacheReads"), told.get("cacheWrites"), told.get("tokensOut"))
        if usage is not None:
            usages.append(usage)
            times.append(when(row.get("ts")))
    beside = source.path.with_name(CLINE_FILES[1])
    if beside != source.path and beside.is_file():
        history = Source(beside).document
        draft = session(source.path.parent.name or source.stem, listing(history), [*usages])
        results_from_messages(draft, _RESULT)
        calls = draft.calls
        for call, began in zip(calls, times, strict=False):
            call.began = began
        text = f"texts from {CLINE_FILES[1]}, usage and times from {source.path.name}"
        draft.notes.append(text)
        draft.skipped["row of the user interface (its content is in the API history)"] += len(rows)
    else:
        draft = _from_interface(source.stem, rows)
    ranges = {str(row["conversationHistoryDeletedRange"]) for row in rows if row.get("conversationHistoryDeletedRange")}
    if ranges:
        draft.notes.append(f"the agent truncated its history {len(ranges)} time(s): undone")
    return [draft]


def _told(row: dict[str, Any]) -> dict[str, Any]:
    try:
        return mapping(json.loads(string(row.get("text")) or "{}"))
    except (ValueError, RecursionError):
        return {}


def _from_interface(name: str, rows: list[dict[str, Any]]) -> Draft:
    """Calls from the interface's rows: `request` is the whole last message, later rows are the answer."""
    draft = Draft(name)
    call: Called | None = None
    last = ""
    for row in rows:
        what = string(row.get("say")) or string(row.get("ask"))
        at, text = when(row.get("ts")), string(row.get("text"))
        if row.get("partial"):
            draft.skipped["draft of a later row"] += 1
            continue
        if what == "api_req_started":
            told = _told(row)
            usage = exclusive(
                told.get("tokensIn"), told.get("cacheReads"), told.get("cacheWrites"), told.get("tokensOut")
            )
            if usage is None:
                draft.skipped["request without usage"] += 1
                continue
            request = string(told.get("request"))
            before = call.tools[-1] if call and call.tools else None
            if before is not None and before.result is None:
                before.result, before.at = request, at
            elif request:
                draft.events.append(Said(request, at))
            call = Called(began=at, usage=usage)
            draft.events.append(call)
        elif call is None:
            draft.skipped["row before the first request"] += 1
            continue
        elif what in {"text", "completion_result"}:
            call.text += text
            call.done = at
        elif what == "reasoning":
            call.thinking += text
        elif what in {"tool", "command", "browser_action", "use_mcp_server", "browser_action_launch"}:
            if text == last:
                draft.skipped["asked and said alike"] += 1
                continue
            last = text
            call.tools.append(Used(f"call-{len(draft.events)}-{len(call.tools)}", what, text))
            call.done = at
        else:
            draft.skipped[f"notice: {what}"] += 1
            continue
        draft.used += 1
    for made in draft.calls:
        # One request answers one tool here; calls before the last got their results shown inside it.
        for tool in made.tools[:-1]:
            tool.result = tool.result or ""
    return draft


def beside(path: Path) -> bool:
    """Whether a file is the API history of a task whose interface file is there too."""
    return path.name == CLINE_FILES[1] and path.with_name(CLINE_FILES[0]).is_file()
