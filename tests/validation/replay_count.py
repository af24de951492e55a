"""Counts of transcript files by plain reading, sharing no code with the importers they check.

Each counter looks for the few fields it needs and adds up; where a format repeats itself the rule is written out here
once more, in the fewest words. A counter returns None for a file that is not of its kind.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Count:
    """What a file holds: records, sessions, model calls, tool calls, recorded tokens."""

    format: str
    rows: int = 0
    sessions: int = 0
    calls: int = 0
    tools: int = 0
    input: int = 0
    read: int = 0
    written: int = 0
    output: int = 0


def _lines(path: Path) -> list[Any]:
    found = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.strip():
            try:
                found.append(json.loads(line))
            except ValueError:
                found.append(None)
    return found


def _document(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except ValueError:
        return None


def claude_code(path: Path) -> Count | None:
    """One usage for each message id: that of the line with the largest output; a side chain starts at a root."""
    rows = [row for row in _lines(path) if isinstance(row, dict)]
    answers = [r for r in rows if r.get("type") == "assistant" and "uuid" in r]
    if not answers:
        return None
    count = Count("claude-code", rows=len(_lines(path)))
    best: dict[str, dict[str, int]] = {}
    tools = set()
    for row in answers:
        message = row["message"]
        if message.get("model") == "<synthetic>":
            continue
        use = message["usage"]
        if message["id"] not in best or use["output_tokens"] >= best[message["id"]]["output_tokens"]:
            best[message["id"]] = use
        tools |= {part["id"] for part in message["content"] if part["type"] == "tool_use"}
    side = [r for r in rows if r.get("isSidechain") and r.get("parentUuid") is None]
    count.sessions = len(side) + any(not r.get("isSidechain") for r in answers)
    count.calls, count.tools = len(best), len(tools)
    for use in best.values():
        count.read += use["cache_read_input_tokens"]
        count.written += use["cache_creation_input_tokens"]
        count.input += use["input_tokens"] + use["cache_read_input_tokens"] + use["cache_creation_input_tokens"]
        count.output += use["output_tokens"]
    return count


def hash_trace(path: Path) -> Count | None:
    """Requests and those of nested sub-agents; held against the trace's own totals."""
    data = _document(path)
    if not isinstance(data, dict) or "block_size" not in data:
        return None
    groups = [[r for r in data["requests"] if "in" in r]] + [r["requests"] for r in data["requests"] if "requests" in r]
    flat = [r for group in groups for r in group]
    count = Count("hash-trace", len(flat), len(groups), len(flat))
    count.input, count.output = sum(r["in"] for r in flat), sum(r["out"] for r in flat)
    totals = data.get("totals", {}).get("combined_tokens")
    if totals and (totals["input"], totals["output"]) != (count.input, count.output):
        raise ValueError(f"{path.name}: totals of the trace {totals} are not the sums {count}")
    return count


def mooncake(path: Path) -> Count | None:
    """Lines with lengths; a session is a chain of prompts of which each starts with all whole blocks of one before."""
    rows = [row for row in _lines(path) if isinstance(row, dict)]
    if not rows or "input_length" not in rows[0]:
        return None
    tips: dict[tuple[int, ...], int] = {}
    sessions = 0
    for row in rows:
        blocks = tuple(row["hash_ids"])
        found = next((tips[blocks[:n]] for n in range(len(blocks), 1, -1) if blocks[:n] in tips), None)
        if found is None:
            found = sessions
            sessions += 1
        tips[blocks[:-1]] = found
    tokens = sum(row["input_length"] for row in rows), sum(row["output_length"] for row in rows)
    return Count("mooncake", len(rows), sessions, len(rows), 0, tokens[0], 0, 0, tokens[1])


def azure(path: Path) -> Count | None:
    """Rows of the CSV."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        if not file.readline().startswith("TIMESTAMP,ContextTokens"):
            return None
        rows = [row for row in csv.reader(file) if row]
    tokens = sum(int(row[1]) for row in rows), sum(int(row[2]) for row in rows)
    return Count("csv-trace", len(rows), len(rows), len(rows), 0, tokens[0], 0, 0, tokens[1])


def tracelab(path: Path) -> Count | None:
    """Rounds; Codex has no writes."""
    rows = [row for row in _lines(path) if isinstance(row, dict)]
    if not rows or "round_index" not in rows[0]:
        return None
    count = Count("tracelab", len(rows), len({row["session_id"] for row in rows}), len(rows))
    for row in rows:
        count.input += row["input_tokens_total"]
        count.read += row["prefix_tokens"]
        count.written += row["claude_cache_creation_input_tokens"] or 0
        count.output += row["output_tokens"]
    # A tool call of the last round of a session, or of one before a person's message, ends no round of its own.
    count.tools = -1
    return count


def sharegpt(path: Path) -> Count | None:
    """Values of `gpt` are calls, `<tool_call>` are tool calls."""
    rows = [row for row in _lines(path) if isinstance(row, dict)]
    if not rows or "conversations" not in rows[0]:
        return None
    values = [one for row in rows for one in row["conversations"]]
    answers = [one["value"] for one in values if one["from"] == "gpt"]
    return Count("hermes-sharegpt", len(values), len(rows), len(answers), sum(v.count("<tool_call>") for v in answers))


def openhands(path: Path) -> Count | None:
    """Calls by the id of the response; without ids every action that is not the user's first message."""
    rows = [row for row in _lines(path) if isinstance(row, dict)]
    if not rows or not isinstance(rows[0].get("history"), list):
        return None
    count = Count("openhands", sessions=len(rows))
    for row in rows:
        events = row["history"]
        count.rows += len(events)
        responses = {}
        for event in events:
            if event.get("tool_call_metadata"):
                response = event["tool_call_metadata"]["model_response"]
                responses[response["id"]] = response
        for response in responses.values():
            count.calls += 1
            count.input += response["usage"]["prompt_tokens"]
            count.output += response["usage"]["completion_tokens"]
            count.tools += len(response["choices"][0]["message"]["tool_calls"] or ())
        if not responses:
            plain = [e["action"] for e in events[1:] if e.get("action")]
            count.calls += len(plain)
            count.tools += sum(action not in {"message", "finish"} for action in plain)
    return count


def swe_agent(path: Path) -> Count | None:
    """Rows of the history; answers are calls."""
    data = _document(path)
    if not isinstance(data, dict) or "trajectory" not in data or "history" not in data:
        return None
    answers = [row for row in data["history"] if row["role"] == "assistant" and not row.get("is_demo")]
    return Count(
        "swe-agent", len(data["history"]), 1, len(answers), sum(len(r.get("tool_calls") or ()) for r in answers)
    )


def mini_swe(path: Path) -> Count | None:
    """Messages; every answer runs one command."""
    data = _document(path)
    rows = data if isinstance(data, list) else (data or {}).get("messages") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not any("```" in str(row.get("content")) for row in rows):
        return None
    answers = [row for row in rows if row.get("role") == "assistant"]
    return Count("mini-swe-agent", len(rows), 1, len(answers), len(answers))


COUNTERS: tuple[Callable[[Path], Count | None], ...] = (
    claude_code, hash_trace, mooncake, azure, tracelab, sharegpt, openhands, swe_agent, mini_swe,
)  # fmt: skip


def count_file(path: Path) -> Count | None:
    """The count of a file by the first counter that knows it."""
    for counter in COUNTERS:
        if (found := counter(path)) is not None:
            return found
    return None
