"""OpenCode exports: `{info, messages: [{info, parts}]}`.

`tokens.input` leaves cached tokens out, `tokens.output` leaves reasoning out; `step-finish` parts repeat the counts of
a message unless it holds several steps, which are several calls.
"""

from __future__ import annotations

from typing import Any

from sim.workload.replay.drafts import Called, Compacted, Draft, Said, Used
from sim.workload.replay.source import Source
from sim.workload.replay.values import amount, as_text, content, exclusive, listing, mapping, string, when
from sim.workload.script import Recorded

NAME = "opencode"


def recognise(source: Source) -> bool:
    """An object with `info` and messages that have `info` and `parts`."""
    messages = listing(mapping(source.document).get("messages"))
    return any("parts" in mapping(one) and isinstance(mapping(one).get("info"), dict) for one in messages[:5])


def read(source: Source) -> list[Draft]:
    """The session of the file."""
    document = mapping(source.document)
    info = mapping(document.get("info"))
    draft = Draft(string(info.get("id")) or source.stem)
    draft.started_at = when(mapping(info.get("time")).get("created"))
    if info.get("parentID"):
        draft.origin = "subagent"
    pruned = 0
    for one in listing(document.get("messages")):
        item = mapping(one)
        reason, gone = _message(draft, mapping(item.get("info")), listing(item.get("parts")))
        pruned += gone
        if reason:
            draft.skipped[reason] += 1
        else:
            draft.used += 1
    if pruned:
        draft.notes.append(f"{pruned} tool result(s) were pruned from later prompts by OpenCode: undone")
    return [draft]


def _message(draft: Draft, info: dict[str, Any], parts: list[Any]) -> tuple[str | None, int]:
    role, time = string(info.get("role")), mapping(info.get("time"))
    at = when(time.get("created"))
    if role == "user":
        if any(mapping(part).get("type") == "compaction" for part in parts):
            return "request to compact", 0
        text = content([part for part in parts if string(mapping(part).get("type")) in {"text", "file"}])
        if not text:
            return "empty message", 0
        draft.events.append(Said(text, at))
        return None, 0
    if role != "assistant":
        return f"unknown role: {role!r}"[:60], 0
    if info.get("summary") is True:
        text = content([part for part in parts if mapping(part).get("type") == "text"])
        draft.events.append(Compacted(text, at))
        return None, 0
    model = string(info.get("modelID")) or string(mapping(info.get("model")).get("modelID"))
    calls, pruned = _steps(string(info.get("id")), model, parts)
    if not calls:
        return "answer without content", 0
    calls[0].began = at
    calls[-1].done = calls[-1].done or _end(calls[-1], when(time.get("completed")))
    usage = _usage(info.get("tokens"))
    if len(calls) == 1 or not any(call.usage for call in calls):
        calls[-1].usage = usage or calls[-1].usage
    draft.events += calls
    return None, pruned


def _end(call: Called, completed: float | None) -> float | None:
    """A message is complete when its tools are; its last token came before the first of them started."""
    starts = [tool.at - (tool.seconds or 0.0) for tool in call.tools if tool.at is not None]
    return min([*starts, completed]) if completed is not None else (min(starts) if starts else None)


def _steps(ident: str, model: str, parts: list[Any]) -> tuple[list[Called], int]:
    calls: list[Called] = []
    finished = sum(1 for part in parts if mapping(part).get("type") == "step-finish")
    open_step, pruned = False, 0
    for one in parts:
        part = mapping(one)
        kind = string(part.get("type"))
        if kind in {"text", "reasoning", "tool"} and (not calls or (finished > 1 and not open_step)):
            calls.append(Called(id=ident if not calls else f"{ident}#{len(calls) + 1}", model=model))
            open_step = True
        if kind == "text":
            calls[-1].text += ("\n" if calls[-1].text else "") + string(part.get("text"))
        elif kind == "reasoning":
            calls[-1].thinking += string(part.get("text"))
        elif kind == "tool":
            tool, gone = _tool(part, f"{ident}-{len(calls[-1].tools)}")
            pruned += gone
            calls[-1].tools.append(tool)
        elif kind == "step-finish" and calls and finished > 1:
            calls[-1].usage = _usage(part.get("tokens"))
            open_step = False
    return calls, pruned


def _tool(part: dict[str, Any], spare: str) -> tuple[Used, int]:
    state = mapping(part.get("state"))
    time = mapping(state.get("time"))
    start, end = when(time.get("start")), when(time.get("end"))
    failed = state.get("status") == "error"
    result = state.get("output", state.get("error"))
    tool = Used(
        string(part.get("callID")) or spare,
        string(part.get("tool")) or "tool",
        as_text(state.get("input") or {}),
        None if result is None else as_text(result),
        end,
        end - start if start is not None and end is not None and end >= start else None,
        failed,
    )
    return tool, 1 if time.get("compacted") else 0


def _usage(value: object) -> Recorded | None:
    tokens = mapping(value)
    cache = mapping(tokens.get("cache"))
    output = amount(tokens.get("output")) + amount(tokens.get("reasoning"))
    return exclusive(tokens.get("input"), cache.get("read"), cache.get("write"), output)
