"""Small transcripts of every format, written for these tests, with what an importer must find.

Each sample names what a count by hand gives: records, calls, tool calls, recorded prompt and output tokens. The traps
of each format (repeated usage, placeholders, mirrors, cumulative counters, cut lines) are in the sample itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from replay_writers_agents import (
    aider,
    anthropic,
    antigravity,
    atif,
    cline,
    codex,
    gemini,
    gemini_stream,
    managed,
    mini_swe,
    opencode,
    openhands,
    pi,
    swe_agent,
)
from replay_writers_first import chat, claude, hermes_db, hermes_export, sharegpt
from replay_writers_sizes import azure, hash_trace, litellm, mooncake, otel, tracelab


@dataclass(frozen=True)
class Sample:
    """A format's sample and the counts it must give."""

    format: str
    write: Callable[[Path], None]
    sessions: int
    rows: int
    used: int
    calls: int
    tools: int
    input: int = 0
    read: int = 0
    written: int = 0
    output: int = 0
    text: bool = True
    users: int = 1
    skipped: dict[str, int] = field(default_factory=dict)
    suffix: str = ".jsonl"


SAMPLES: tuple[Sample, ...] = (
    Sample("claude-code", claude, 2, 14, 9, 3, 2, 24_713, 10_003, 14_700, 480,
           users=2, skipped={"not a message: summary": 1, "repeated line (same uuid)": 1, "cut-off last line": 1,
                    "synthetic answer (no model call)": 1, "local command (not sent to the model)": 1}),
    Sample("openai-chat", chat, 1, 7, 6, 2, 2, 1_500, 1_024, 0, 60, suffix=".json",
           skipped={"tool result without its call": 1}),
    Sample("hermes-db", hermes_db, 1, 11, 7, 3, 1, users=2, suffix=".db",
           skipped={"taken back by the user, or an original whose copy is live": 1,
                    "copy of an earlier row, made by a compaction": 3}),
    Sample("hermes-export", hermes_export, 2, 7, 7, 3, 0, users=3),
    Sample("hermes-sharegpt", sharegpt, 1, 5, 5, 2, 2),
    Sample("codex", codex, 1, 14, 10, 2, 1, 18_200, 15_872, 0, 120, users=2,
           skipped={"mirror or notice: user_message": 1, "mirror or notice: agent_message": 1,
                    "repeated token count": 1, "token count without counts": 1}),
    Sample("opencode", opencode, 1, 3, 3, 2, 1, 1_900, 1_600, 100, 70, suffix=".json"),
    Sample("pi", pi, 1, 8, 6, 2, 1, 1_900, 1_800, 0, 20, skipped={"invalid JSON": 1, "on another branch": 1}),
    Sample("gemini", gemini, 1, 4, 3, 2, 1, 16_200, 12_000, 0, 200, suffix=".json", skipped={"notice: info": 1}),
    Sample("gemini-stream", gemini_stream, 1, 8, 8, 2, 1),
    Sample("cline", cline, 1, 8, 5, 2, 1, 2_022, 1_800, 200, 60, suffix=".json",
           skipped={"row before the first request": 1, "draft of a later row": 1, "asked and said alike": 1}),
    Sample("openhands", openhands, 1, 8, 7, 2, 3, 6_100, 0, 0, 40, skipped={"notice: recall": 1}),
    Sample("swe-agent", swe_agent, 1, 6, 6, 2, 1, users=2, suffix=".traj"),
    Sample("mini-swe-agent", mini_swe, 1, 6, 5, 2, 1, 1_100, 200, 0, 60, suffix=".traj.json",
           skipped={"end of the run": 1}),
    Sample("atif", atif, 1, 4, 4, 2, 1, 1_400, 1_024, 0, 50, suffix=".json"),
    Sample("anthropic", anthropic, 1, 4, 4, 2, 1, 658, 400, 250, 25, suffix=".json"),
    Sample("anthropic-managed", managed, 2, 11, 10, 3, 1, 1_951, 904, 1_040, 41, users=2,
           skipped={"cumulative usage": 1}),
    Sample("antigravity", antigravity, 1, 8, 7, 2, 1, users=2, skipped={"notice: CONVERSATION_HISTORY": 1}),
    Sample("aider", aider, 2, 21, 20, 2, 0, 7_000, 1_200, 0, 3_810, users=2, suffix=".md",
           skipped={"line before the first chat": 1}),
    Sample("mooncake", mooncake, 2, 4, 3, 3, 0, 3_400, 0, 0, 115, text=False, users=3,
           skipped={"request without sizes": 1}),
    Sample("hash-trace", hash_trace, 2, 4, 4, 4, 1, 600, 0, 0, 62, text=False, users=3, suffix=".json"),
    Sample("tracelab", tracelab, 2, 2, 2, 2, 0, 3_000, 2_600, 290, 49, text=False, users=2),
    Sample("csv-trace", azure, 2, 3, 2, 2, 0, 7_988, 0, 0, 18, text=False, users=2, suffix=".csv",
           skipped={"row without sizes or time": 1}),
    Sample("litellm", litellm, 1, 3, 2, 2, 0, 2_000, 896, 0, 40, text=False, users=2, suffix=".json",
           skipped={"answered by LiteLLM's own cache": 1}),
    Sample("otel", otel, 1, 3, 2, 2, 0, 1_020, 500, 0, 24, text=False, users=2, suffix=".json",
           skipped={"span without usage": 1}),
)  # fmt: skip
