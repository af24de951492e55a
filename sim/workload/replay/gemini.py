"""Gemini CLI chats (`chats/session-*.json`) and its stream-json output.

`tokens.input` includes cached tokens; thoughts are billed as output beside `output`. The stream holds session totals
only, and outputs of reads are empty in it.
"""

from __future__ import annotations

from typing import Any

from sim.workload.replay.drafts import Called, Draft, Said, Used
from sim.workload.replay.source import Source
from sim.workload.replay.values import amount, as_text, content, inclusive, listing, mapping, plain, string, when

NAME = "gemini"


def recognise(source: Source) -> bool:
    """An object with messages of type `gemini`."""
    rows = listing(mapping(source.document).get("messages"))
    return any(mapping(row).get("type") == "gemini" for row in rows[:20])


def read(source: Source) -> list[Draft]:
    """The session of the file."""
    document = mapping(source.document)
    draft = Draft(string(document.get("sessionId")) or source.stem, started_at=when(document.get("startTime")))
    for row in listing(document.get("messages")):
        message = mapping(row)
        kind, at = string(message.get("type")), when(message.get("timestamp"))
        if kind == "user":
            draft.events.append(Said(content(message.get("content")), at))
        elif kind == "gemini":
            draft.events.append(_call(message, at))
        else:
            draft.skipped[f"notice: {kind}"] += 1
            continue
        draft.used += 1
    return [draft]


def _call(message: dict[str, Any], at: float | None) -> Called:
    tokens = mapping(message.get("tokens"))
    output = amount(tokens.get("output")) + amount(tokens.get("thoughts"))
    call = Called(
        id=string(message.get("id")),
        model=string(message.get("model")),
        text=plain(content(message.get("content"))),
        done=at,
        usage=inclusive(tokens.get("input"), tokens.get("cached"), output),
    )
    for one in listing(message.get("toolCalls")):
        part = mapping(one)
        result = part.get("result")
        call.tools.append(
            Used(
                string(part.get("id")) or f"{call.id}-{len(call.tools)}",
                string(part.get("name")) or "tool",
                as_text(part.get("args") or {}),
                None if result is None else _result(result),
                when(part.get("timestamp")),
                failed=part.get("status") == "error",
            )
        )
    return call


def _result(value: object) -> str:
    texts = []
    for one in listing(value) or [value]:
        response = mapping(mapping(one).get("functionResponse")).get("response")
        body = mapping(response)
        texts.append(as_text(body.get("output", body.get("error", response))) if response is not None else as_text(one))
    return "\n".join(texts)


def recognise_stream(source: Source) -> bool:
    """Lines `init`, `message`, `tool_use`, `result` of stream-json."""
    kinds = {string(item.get("type")) for item in source.objects}
    return "init" in kinds and bool({"message", "tool_use"} & kinds) and "uuid" not in (source.objects or [{}])[0]


def read_stream(source: Source) -> list[Draft]:
    """The session of a stream; answers come in pieces (`delta`)."""
    draft = Draft(source.stem)
    call: Called | None = None
    tools: dict[str, Used] = {}
    for _, item in source.records():
        kind, at = string(item.get("type")), when(item.get("timestamp"))
        if kind == "init":
            draft.name = string(item.get("session_id")) or draft.name
            draft.model = string(item.get("model"))
            draft.started_at = at
        elif kind == "message" and item.get("role") == "user":
            draft.events.append(Said(content(item.get("content")), at))
            call = None
        elif kind in {"message", "tool_use"}:
            if call is None or any(tool.result is not None for tool in call.tools):
                call = Called(model=draft.model)
                draft.events.append(call)
            call.done = at
            if kind == "message":
                call.text += plain(content(item.get("content")))
            else:
                ident = string(item.get("tool_id")) or f"call-{len(tools)}"
                tools[ident] = Used(
                    ident, string(item.get("tool_name")) or "tool", as_text(item.get("parameters") or {})
                )
                call.tools.append(tools[ident])
        elif kind == "tool_result":
            tool = tools.get(string(item.get("tool_id")))
            if tool is None:
                draft.skipped["tool result without its call"] += 1
                continue
            tool.result, tool.at = as_text(item.get("output")), at
            tool.failed = item.get("status") == "error"
        elif kind == "result":
            stats = mapping(item.get("stats"))
            prompt, output = amount(stats.get("input_tokens")), amount(stats.get("output_tokens"))
            draft.totals = (prompt, output, 0) if prompt else None
        else:
            draft.skipped[f"notice: {kind}"] += 1
            continue
        draft.used += 1
    draft.notes.append("results of reads are empty in this format: their sizes are not known")
    return [draft]
