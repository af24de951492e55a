"""Request bodies as they would be sent, with their cache markers; for reading and for golden tests.

Two shapes: Anthropic's messages (blocks with `cache_control`) for providers that take markers, OpenAI chat otherwise.
Only what the model sees is written: no keys, no addresses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sim.history import Prompt, Row
from sim.history.row import content_text
from sim.provider.seam import Mark


def render_request(
    prompt: Prompt, marks: Sequence[Mark], *, model: str, family: str, max_tokens: int | None = None
) -> dict[str, Any]:
    """The body of a request.

    Args:
        prompt: what is sent.
        marks: its cache markers.
        model: model id.
        family: cache family of the provider; `breakpoint` gives Anthropic's shape.
        max_tokens: output limit, if configured.
    """
    body = _anthropic(prompt, marks) if family == "breakpoint" else _chat(prompt)
    limit = {} if max_tokens is None else {"max_tokens": max_tokens}
    return {"model": model, **limit, **body}


def _chat(prompt: Prompt) -> dict[str, Any]:
    tools = [tool for row in prompt.rows if row.role == "tools" for tool in _schemas(row)]
    messages = [_message(row) for row in prompt.rows if row.role != "tools"]
    return {**({"tools": tools} if tools else {}), "messages": messages}


def _schemas(row: Row) -> list[Any]:
    return [] if row.message is None else list(row.message["schemas"])


def _message(row: Row) -> Mapping[str, Any]:
    return {"role": row.role, "content": f"<{row.tokens} tokens>"} if row.message is None else row.message


def _anthropic(prompt: Prompt, marks: Sequence[Mark]) -> dict[str, Any]:
    ttl_at = {mark.index: mark.ttl for mark in marks}
    tools: list[dict[str, Any]] = []
    system: list[dict[str, Any]] = []
    messages: list[dict[str, Any]] = []
    for index, row in enumerate(prompt.rows, start=1):
        if row.role == "tools":
            blocks = [_tool(schema) for schema in _schemas(row)]
            tools += blocks
        elif row.role == "system":
            blocks = [{"type": "text", "text": _text(row)}]
            system += blocks
        else:
            blocks = _blocks(row)
            speaker = "assistant" if row.role == "assistant" else "user"
            if messages and messages[-1]["role"] == speaker:
                messages[-1]["content"] += blocks
            else:
                messages.append({"role": speaker, "content": blocks})
        if blocks and index in ttl_at:
            blocks[-1]["cache_control"] = _control(ttl_at[index])
    body: dict[str, Any] = {}
    if tools:
        body["tools"] = tools
    if system:
        body["system"] = system
    return {**body, "messages": messages}


def _control(ttl: str) -> dict[str, str]:
    """Five minutes is the provider's default and is not written out."""
    return {"type": "ephemeral"} if ttl == "5m" else {"type": "ephemeral", "ttl": ttl}


def _tool(schema: Mapping[str, Any]) -> dict[str, Any]:
    function = schema.get("function", schema)
    return {
        "name": function.get("name"),
        "description": function.get("description", ""),
        "input_schema": function.get("parameters", {"type": "object"}),
    }


def _text(row: Row) -> str:
    return f"<{row.tokens} tokens>" if row.message is None else content_text(row.message.get("content"))


def _blocks(row: Row) -> list[dict[str, Any]]:
    if row.message is None:
        return [{"type": "text", "text": f"<{row.tokens} tokens>"}]
    if row.role == "tool":
        return [{"type": "tool_result", "tool_use_id": row.message.get("tool_call_id"), "content": _text(row)}]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": _text(row)}] if row.has_text else []
    for call in row.message.get("tool_calls") or ():
        function = call.get("function", {})
        blocks.append(
            {"type": "tool_use", "id": call.get("id"), "name": function.get("name"), "input": _arguments(function)}
        )
    return blocks


def _arguments(function: Mapping[str, Any]) -> Any:
    text = str(function.get("arguments") or "{}")
    try:
        return json.loads(text)
    except ValueError:
        return {"_unparsed": text}
