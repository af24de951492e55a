"""Hermes trajectories (`trajectory_samples.jsonl`, batch runs): ShareGPT conversations.

`gpt` values hold `<think>`, text and `<tool_call>` blocks; all results of one reply share one `tool` value. The system
text is a fixed template, not the prompt that was sent. There is no usage and no time of single messages.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sim.workload.replay.drafts import Called, Draft, Said, Used
from sim.workload.replay.source import Source
from sim.workload.replay.values import as_text, listing, mapping, string, when

NAME = "hermes-sharegpt"
_THINK = re.compile(r"<think>(.*?)</think>\s*", re.DOTALL)
_CALL = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_ANSWER = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)
_TOOLS = re.compile(r"<tools>\s*(\[.*?\])\s*</tools>", re.DOTALL)
_FROM = {"system", "human", "user", "gpt", "assistant", "tool"}


def _conversation(item: object) -> list[Any]:
    rows = listing(mapping(item).get("conversations"))
    first = mapping(rows[0]) if rows else {}
    return rows if string(first.get("from")) in _FROM and "value" in first else []


def recognise(source: Source) -> bool:
    """Objects with `conversations` of `from` and `value`."""
    if any(_conversation(item) for item in source.objects[:5]):
        return True
    document = source.document
    return any(_conversation(item) for item in (document if isinstance(document, list) else [document])[:5])


def read(source: Source) -> list[Draft]:
    """One session a line (or element of a list)."""
    if source.objects:
        return [_session(source, item, f"{source.stem}-{line}") for line, item in source.records()]
    document = source.document
    items = document if isinstance(document, list) else [document]
    return [_session(source, mapping(item), f"{source.stem}-{n}") for n, item in enumerate(items, 1)]


def _session(source: Source, item: dict[str, Any], name: str) -> Draft:
    draft = Draft(name, model=string(item.get("model")), started_at=when(item.get("timestamp")))
    draft.finished = item.get("completed") is not False
    waiting: list[Used] = []
    for row in _conversation(item):
        reason = _row(draft, mapping(row), waiting)
        if reason:
            draft.skipped[reason] += 1
        else:
            draft.used += 1
    if not _conversation(item):
        draft.skipped["an object without a conversation"] += 1
    draft.notes.append("the system text is a fixed template, not the prompt that was sent: it is left out")
    return draft


def _row(draft: Draft, row: dict[str, Any], waiting: list[Used]) -> str | None:
    who, value = string(row.get("from")), string(row.get("value"))
    if who == "system":
        found = _TOOLS.search(value)
        if found:
            tools = _json(found.group(1))
            draft.schemas = [tool for tool in listing(tools) if isinstance(tool, dict)]
        return None if draft.schemas else "template system text"
    if who in {"human", "user"}:
        draft.events.append(Said(value))
        return None
    if who in {"gpt", "assistant"}:
        call = _call(value, len(draft.events))
        draft.events.append(call)
        waiting[:] = call.tools
        return None
    if who == "tool":
        answers = _ANSWER.findall(value) or [value]
        found_any = False
        for answer in answers:
            found_any |= _answer(_json(answer), answer, waiting)
        return None if found_any else "tool result without its call"
    return f"unknown speaker: {who!r}"[:60]


def _call(value: str, place: int) -> Called:
    thinking = "\n".join(part.strip() for part in _THINK.findall(value))
    rest = _THINK.sub("", value)
    call = Called(text=_CALL.sub("", rest).strip(), thinking=thinking)
    for found in _CALL.findall(rest):
        made = mapping(_json(found))
        call.tools.append(
            Used(
                string(made.get("id")) or f"call-{place}-{len(call.tools)}",
                string(made.get("name")) or "tool",
                as_text(made.get("arguments", found if not made else {})),
            )
        )
    return call


def _answer(parsed: object, raw: str, waiting: list[Used]) -> bool:
    """Results name their call; those that do not belong to the calls in order."""
    body = mapping(parsed)
    ident = string(body.get("tool_call_id"))
    open_calls = [tool for tool in waiting if tool.result is None]
    tool = next((t for t in open_calls if t.id == ident), open_calls[0] if open_calls else None)
    if tool is None:
        return False
    tool.result = as_text(body["content"]) if "content" in body else raw
    if ident:
        tool.id = ident
    return True


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
