"""Codex rollouts `rollout-*.jsonl`, with the `{timestamp, type, payload}` envelope or, before September 2025, without.

Usage comes from `token_count` events: the last call's counts, repeated at times (recognised by the running total).
`input_tokens` includes cached tokens, output includes reasoning, writes are not counted. `event_msg` rows mirror items.
"""

from __future__ import annotations

from typing import Any

from sim.workload.replay.drafts import Called, Compacted, Draft, Said, Used
from sim.workload.replay.source import Source
from sim.workload.replay.values import as_text, content, inclusive, mapping, plain, string, when

NAME = "codex"
_ENVELOPES = {"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"}
_CALLS = {"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "mcp_tool_call"}
_RESULTS = {"function_call_output", "custom_tool_call_output", "local_shell_call_output", "mcp_tool_call_output"}
_INJECTED = ("<environment_context>", "<user_instructions>", "# AGENTS.md", "<permissions", "<turn_aborted>", "<skill")


def recognise(source: Source) -> bool:
    """Envelopes with a payload, or bare Responses items after a header with `instructions`."""
    objects = source.objects
    if any(string(item.get("type")) in _ENVELOPES and isinstance(item.get("payload"), dict) for item in objects):
        return True
    bare = [
        item for item in objects if string(item.get("type")) in _CALLS | _RESULTS or item.get("record_type") == "state"
    ]
    head = objects[0] if objects else {}
    return bool(bare) and "id" in head and "timestamp" in head and "type" not in head


class _Reader:
    def __init__(self, source: Source) -> None:
        self.draft = Draft(source.stem)
        self.tools: dict[str, Used] = {}
        self.call: Called | None = None
        self.closed = True
        self.total: tuple[Any, ...] | None = None
        self.model = ""

    def line(self, item: dict[str, Any]) -> str | None:
        """Take one line; a reason when it is left out."""
        at = when(item.get("timestamp"))
        kind, payload = item.get("type"), mapping(item.get("payload"))
        if kind == "session_meta" or (kind is None and "instructions" in item):
            return self._meta(payload or item, at)
        if kind == "turn_context":
            self.model = string(payload.get("model")) or self.model
            return None
        if kind == "event_msg":
            return self._event(payload, at)
        if kind == "compacted":
            self.closed = True
            self.draft.events.append(Compacted(string(payload.get("message")), at))
            return None
        if kind == "response_item":
            return self._item(payload, at)
        if "payload" not in item and kind is not None:
            return self._item(item, at)
        return f"not a message: {kind or item.get('record_type') or 'no type'}"

    def _meta(self, payload: dict[str, Any], at: float | None) -> str | None:
        if self.draft.events:
            return "repeated session header"
        self.draft.name = string(payload.get("id")) or self.draft.name
        base = payload.get("base_instructions")
        text = string(mapping(base).get("text")) or string(base) or string(payload.get("instructions"))
        self.draft.system = text
        self.draft.started_at = at
        return None

    def _event(self, payload: dict[str, Any], at: float | None) -> str | None:
        kind = string(payload.get("type"))
        if kind != "token_count":
            return f"mirror or notice: {kind}"
        info = mapping(payload.get("info"))
        last, total = mapping(info.get("last_token_usage")), mapping(info.get("total_token_usage"))
        if not last:
            return "token count without counts"
        mark = tuple(sorted((key, as_text(value)) for key, value in total.items()))
        if mark and mark == self.total:
            return "repeated token count"
        self.total = mark
        usage = inclusive(last.get("input_tokens"), last.get("cached_input_tokens"), last.get("output_tokens"))
        if self.call is None or self.call.usage is not None or usage is None:
            return "token count of a call that is not in the file"
        self.call.usage = usage
        if at is not None and not any(tool.result is not None for tool in self.call.tools):
            self.call.done = at if self.call.done is None else max(self.call.done, at)
        self.closed = True
        return None

    def _item(self, payload: dict[str, Any], at: float | None) -> str | None:
        kind = string(payload.get("type"))
        if kind == "message":
            return self._message(payload, at)
        if kind == "reasoning":
            call = self._open(at)
            call.thinking += plain(content(payload.get("content"))) if payload.get("content") else ""
            return None
        if kind in _CALLS:
            call = self._open(at)
            ident = string(payload.get("call_id")) or string(payload.get("id")) or f"call-{len(self.tools)}"
            if ident in self.tools:
                return "repeated tool call"
            name = string(payload.get("name")) or kind.removesuffix("_call")
            arguments = payload.get("arguments", payload.get("input", payload.get("action", {})))
            tool = Used(ident, name, as_text(arguments))
            if kind == "web_search_call":
                tool.result, tool.at = "", at
            self.tools[ident] = tool
            call.tools.append(tool)
            return None
        if kind in _RESULTS:
            self.closed = True
            found = self.tools.get(string(payload.get("call_id")))
            if found is None or found.result is not None:
                return "tool result without its call"
            output = payload.get("output")
            body = mapping(output)
            found.result = content(body.get("content", body.get("output"))) if body else content(output)
            found.failed = body.get("success") is False
            found.at = at
            return None
        return f"not a message: {kind}"

    def _message(self, payload: dict[str, Any], at: float | None) -> str | None:
        role, text = string(payload.get("role")), content(payload.get("content"))
        if role == "assistant":
            call = self._open(at)
            call.text += ("\n" if call.text else "") + plain(text)
            return None
        if not text:
            return "empty message"
        self.closed = True
        if role in {"developer", "system"} and not self.draft.events:
            self.draft.system += ("\n\n" if self.draft.system else "") + plain(text)
            return None
        injected = role != "user" or plain(text).lstrip().startswith(_INJECTED)
        self.draft.events.append(Said(text, at, injected))
        return None

    def _open(self, at: float | None) -> Called:
        if self.call is None or self.closed:
            self.call = Called(model=self.model)
            self.draft.events.append(self.call)
            self.closed = False
        if at is not None:
            self.call.done = at if self.call.done is None else max(self.call.done, at)
        return self.call


def read(source: Source) -> list[Draft]:
    """The session of the file."""
    reader = _Reader(source)
    for _, item in source.records():
        reason = reader.line(item)
        if reason:
            reader.draft.skipped[reason] += 1
        else:
            reader.draft.used += 1
    reader.draft.model = reader.model
    if any(isinstance(event, Said) and event.injected for event in reader.draft.events):
        reader.draft.notes.append("injected context (environment, AGENTS.md) is kept as text of the next message")
    return [reader.draft]
