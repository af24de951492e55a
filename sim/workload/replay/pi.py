"""pi and oh-my-pi sessions (JSON lines, version 3): a tree of entries; the branch of the last entry is followed."""

from __future__ import annotations

from typing import Any

from sim.workload.replay.drafts import Called, Compacted, Draft, Said, Used
from sim.workload.replay.source import Source
from sim.workload.replay.values import amount, as_text, content, exclusive, listing, mapping, plain, string, when

NAME = "pi"
_EVICTED = "[Compacted history content evicted"


def recognise(source: Source) -> bool:
    """A `session` header and entries with `parentId`."""
    objects = source.objects
    return any(item.get("type") == "session" and "cwd" in item for item in objects[:3]) and any(
        item.get("type") == "message" and "parentId" in item for item in objects
    )


def read(source: Source) -> list[Draft]:
    """The session of the file."""
    draft = Draft(source.stem)
    entries: list[dict[str, Any]] = []
    for _, item in source.records():
        if item.get("type") == "session":
            draft.name = string(item.get("id")) or draft.name
            draft.started_at = when(item.get("timestamp"))
            draft.used += 1
        else:
            entries.append(item)
    live = _live(entries)
    tools: dict[str, Used] = {}
    evicted = 0
    for item in entries:
        reason = None if live is None or string(item.get("id")) in live else "on another branch"
        if reason is None:
            reason = _entry(draft, item, tools)
        if reason:
            draft.skipped[reason] += 1
        else:
            draft.used += 1
    evicted = sum(1 for tool in tools.values() if plain(tool.result).startswith(_EVICTED))
    if evicted:
        draft.notes.append(f"{evicted} tool result(s) were evicted from the file: their real size is not known")
    if draft.skipped["on another branch"]:
        draft.notes.append("calls on branches that were left are not replayed")
    draft.skipped += type(draft.skipped)()
    return [draft]


def _live(entries: list[dict[str, Any]]) -> set[object] | None:
    """Ids from the last entry to the root; None when the file has no tree."""
    parents = {item["id"]: item.get("parentId") for item in entries if isinstance(item.get("id"), str)}
    if not parents:
        return None
    now: object = next(item["id"] for item in reversed(entries) if isinstance(item.get("id"), str))
    found: set[object] = set()
    while isinstance(now, str) and now in parents and now not in found:
        found.add(now)
        now = parents[now]
    return found


def _entry(draft: Draft, item: dict[str, Any], tools: dict[str, Used]) -> str | None:
    kind, at = item.get("type"), when(item.get("timestamp"))
    if kind == "compaction":
        summary = content(item.get("summary")) or None
        draft.events.append(Compacted(summary, at, amount(item.get("tokensBefore")) or None))
        return None
    if kind != "message":
        return f"not a message: {kind}"
    message = mapping(item.get("message"))
    role = string(message.get("role"))
    if role == "user":
        text = content(message.get("content"))
        if not text:
            return "empty message"
        draft.events.append(Said(text, at))
        return None
    if role == "toolResult":
        tool = tools.get(string(message.get("toolCallId")))
        if tool is None or tool.result is not None:
            return "tool result without its call"
        tool.result, tool.at, tool.failed = content(message.get("content")), at, message.get("isError") is True
        return None
    if role != "assistant":
        return f"unknown role: {role!r}"[:60]
    usage = mapping(message.get("usage"))
    call = Called(
        id=string(item.get("id")),
        model=string(message.get("model")),
        done=at,
        usage=exclusive(usage.get("input"), usage.get("cacheRead"), usage.get("cacheWrite"), usage.get("output")),
    )
    for block in listing(message.get("content")) or [{"type": "text", "text": message.get("content")}]:
        part = mapping(block)
        if part.get("type") == "text":
            call.text += string(part.get("text"))
        elif part.get("type") == "thinking":
            call.thinking += string(part.get("thinking"))
        elif part.get("type") == "toolCall":
            ident = string(part.get("id")) or f"{call.id}-{len(call.tools)}"
            made = Used(ident, string(part.get("name")) or "tool", as_text(part.get("arguments") or {}))
            tools[ident] = made
            call.tools.append(made)
    draft.events.append(call)
    return None
