"""OpenAI chat messages: a list of messages, `{"messages": [...]}`, or one such object (or message) a line.

A call may be described twice, in `tool_calls` and in a `tool_call` content part; results may be `tool` rows, or
`tool_output` parts. Usage is read from `usage` on a message or from a `response`, when there is any.
"""

from __future__ import annotations

from typing import Any

from sim.workload.replay.drafts import Called, Compacted, Draft, Said, Used
from sim.workload.replay.source import Source
from sim.workload.replay.values import (
    as_text,
    content,
    inclusive,
    joined,
    listing,
    mapping,
    number,
    plain,
    string,
    when,
)
from sim.workload.script import Recorded

NAME = "openai-chat"
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_LISTS = ("messages", "conversation", "history")


def recognise(source: Source) -> bool:
    """Messages with a role of ours and content or tool calls."""
    objects = source.objects
    if objects and _chatty(objects):
        return True
    if any(_held(item) for item in objects[:5]):
        return True
    document = source.document
    return _chatty(document) or bool(_held(document))


def _chatty(value: object) -> bool:
    if not isinstance(value, list) or not value:
        return False
    rows = [item for item in value[:20] if isinstance(item, dict)]
    good = [m for m in rows if string(m.get("role")) in ROLES and ("content" in m or "tool_calls" in m)]
    return bool(good) and len(good) * 2 > len(rows) and any(m["role"] in {"user", "assistant"} for m in good)


def _held(value: object) -> list[Any]:
    """The message list inside an object, if it is one of chat messages."""
    if isinstance(value, dict):
        for key in _LISTS:
            if _chatty(value.get(key)):
                return listing(value[key])
    return []


def read(source: Source) -> list[Draft]:
    """One session for each list of messages in the file."""
    if source.objects and _chatty(source.objects):
        rows = [item for _, item in source.records()]
        return [session(source.stem, rows)]
    if any(_held(item) for item in source.objects[:5]) and source.document is None:
        drafts = []
        for line, item in source.records():
            held = _held(item)
            if held:
                drafts.append(_from(item, held, f"{source.stem}-{line}"))
            else:
                source.skip("an object without chat messages")
        return drafts
    document = source.document
    held = _held(document)
    if held:
        return [_from(document, held, source.stem)]
    return [session(source.stem, listing(document))]


def _from(item: dict[str, Any], rows: list[Any], name: str) -> Draft:
    draft = session(string(item.get("id")) or string(item.get("session_id")) or name, rows)
    draft.model = string(item.get("model"))
    draft.schemas = [tool for tool in listing(item.get("tools")) if isinstance(tool, dict)]
    if string(item.get("system")):
        draft.system = string(item["system"]) + draft.system
    return draft


def session(name: str, rows: list[Any]) -> Draft:
    """The draft of a list of chat messages; every row is used or counted as skipped.

    A `Compacted` may stand among the rows where the recorded agent compacted.
    """
    draft = Draft(name)
    tools: dict[str, Used] = {}
    waiting: list[Used] = []
    for row in rows:
        if isinstance(row, Compacted):
            draft.events.append(row)
            draft.used += 1
            continue
        message = mapping(row)
        reason = _row(draft, message, tools, waiting) if message else "not a message"
        if reason:
            draft.skipped[reason] += 1
        else:
            draft.used += 1
    return draft


def _row(draft: Draft, message: dict[str, Any], tools: dict[str, Used], waiting: list[Used]) -> str | None:
    role, at = string(message.get("role")), time_of(message)
    if role in {"system", "developer"}:
        text = plain(content(message.get("content")))
        if draft.events:
            draft.events.append(Said(text, at, injected=True))
        else:
            draft.system += ("\n\n" if draft.system else "") + text
        return None
    if role == "user":
        body = message.get("content")
        parts = [
            p
            for p in listing(body)
            if string(mapping(p).get("type")) in {"tool_output", "tool_result", "tool_response"}
        ]
        found = [_answer(mapping(p), tools, waiting, at) for p in parts]
        rest = content([p for p in body if p not in parts]) if isinstance(body, list) else content(body)
        if rest:
            draft.events.append(Said(rest, at))
        elif parts and not any(found):
            return "tool result without its call"
        elif not parts:
            return "empty message"
        return None
    if role in {"tool", "function"}:
        return None if _answer(message, tools, waiting, at) else "tool result without its call"
    if role != "assistant":
        return f"unknown role: {role!r}"[:60]
    call = _call(message, at, len(draft.events))
    draft.events.append(call)
    waiting[:] = call.tools
    tools.update((tool.id, tool) for tool in call.tools)
    return None


def time_of(message: dict[str, Any]) -> float | None:
    """The time stamp of a message under any of its usual names."""
    for key in ("timestamp", "created_at", "created", "time", "ts"):
        if (found := when(message.get(key))) is not None:
            return found
    return None


def _call(message: dict[str, Any], at: float | None, place: int) -> Called:
    body = message.get("content")
    parts = [p for p in listing(body) if "tool_call" in string(mapping(p).get("type"))]
    text = plain(content([p for p in body if p not in parts])) if isinstance(body, list) else plain(content(body))
    call = Called(
        id=string(message.get("id")),
        model=string(message.get("model")),
        text=text,
        thinking=string(message.get("reasoning_content")) or string(message.get("reasoning")),
        done=at,
        seconds=number(message.get("latency")),
        usage=usage_of(message["usage"]) if message.get("usage") else None,
    )
    described = [mapping(one) for one in listing(message.get("tool_calls"))]
    legacy = mapping(message.get("function_call"))
    if legacy and not described:
        described = [{"id": "", "function": legacy}]
    known: set[str | tuple[str, str]] = set()
    for index, one in enumerate([*described, *(mapping(p) for p in parts)]):
        function = mapping(one.get("function")) or mapping(one.get("tool_call")) or one
        ident = string(one.get("id")) or string(one.get("tool_call_id")) or string(function.get("id"))
        name = string(function.get("name")) or string(one.get("tool_name")) or "tool"
        arguments = as_text(function.get("arguments", function.get("args", function.get("input", {}))))
        # The same call described in `tool_calls` and as a content part: by id, or by name and arguments.
        if (ident and ident in known) or (index >= len(described) and (name, arguments) in known):
            continue
        known |= {ident, (name, arguments)} if ident else {(name, arguments)}
        call.tools.append(Used(ident or f"call-{place}-{len(call.tools)}", name, arguments))
    return call


def _answer(part: dict[str, Any], tools: dict[str, Used], waiting: list[Used], at: float | None) -> bool:
    """Give a result to its call, by id, else to the first open call of the last reply."""
    ident = string(part.get("tool_call_id")) or string(part.get("tool_use_id")) or string(part.get("id"))
    tool = tools.get(ident)
    if tool is None and not string(part.get("tool_call_id")):
        name = string(part.get("name"))
        tool = next((t for t in waiting if t.result is None and (not name or t.name == name)), None)
    if tool is None:
        return False
    body = part.get("content", part.get("output", part.get("result")))
    # Some exports write one result as several rows; a repeated row is the same text.
    if tool.result is None:
        tool.result, tool.at = content(body) or "", at
    elif plain(content(body)) != plain(tool.result):
        tool.result = joined(tool.result, content(body))
    tool.seconds = number(part.get("duration"))
    tool.failed = part.get("is_error") is True
    return True


def usage_of(value: object) -> Recorded | None:
    """OpenAI usage (`prompt_tokens` or `input_tokens` include the cached ones)."""
    usage = mapping(value)
    details = mapping(usage.get("prompt_tokens_details")) or mapping(usage.get("input_tokens_details"))
    return inclusive(
        usage.get("prompt_tokens", usage.get("input_tokens")),
        details.get("cached_tokens", usage.get("cached_tokens")),
        usage.get("completion_tokens", usage.get("output_tokens")),
        written=details.get("cache_write_tokens", details.get("cache_creation_tokens")),
    )
