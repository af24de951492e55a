"""Anthropic managed-agent events: `{role, kind, content, time, raw}`, one list or one event a line.

Each `model_request_end` closes a call and holds its usage; `usage` rows are cumulative. Threads are sessions.
"""

from __future__ import annotations

from typing import Any

from sim.workload.replay.anthropic import usage_of
from sim.workload.replay.drafts import Called, Compacted, Draft, Said, Used
from sim.workload.replay.source import Source
from sim.workload.replay.values import as_text, content, listing, mapping, plain, string, when

NAME = "anthropic-managed"


def recognise(source: Source) -> bool:
    """Events with `kind` and `raw`."""
    return sum(1 for item in _events(source)[:20] if "kind" in item and "raw" in item) >= 2


def _events(source: Source) -> list[dict[str, Any]]:
    document = source.document
    rows = document if isinstance(document, list) else listing(mapping(document).get("events"))
    return [mapping(row) for row in rows] if rows else source.objects


def read(source: Source) -> list[Draft]:
    """One session for each `session_thread_id`."""
    document = source.document
    rows = _events(source) if document is not None else [item for _, item in source.records()]
    threads: dict[str, _Thread] = {}
    for row in rows:
        raw = mapping(row.get("raw"))
        key = string(row.get("session_thread_id")) or string(raw.get("session_thread_id"))
        if key not in threads:
            name = f"{source.stem}/{key}" if key and threads else source.stem
            threads[key] = _Thread(Draft(name, origin="subagent" if threads else "terminal"))
        thread = threads[key]
        reason = thread.event(row, raw)
        if reason:
            thread.draft.skipped[reason] += 1
        else:
            thread.draft.used += 1
    return [thread.draft for thread in threads.values()]


class _Thread:
    """One thread of a managed agent's events."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.tools: dict[str, Used] = {}
        self.call: Called | None = None
        self.began: float | None = None

    def event(self, row: dict[str, Any], raw: dict[str, Any]) -> str | None:
        """Take one event; a reason when it is left out."""
        kind = string(row.get("kind")).rsplit(".", 1)[-1]
        at = when(row.get("time")) or when(raw.get("processed_at"))
        body = row.get("content") if row.get("content") is not None else raw.get("content")
        if kind == "model_request_start":
            self.began, self.call = at, None
            return None
        if kind == "model_request_end":
            call = self._open(at)
            call.usage = usage_of(raw.get("model_usage"))
            call.model = string(raw.get("model")) or call.model
            call.done = at
            self.call, self.began = None, None
            return None
        if kind == "usage":
            return "cumulative usage"
        if kind in {"context_compacted", "compaction"}:
            self.draft.events.append(Compacted(content(body) or None, at))
            return None
        if kind.endswith("tool_use"):
            call = self._open(at)
            ident = string(raw.get("id")) or f"call-{len(self.tools)}"
            tool = Used(ident, string(raw.get("name")) or "tool", as_text(raw.get("input", body) or {}))
            self.tools[ident] = tool
            call.tools.append(tool)
            return None
        if kind.endswith("tool_result"):
            ident = string(raw.get("tool_use_id")) or string(raw.get("mcp_tool_use_id"))
            found = self.tools.get(ident)
            if found is None or found.result is not None:
                return "tool result without its call"
            found.result, found.at, found.failed = content(body), at, raw.get("is_error") is True
            return None
        if kind == "thinking":
            self._open(at).thinking += plain(content(body))
            return None
        if kind == "message":
            if string(row.get("role")) in {"assistant", "agent", "model"}:
                call = self._open(at)
                call.text += ("\n" if call.text else "") + plain(content(body))
            elif content(body):
                self.draft.events.append(Said(content(body), at))
            else:
                return "empty message"
            return None
        return f"notice: {kind}"

    def _open(self, at: float | None) -> Called:
        if self.call is None:
            self.call = Called(began=self.began, done=at)
            self.draft.events.append(self.call)
        return self.call
