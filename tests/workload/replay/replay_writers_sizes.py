"""Samples of logs and traces that hold sizes only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from replay_writing import T0, document, iso, lines

# sizes only --------------------------------------------------------------------------------------------------------


def mooncake(path: Path) -> None:
    """The third request goes on from the first; the second stands alone; one line lacks a size."""
    lines(path, [
        {"timestamp": 0, "input_length": 1_100, "output_length": 50, "hash_ids": [0, 1, 2]},
        {"timestamp": 10, "input_length": 600, "output_length": 5, "hash_ids": [0, 9]},
        {"timestamp": 20_000, "input_length": 1_700, "output_length": 60, "hash_ids": [0, 1, 3, 4]},
        {"timestamp": 30_000, "input_length": -5, "output_length": 1, "hash_ids": []},
    ])  # fmt: skip


def hash_trace(path: Path) -> None:
    """A main chain with a rewrite and a sub-agent."""

    def request(t: float, size: int, out: int, blocks: list[int], kind: str) -> dict[str, Any]:
        return {
            "t": t,
            "type": "n",
            "model": "claude-opus-4-6",
            "in": size,
            "out": out,
            "hash_ids": blocks,
            "input_types": [kind],
            "output_types": ["text"],
            "stop": "end_turn",
            "api_time": 2.0,
            "think_time": 1,
        }

    sub = {
        "t": 5.0,
        "type": "subagent",
        "agent_id": "ag",
        "tool_tokens": 64,
        "system_tokens": 10,
        "requests": [request(0, 100, 7, [50, 51], "text")],
    }
    document(path, {"id": "tr", "models": ["claude-opus-4-6"], "block_size": 64, "tool_tokens": 64, "system_tokens": 40,
                    "requests": [request(0, 150, 20, [1, 2, 3], "text"), sub,
                                 request(10, 220, 30, [1, 2, 3, 4], "tool_result"),
                                 request(400, 130, 5, [1, 9, 8], "text")]})  # fmt: skip


def tracelab(path: Path) -> None:
    """One Claude and one Codex round."""

    def round_(provider: str, **more: Any) -> dict[str, Any]:
        return {
            "provider": provider,
            "session_id": provider,
            "round_index": 0,
            "round_id": "r",
            "model": "m",
            "timing_events": [
                {"event_type": "user_message", "timestamp": iso(0)},
                {"event_type": "text", "timestamp": iso(3)},
            ],
            "tools": [],
            **more,
        }

    lines(path, [
        round_("claude", input_tokens_total=1_000, prefix_tokens=700, newly_append_tokens=300,
               claude_uncached_input_tokens=10, claude_cache_creation_input_tokens=290,
               claude_cache_read_input_tokens=700, output_tokens=40),
        round_("codex", input_tokens_total=2_000, prefix_tokens=1_900, newly_append_tokens=100, output_tokens=9,
               claude_uncached_input_tokens=None),
    ])  # fmt: skip


def azure(path: Path) -> None:
    """A row with a negative size."""
    path.write_text(
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"
        "2023-11-16 18:17:04.0319600,3180,8\n2023-11-16 18:17:05.0,-3,8\n",
        encoding="utf-8",
    )


def litellm(path: Path) -> None:
    """An answer out of LiteLLM's own cache; metadata as text."""

    def row(n: int, **more: Any) -> dict[str, Any]:
        return {
            "request_id": f"q{n}",
            "session_id": "s",
            "model": "gpt-4o",
            "spend": 0.1,
            "prompt_tokens": 1_000,
            "completion_tokens": 20,
            "startTime": iso(10 * n),
            "endTime": iso(10 * n + 3),
            "cache_hit": "False",
            **more,
        }

    meta = {"usage_object": {"prompt_tokens_details": {"cached_tokens": 896}}}
    document(path, [row(0), row(1, metadata=json.dumps(meta)), row(2, cache_hit="True")])


def otel(path: Path) -> None:
    """A cached count above the input: cached tokens are not in it. A tool span beside."""

    def span(n: int, name: str, **attributes: Any) -> dict[str, Any]:
        found = [
            {"key": k, "value": {"intValue": str(v)} if isinstance(v, int) else {"stringValue": v}}
            for k, v in attributes.items()
        ]
        return {
            "traceId": "t",
            "spanId": str(n),
            "name": name,
            "startTimeUnixNano": str((T0 + 10 * n) * 10**9),
            "endTimeUnixNano": str((T0 + 10 * n + 2) * 10**9),
            "attributes": found,
        }

    def chat_span(n: int, fresh: int, read: int) -> dict[str, Any]:
        return span(
            n,
            "chat m",
            **{
                "gen_ai.usage.input_tokens": fresh,
                "gen_ai.usage.output_tokens": 12,
                "gen_ai.usage.cache_read.input_tokens": read,
                "gen_ai.request.model": "m",
            },
        )

    spans = [chat_span(0, 500, 0), span(1, "execute_tool ls", **{"gen_ai.tool.name": "ls"}), chat_span(2, 20, 500)]
    document(path, {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
