"""Samples of other agents' transcripts, each with the traps of its format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from replay_writers_first import claude_usage
from replay_writing import T0, document, iso, lines

# other agents ------------------------------------------------------------------------------------------------------


def codex(path: Path) -> None:
    """Mirrors, a repeated token count, an empty one, injected context, cumulative totals."""

    def item(at: float, kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": iso(at), "type": kind, "payload": payload}

    def tokens(at: float, last: tuple[int, int, int], total: int) -> dict[str, Any]:
        use = {
            "input_tokens": last[0],
            "cached_input_tokens": last[1],
            "output_tokens": last[2],
            "reasoning_output_tokens": 5,
            "total_tokens": last[0] + last[2],
        }
        return item(at, "event_msg", type="token_count",
                    info={"last_token_usage": use, "total_token_usage": {"total_tokens": total}})  # fmt: skip

    def said(role: str, text: str) -> dict[str, Any]:
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}

    lines(path, [
        item(0, "session_meta", id="cx", base_instructions={"text": "You are Codex."}),
        item(0, "turn_context", model="gpt-5.1-codex"),
        item(1, "response_item", **said("user", "<environment_context>cwd</environment_context>")),
        item(1, "response_item", **said("user", "list")),
        item(1, "event_msg", type="user_message", message="list"),
        item(2, "event_msg", type="token_count", info=None),
        item(3, "response_item", type="reasoning", summary=[], encrypted_content="x"),
        item(4, "response_item", type="function_call", name="exec_command", arguments="{}", call_id="f1"),
        tokens(4.1, (9_000, 6_912, 100), 9_100),
        tokens(4.2, (9_000, 6_912, 100), 9_100),
        item(6, "response_item", type="function_call_output", call_id="f1", output="a b"),
        item(8, "response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "a, b"}]),
        item(8, "event_msg", type="agent_message", message="a, b"),
        tokens(8.1, (9_200, 8_960, 20), 18_320),
    ])  # fmt: skip


def opencode(path: Path) -> None:
    """Reasoning beside output, a step-finish that repeats the counts, a pruned tool result."""
    tokens = {"input": 100, "output": 20, "reasoning": 30, "cache": {"read": 800, "write": 50}}
    state = {
        "status": "completed",
        "input": {"p": 1},
        "output": "text",
        "time": {"start": (T0 + 5) * 1000, "end": (T0 + 7) * 1000, "compacted": 1},
    }
    user = {
        "info": {"id": "m1", "role": "user", "time": {"created": T0 * 1000}},
        "parts": [{"type": "text", "text": "read it"}],
    }
    answer = {
        "info": {
            "id": "m2",
            "role": "assistant",
            "modelID": "claude-sonnet-4-5",
            "tokens": tokens,
            "time": {"created": (T0 + 1) * 1000, "completed": (T0 + 7) * 1000},
        },
        "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "text": "hm"},
            {"type": "text", "text": "ok"},
            {"type": "tool", "callID": "x", "tool": "read", "state": state},
            {"type": "step-finish", "tokens": tokens},
        ],
    }
    last = {"info": {"id": "m3", "role": "assistant", "modelID": "claude-sonnet-4-5",
                     "tokens": {**tokens, "reasoning": 0},
                     "time": {"created": (T0 + 8) * 1000, "completed": (T0 + 9) * 1000}},
            "parts": [{"type": "text", "text": "it says text"}]}  # fmt: skip
    document(path, {"info": {"id": "oc", "time": {"created": T0 * 1000}}, "messages": [user, answer, last]})


def pi(path: Path) -> None:
    """A branch that was left, an evicted result, a compaction entry, a line with a bad escape."""
    use = {"input": 50, "output": 10, "cacheRead": 900, "cacheWrite": 0, "totalTokens": 960, "cost": {"total": 1}}

    def entry(ident: str, parent: str | None, at: float, **message: Any) -> dict[str, Any]:
        return {"type": "message", "id": ident, "parentId": parent, "timestamp": iso(at), "message": message}

    call = [{"type": "toolCall", "id": "p1", "name": "bash", "arguments": {"c": 1}}]
    items = [
        {"type": "session", "version": 3, "id": "pp", "timestamp": iso(0), "cwd": "/x"},
        entry("1", None, 1, role="user", content=[{"type": "text", "text": "go"}]),
        entry("9", "1", 2, role="assistant", content=[{"type": "text", "text": "left"}], usage=use, model="m"),
        entry("2", "1", 3, role="assistant", content=call, usage=use, model="claude-opus-4-7"),
        entry("3", "2", 4, role="toolResult", toolCallId="p1", toolName="bash",
              content=[{"type": "text", "text": "[Compacted history content evicted to durable cold storage]"}]),
        {"type": "compaction", "id": "4", "parentId": "3", "timestamp": iso(5), "summary": "s", "tokensBefore": 9},
        entry("5", "4", 6, role="assistant", content=[{"type": "text", "text": "gone"}], usage=use,
              model="claude-opus-4-7"),
    ]  # fmt: skip
    data = "".join(json.dumps(item) + "\n" for item in items).splitlines(keepends=True)
    path.write_text("".join([*data[:3], '{"bad": "\\q"}\n', *data[3:]]), encoding="utf-8")


def gemini(path: Path) -> None:
    """Thoughts beside output, input with cached tokens, results inside the answer."""
    call = {
        "id": "g1",
        "name": "read_file",
        "args": {"p": "a"},
        "status": "success",
        "timestamp": iso(4),
        "result": [{"functionResponse": {"id": "g1", "name": "read_file", "response": {"output": "text"}}}],
    }
    tokens = {"input": 8_000, "output": 40, "cached": 6_000, "thoughts": 60, "tool": 0, "total": 8_100}
    document(path, {"sessionId": "ge", "startTime": iso(0), "messages": [
        {"id": "1", "timestamp": iso(0), "type": "user", "content": "read a"},
        {"id": "2", "timestamp": iso(3), "type": "gemini", "content": "", "tokens": tokens, "model": "gemini-2.5-pro",
         "toolCalls": [call], "thoughts": [{"subject": "s", "description": "d"}]},
        {"id": "3", "timestamp": iso(5), "type": "info", "content": "note"},
        {"id": "4", "timestamp": iso(6), "type": "gemini", "content": "text it is",
         "tokens": {**tokens, "input": 8_200},
         "model": "gemini-2.5-pro"},
    ]})  # fmt: skip


def gemini_stream(path: Path) -> None:
    """An answer in pieces; totals at the end only."""
    lines(path, [
        {"type": "init", "timestamp": iso(0), "session_id": "gs", "model": "gemini-2.5-pro"},
        {"type": "message", "timestamp": iso(0), "role": "user", "content": "read"},
        {"type": "message", "timestamp": iso(1), "role": "assistant", "content": "I ", "delta": True},
        {"type": "message", "timestamp": iso(2), "role": "assistant", "content": "read", "delta": True},
        {"type": "tool_use", "timestamp": iso(2), "tool_name": "read_file", "tool_id": "g1", "parameters": {}},
        {"type": "tool_result", "timestamp": iso(3), "tool_id": "g1", "status": "success", "output": ""},
        {"type": "message", "timestamp": iso(5), "role": "assistant", "content": "done", "delta": True},
        {"type": "result", "timestamp": iso(6), "stats": {"input_tokens": 900, "output_tokens": 80}},
    ])  # fmt: skip


def cline(path: Path) -> None:
    """Drafts, a command asked and said, requests that hold the whole last message."""

    def started(at: int, request: str, fresh: int) -> dict[str, Any]:
        text = {"request": request, "tokensIn": fresh, "tokensOut": 30, "cacheWrites": 100, "cacheReads": 900}
        return {"ts": (T0 + at) * 1000, "type": "say", "say": "api_req_started", "text": json.dumps(text)}

    document(path, [
        {"ts": T0 * 1000, "type": "say", "say": "text", "text": "fix it"},
        started(1, "<task>fix it</task>", 10),
        {"ts": (T0 + 2) * 1000, "type": "say", "say": "text", "text": "I l", "partial": True},
        {"ts": (T0 + 3) * 1000, "type": "say", "say": "text", "text": "I look"},
        {"ts": (T0 + 3) * 1000, "type": "ask", "ask": "command", "text": "ls"},
        {"ts": (T0 + 4) * 1000, "type": "say", "say": "command", "text": "ls"},
        {**started(5, "[execute_command] Result: a b", 12), "conversationHistoryDeletedRange": [2, 3]},
        {"ts": (T0 + 8) * 1000, "type": "say", "say": "completion_result", "text": "fixed"},
    ])  # fmt: skip


def openhands(path: Path) -> None:
    """Usage repeated on action and observation and for each parallel call."""

    def meta(ident: str, calls: list[str], tool: str, prompt: int) -> dict[str, Any]:
        made = [{"id": c, "function": {"name": "bash", "arguments": "{}"}} for c in calls]
        response = {
            "id": ident, "model": "qwen3", "choices": [{"message": {"content": "look", "tool_calls": made}}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": 20},
        }  # fmt: skip
        return {"tool_call_metadata": {"tool_call_id": tool, "model_response": response}}

    first = ["x", "y"]

    history = [
        {"id": 0, "timestamp": iso(0), "source": "agent", "action": "system", "args": {"content": "You are OH."}},
        {"id": 1, "timestamp": iso(1), "source": "user", "action": "message", "args": {"content": "fix"}},
        {"id": 2, "timestamp": iso(1), "source": "user", "action": "recall", "args": {}},
        {"id": 3, "timestamp": iso(4), "source": "agent", "action": "run", **meta("r1", first, "x", 3_000)},
        {"id": 4, "timestamp": iso(4), "source": "agent", "action": "run", **meta("r1", first, "y", 3_000)},
        {"id": 5, "timestamp": iso(5), "cause": 3, "observation": "run", "content": "1",
         **meta("r1", first, "x", 3_000)},
        {"id": 6, "timestamp": iso(6), "cause": 4, "observation": "run", "content": "2",
         **meta("r1", first, "y", 3_000)},
        {"id": 7, "timestamp": iso(9), "source": "agent", "action": "finish", **meta("r2", ["z"], "z", 3_100)},
    ]  # fmt: skip
    lines(
        path,
        [{"instance_id": "i1", "history": history, "metrics": {"accumulated_token_usage": {"prompt_tokens": 6_100}}}],
    )


def swe_agent(path: Path) -> None:
    """A demonstration in the prompt, results named by a list of ids, session totals."""
    call = [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]
    history = [
        {"role": "system", "content": "Setting."},
        {"role": "user", "content": "A demonstration.", "is_demo": True},
        {"role": "user", "content": "The task."},
        {"role": "assistant", "content": "I look.", "tool_calls": call, "thought": "I look."},
        {"role": "tool", "content": "a b", "tool_call_ids": ["c1"]},
        {"role": "assistant", "content": "I submit.", "tool_calls": []},
    ]
    step = {"action": "ls", "observation": "a b", "response": "I look.", "execution_time": 1.5}
    document(path, {"trajectory": [step, {**step, "action": "submit"}], "history": history,
                    "info": {"model_stats": {"tokens_sent": 2_000, "tokens_received": 60, "api_calls": 2}}
                    })  # fmt: skip


def mini_swe(path: Path) -> None:
    """Version 2: the provider's response beside each answer; results as messages."""

    def answer(text: str, prompt: int) -> dict[str, Any]:
        use = {"prompt_tokens": prompt, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 100}}
        return {"role": "assistant", "content": text, "extra": {"response": {"id": text[:3], "usage": use}}}

    document(path, {"trajectory_format": "mini-swe-agent-1.1", "info": {"config": {"model": "gpt-5.1"}}, "messages": [
        {"role": "system", "content": "One block."},
        {"role": "user", "content": "Fix it."},
        answer("Look:\n```bash\nls\n```", 500),
        {"role": "user", "content": "<returncode>0</returncode>\n<output>a</output>"},
        answer("Done:\n```bash\nsubmit\n```", 600),
        {"role": "exit", "content": "diff"},
    ]})  # fmt: skip


def atif(path: Path) -> None:
    """Prompt tokens with the cached ones in them; results inside the step."""
    metrics = {"prompt_tokens": 700, "completion_tokens": 25, "cached_tokens": 512, "cost_usd": 0.1}
    steps = [
        {"step_id": 1, "timestamp": iso(0), "source": "system", "message": "You act."},
        {"step_id": 2, "timestamp": iso(1), "source": "user", "message": "act"},
        {"step_id": 3, "timestamp": iso(4), "source": "agent", "message": "ok", "reasoning_content": "hm",
         "tool_calls": [{"tool_call_id": "q", "function_name": "ls", "arguments": {}}],
         "observation": {"results": [{"source_call_id": "q", "content": "a"}]}, "metrics": metrics},
        {"step_id": 4, "timestamp": iso(6), "source": "agent", "message": "acted", "metrics": metrics},
    ]  # fmt: skip
    document(path, {"schema_version": "ATIF-v1.4", "session_id": "at", "steps": steps,
                    "agent": {"name": "x", "version": "1", "model_name": "gpt-5.1"},
                    "final_metrics": {"total_prompt_tokens": 1_400}})  # fmt: skip


def anthropic(path: Path) -> None:
    """A request body with block content; text beside a result belongs to the harness."""
    document(path, {"model": "claude-opus-4-7", "system": [{"type": "text", "text": "Be brief."}],
                    "tools": [{"name": "ls", "input_schema": {"type": "object"}}], "messages": [
        {"role": "user", "content": "list"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ls", "input": {}}],
         "usage": claude_usage(4, 100, 200, 0, 20)},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a"},
                                     {"type": "text", "text": "<reminder/>"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "a"}], "usage": claude_usage(4, 300, 50, 0, 5)},
    ]})  # fmt: skip


def managed(path: Path) -> None:
    """Cumulative usage rows, a second thread that runs between."""

    def event(kind: str, at: float, role: str = "agent", content: Any = None, **raw: Any) -> dict[str, Any]:
        return {"role": role, "kind": kind, "content": content, "time": iso(at), "raw": raw}

    lines(path, [
        event("message", 0, "user", "list"),
        event("model_request_start", 0.5),
        event("tool_use", 2, id="t", name="ls", input={}),
        event("model_request_end", 2.1, model_usage=claude_usage(4, 0, 900, 0, 30)),
        {**event("message", 2.5, "user", "other"), "session_thread_id": "th2"},
        {**event("message", 3, "agent", "mine"), "session_thread_id": "th2"},
        {**event("model_request_end", 3.1, model_usage=claude_usage(1, 0, 100, 0, 3)), "session_thread_id": "th2"},
        event("usage", 3.2, content={"input_tokens": 9_999}),
        event("tool_result", 4, tool_use_id="t", content="a"),
        event("message", 6, "agent", "a it is"),
        event("model_request_end", 6.1, model_usage=claude_usage(2, 904, 40, 0, 8)),
    ])  # fmt: skip


def antigravity(path: Path) -> None:
    """Reminders after every step, results as steps of the model with times in the text."""

    def step(source: str, kind: str, content: str, **more: Any) -> dict[str, Any]:
        return {"source": source, "type": kind, "content": content, **more}

    lines(path, [
        step("USER", "USER_INPUT", "list", created_at=iso(0)),
        step("SYSTEM", "EPHEMERAL_MESSAGE", "remember"),
        step("MODEL", "PLANNER_RESPONSE", "I list", created_at=iso(3),
                 tool_calls=[{"name": "run", "args": {"c": "ls"}}]),
        step("MODEL", "RUN_COMMAND", f"Created At: {iso(3)}\nCompleted At: {iso(5)}\na b"),
        step("SYSTEM", "EPHEMERAL_MESSAGE", "remember"),
        step("SYSTEM", "CHECKPOINT", "so far"),
        step("MODEL", "PLANNER_RESPONSE", "a and b", created_at=iso(8)),
        step("SYSTEM", "CONVERSATION_HISTORY", ""),
    ])  # fmt: skip


def aider(path: Path) -> None:
    """Two chats; rounded counts with a cache hit."""
    path.write_text(
        "\n# aider chat started at 2025-06-15 15:06:40\n\n> Main model: gpt-4o with diff edit format\n\n"
        "#### add a flag\n#### and a test\n\nSure:\n\ncode\n\n"
        "> Tokens: 6.0k sent, 1.2k cache hit, 3.8k received. Cost: $0.05 message, $0.05 session.\n"
        "\n# aider chat started at 2025-06-15 16:06:40\n\n#### thanks\n\nWelcome.\n\n"
        "> Tokens: 1.0k sent, 10 received.\n",
        encoding="utf-8",
    )
