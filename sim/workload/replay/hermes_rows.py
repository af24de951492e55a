"""Hermes message rows (of `state.db` or its exports) as one logical history, with compactions marked.

A compaction leaves copies: in place, old rows are archived (`active=0, compacted=1`) and head, summary and tail are
written again; by rotation a child session starts with them. Rows `active=0, compacted=0` were taken back by the user,
or are originals whose copy is live (0.22). Schemas of 0.19 and 0.22 (`hermes_state.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sim.workload.replay.drafts import Compacted, Draft
from sim.workload.replay.openai_chat import session
from sim.workload.replay.values import amount, content, listing, number, plain, string, when
from sim.workload.script import Origin

_JSON = "\x00json:"
_SUMMARY = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
_ORIGINS: dict[str, Origin] = {"cli": "terminal", "tui": "terminal", "": "terminal", "cron": "cron"}


def message(row: dict[str, Any]) -> dict[str, Any]:
    """A row as a chat message: encoded content decoded, what was really sent preferred."""
    body: Any = row.get("api_content") or row.get("content")
    if isinstance(body, str) and body.startswith(_JSON):
        body = _loads(body[len(_JSON) :])
    calls: Any = row.get("tool_calls")
    if isinstance(calls, str):
        calls = _loads(calls)
    return {
        "role": row.get("role"),
        "content": body,
        "tool_calls": listing(calls),
        "tool_call_id": row.get("tool_call_id"),
        "name": row.get("tool_name"),
        "timestamp": row.get("timestamp"),
        "reasoning": string(row.get("reasoning_content")) or string(row.get("reasoning")),
    }


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _key(item: dict[str, Any]) -> tuple[str, str, str, str]:
    calls = ",".join(string(call.get("id")) for call in item["tool_calls"] if isinstance(call, dict))
    return string(item["role"]), plain(content(item["content"])), string(item["tool_call_id"]), calls


def _summary(row: dict[str, Any], item: dict[str, Any]) -> bool:
    if row.get("_compressed_summary"):
        return True
    body = item["content"]
    if body is None or string(item["role"]) not in {"user", "assistant"}:
        return False
    return plain(content(body))[:40].lstrip().startswith(_SUMMARY)


def history(name: str, rows: Iterable[dict[str, Any]]) -> Draft:
    """The draft of a session, or of a whole lineage, from its rows in the order they were written."""
    taken_back = copies = 0
    items: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for row in rows:
        if row.get("active") == 0 and not row.get("compacted"):
            taken_back += 1
        else:
            items.append((row, message(row)))
    if not any(_summary(row, item) for row, item in items):
        return _done(session(name, [item for _, item in items]), taken_back, 0)
    kept: list[Any] = []
    keys: list[tuple[str, str, str, str]] = []
    place = 0
    while place < len(items):
        row, item = items[place]
        place += 1
        if not _summary(row, item):
            kept.append(item)
            keys.append(_key(item))
            continue
        head = _same_ends(keys)
        copies += head
        if head:
            del keys[-head:]
            del kept[-head:]
        kept.append(Compacted(content(item["content"]), when(item["timestamp"])))
        # Copies of the tail: the next rows are the last ones before the summary, in the same order.
        ahead = [_key(later) for _, later in items[place : place + len(keys)]]
        tail = next((n for n in range(len(ahead), 0, -1) if ahead[:n] == keys[-n:]), 0)
        copies += tail
        place += tail
    return _done(session(name, kept), taken_back, copies)


def _done(draft: Draft, taken_back: int, copies: int) -> Draft:
    if taken_back:
        draft.skipped["taken back by the user, or an original whose copy is live"] += taken_back
    if copies:
        draft.skipped["copy of an earlier row, made by a compaction"] += copies
    return draft


def _same_ends(keys: list[tuple[str, str, str, str]]) -> int:
    """How many of the last rows repeat the first ones: the head, written again before a summary."""
    limit = min(len(keys) // 2, 50)
    return next((n for n in range(limit, 0, -1) if keys[-n:] == keys[:n]), 0)


def describe(draft: Draft, row: dict[str, Any], *, child: bool) -> None:
    """Fill a draft's session fields from a `sessions` row; Hermes's input counts leave cached tokens out."""
    draft.model = string(row.get("model"))
    draft.system = string(row.get("system_prompt")) or draft.system
    draft.started_at = when(row.get("started_at"))
    source = string(row.get("source"))
    draft.origin = "subagent" if child else _ORIGINS.get(source, "gateway")
    draft.finished = row.get("ended_at") is not None or number(row.get("ended_at")) is not None


def totals(rows: Iterable[dict[str, Any]]) -> tuple[int, int, int] | None:
    """(prompt, output, calls) summed over the `sessions` rows of a lineage, None when nothing was counted."""
    prompt = output = calls = 0
    for row in rows:
        prompt += sum(amount(row.get(key)) for key in ("input_tokens", "cache_read_tokens", "cache_write_tokens"))
        output += amount(row.get("output_tokens"))
        calls += amount(row.get("api_call_count"))
    return (prompt, output, calls) if prompt else None
