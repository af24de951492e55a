"""Hermes session exports (JSON lines) and the snapshots `sessions/session_<id>.json`.

A lineage export repeats all messages at its top level; the segments alone are read then.
"""

from __future__ import annotations

from typing import Any

from sim.workload.replay.drafts import Draft
from sim.workload.replay.hermes_db import lineage_draft
from sim.workload.replay.hermes_rows import describe, history, totals
from sim.workload.replay.source import Source
from sim.workload.replay.values import listing, mapping, string, when

NAME = "hermes-export"


def _export(item: object) -> bool:
    one = mapping(item)
    rows = one.get("messages")
    return isinstance(rows, list) and "id" in one and "source" in one and "started_at" in one


def _snapshot(item: object) -> bool:
    one = mapping(item)
    return isinstance(one.get("messages"), list) and "session_id" in one and "session_start" in one


def recognise(source: Source) -> bool:
    """Objects with session fields and `messages`."""
    head = source.objects[:1] or [source.document]
    return any(_export(item) or _snapshot(item) for item in head)


def read(source: Source) -> list[Draft]:
    """One session a line, or the one of a snapshot."""
    if source.objects and _export(source.objects[0]):
        return [_session(item) for _, item in source.records()]
    document = mapping(source.document) or (source.objects[0] if source.objects else {})
    return [_session(document)]


def _session(item: dict[str, Any]) -> Draft:
    if _snapshot(item):
        draft = history(string(item.get("session_id")), _rows(item))
        draft.model = string(item.get("model"))
        draft.system = string(item.get("system_prompt")) or draft.system
        draft.schemas = [tool for tool in listing(item.get("tools")) if isinstance(tool, dict)]
        draft.started_at = when(item.get("session_start"))
        return draft
    segments = [mapping(one) for one in listing(item.get("segments"))]
    if segments:
        return lineage_draft(segments, {string(one.get("id")): _rows(one) for one in segments})
    draft = history(string(item.get("id")) or "session", _rows(item))
    describe(draft, item, child=bool(item.get("parent_session_id")))
    draft.totals = totals([item])
    return draft


def _rows(item: dict[str, Any]) -> list[dict[str, Any]]:
    return [mapping(row) for row in listing(item.get("messages"))]
