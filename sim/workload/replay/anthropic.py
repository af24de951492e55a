"""Anthropic messages: a request, a list of messages, or one a line."""

from __future__ import annotations

from typing import Any

from sim.workload.replay.drafts import Called, Draft, Said, Used
from sim.workload.replay.openai_chat import time_of
from sim.workload.replay.source import Source
from sim.workload.replay.values import as_text, content, exclusive, listing, mapping, plain, string
from sim.workload.script import Recorded

NAME = "anthropic"
_BLOCKS = {"tool_use", "tool_result", "thinking"}


def usage_of(value: object, ident: str = "") -> Recorded | None:
    """Anthropic usage: `input_tokens` leaves cached tokens out."""
    usage = mapping(value)
    split = mapping(usage.get("cache_creation"))
    return exclusive(
        usage.get("input_tokens"),
        usage.get("cache_read_input_tokens"),
        usage.get("cache_creation_input_tokens"),
        usage.get("output_tokens"),
        long=split.get("ephemeral_1h_input_tokens"),
        call_id=ident,
    )


def _blocky(rows: object) -> bool:
    found = False
    for row in listing(rows)[:200]:
        message = mapping(row)
        if string(message.get("role")) not in {"user", "assistant"}:
            return False
        found |= any(string(mapping(part).get("type")) in _BLOCKS for part in listing(message.get("content")))
    return found


def _rows(source: Source) -> tuple[dict[str, Any], list[Any]]:
    """(request fields, messages) of a file, empty when it holds none."""
    document = source.document
    if isinstance(document, list):
        return {}, document
    held = mapping(document)
    for request in (held, mapping(held.get("request")), mapping(held.get("body"))):
        if listing(request.get("messages")):
            return request, listing(request["messages"])
    return {}, list(source.objects)


def recognise(source: Source) -> bool:
    """Messages of users and assistants with tool_use, tool_result or thinking blocks."""
    return _blocky(_rows(source)[1])


def read(source: Source) -> list[Draft]:
    """The session of the file."""
    request, rows = _rows(source)
    if source.document is None:
        rows = [item for _, item in source.records()]
    draft = session(source.stem, rows)
    draft.model = string(request.get("model"))
    draft.system = plain(content(request.get("system"))) if request.get("system") else ""
    draft.schemas = [tool for tool in listing(request.get("tools")) if isinstance(tool, dict)]
    return [draft]


def session(name: str, rows: list[Any], usages: list[Recorded | None] | None = None) -> Draft:
    """The draft of a list of messages.

    Args:
        usages: usage of the assistant messages in order, when the file keeps it apart.
    """
    draft = Draft(name)
    tools: dict[str, Used] = {}
    answers = 0
    for row in rows:
        message = mapping(row)
        role, at = message.get("role"), time_of(message)
        if role == "assistant":
            call = called(message, tools, len(draft.events))
            call.done = at
            if usages is not None and answers < len(usages):
                call.usage = usages[answers]
            answers += 1
            draft.events.append(call)
        elif role == "user":
            reason = heard(draft, message, tools, at)
            if reason:
                draft.skipped[reason] += 1
                continue
        else:
            draft.skipped[f"unknown role: {role!r}"[:60]] += 1
            continue
        draft.used += 1
    return draft


def called(message: dict[str, Any], tools: dict[str, Used], place: int) -> Called:
    """An assistant message as a call; its tool calls are entered into `tools`."""
    ident = string(message.get("id"))
    call = Called(id=ident, model=string(message.get("model")), usage=usage_of(message.get("usage"), ident))
    body = message.get("content")
    for block in body if isinstance(body, list) else [{"type": "text", "text": body}]:
        part = mapping(block)
        kind = string(part.get("type"))
        if kind == "text":
            call.text += ("\n" if call.text else "") + string(part.get("text"))
        elif kind == "thinking":
            call.thinking += string(part.get("thinking"))
        elif kind.endswith("tool_use"):
            made = Used(
                string(part.get("id")) or f"call-{place}-{len(call.tools)}",
                string(part.get("name")) or "tool",
                as_text(part.get("input") or {}),
            )
            tools[made.id] = made
            call.tools.append(made)
    return call


def heard(draft: Draft, message: dict[str, Any], tools: dict[str, Used], at: float | None) -> str | None:
    """Take a user message: results go to their calls, text beside them is injected, text alone is a person's."""
    body = message.get("content")
    results = [mapping(p) for p in listing(body) if mapping(p).get("type") == "tool_result"]
    answered = False
    for part in results:
        tool = tools.get(string(part.get("tool_use_id")))
        if tool is not None and tool.result is None:
            tool.result, tool.at = content(part.get("content")), at
            tool.failed = part.get("is_error") is True
            answered = True
    rest = content([p for p in body if mapping(p).get("type") != "tool_result"]) if isinstance(body, list) else body
    text = content(rest)
    if text:
        draft.events.append(Said(text, at, injected=answered))
        return None
    return None if answered else ("tool result without its call" if results else "empty message")
