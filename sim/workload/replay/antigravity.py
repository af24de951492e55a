"""Antigravity transcripts: steps with `source` and `type`; results of tools are steps of the model.

A reminder (EPHEMERAL_MESSAGE) follows nearly every step; CHECKPOINT is a compaction. There is no usage.
"""

from __future__ import annotations

import re
from typing import Any

from sim.workload.replay.drafts import Called, Compacted, Draft, Said, Used
from sim.workload.replay.source import Source
from sim.workload.replay.values import as_text, content, listing, mapping, plain, string, when

NAME = "antigravity"
_KNOWN = {
    "USER_INPUT",
    "PLANNER_RESPONSE",
    "EPHEMERAL_MESSAGE",
    "CHECKPOINT",
    "RUN_COMMAND",
    "VIEW_FILE",
    "CODE_ACTION",
}
_CREATED = re.compile(r"Created At: (\S+)")
_COMPLETED = re.compile(r"Completed At: (\S+)")


def _kind(step: dict[str, Any]) -> str:
    return string(step.get("type")).removeprefix("CORTEX_STEP_TYPE_")


def _steps(source: Source) -> list[dict[str, Any]]:
    document = source.document
    rows = document if isinstance(document, list) else listing(mapping(document).get("steps"))
    return [mapping(row) for row in rows] if rows else source.objects


def recognise(source: Source) -> bool:
    """Steps of types USER_INPUT, PLANNER_RESPONSE and the like."""
    return sum(1 for step in _steps(source)[:20] if _kind(step) in _KNOWN) >= 2


def read(source: Source) -> list[Draft]:
    """The session of the file."""
    draft = Draft(source.stem)
    rows = _steps(source) if source.document is not None else [item for _, item in source.records()]
    call: Called | None = None
    for step in rows:
        kind, body = _kind(step), plain(content(step.get("content")))
        at = when(step.get("created_at")) or when(step.get("timestamp"))
        if kind == "USER_INPUT":
            draft.events.append(Said(body, at))
            call = None
        elif kind == "EPHEMERAL_MESSAGE":
            draft.events.append(Said(body, at, injected=True))
        elif kind == "CHECKPOINT":
            draft.events.append(Compacted(body or None, at))
        elif kind == "PLANNER_RESPONSE":
            call = Called(text=body, thinking=string(step.get("thinking")), done=at)
            for one in listing(step.get("tool_calls")):
                part = mapping(one)
                name = string(part.get("name")) or "tool"
                arguments = as_text(part.get("args", part.get("arguments", {})))
                call.tools.append(Used(f"step-{len(draft.events)}-{len(call.tools)}", name, arguments))
            draft.events.append(call)
        elif string(step.get("source")) in {"MODEL", "CORTEX_STEP_SOURCE_MODEL"} and body:
            if call is None:
                draft.skipped["tool result without its call"] += 1
                continue
            _result(call, kind, body, len(draft.events))
        else:
            draft.skipped[f"notice: {kind or 'no type'}"] += 1
            continue
        draft.used += 1
    return [draft]


def _result(call: Called, kind: str, body: str, place: int) -> None:
    """Give a step's text to the first open call, or make a call named by the step's type."""
    tool = next((t for t in call.tools if t.result is None), None)
    if tool is None:
        tool = Used(f"step-{place}-{len(call.tools)}", kind.lower(), "")
        call.tools.append(tool)
    tool.result = body
    created, completed = _CREATED.search(body), _COMPLETED.search(body)
    end = when(completed.group(1)) if completed else None
    start = when(created.group(1)) if created else None
    tool.at = end
    if start is not None and end is not None and end >= start:
        tool.seconds = end - start
