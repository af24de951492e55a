"""Sessions made up for the dual system's tests."""

from __future__ import annotations

import json
import random
from typing import Any


def quarter(text: str) -> int:
    """A cheap token count: four bytes a token, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def log_text(lines: int, seed: int = 1, chinese: bool = False) -> str:
    """A server log with every level."""
    rng = random.Random(seed)
    levels = ["错误", "警告", "信息", "调试"] if chinese else ["ERROR", "WARN", "INFO", "DEBUG"]
    out = []
    for i in range(lines):
        level = rng.choices(levels, (2, 3, 85, 10))[0]
        what = (
            f"处理请求 {rng.randrange(10**6)} 用时 {rng.randrange(900)} 毫秒"
            if chinese
            else (f"request {rng.randrange(10**6)} to /api/v1/items/{rng.randrange(500)} took {rng.randrange(900)}ms")
        )
        mark = f"[{level}]" if chinese else level
        out.append(f"2024-01-15 10:{i // 60 % 60:02}:{i % 60:02} {mark} worker-{i % 7} {what}")
    return "\n".join(out)


def run_output(items: int, failing: int = 3) -> str:
    """Verbose output of a test run."""
    lines = [f"collected {items} items"]
    for i in range(items):
        word = "FAILED" if i % (items // failing + 1) == 7 else "PASSED"
        lines.append(f"tests/test_module_{i % 13}.py::test_case_{i} {word} [{i * 100 // items}%]")
    lines += [
        "=== FAILURES ===",
        "E   AssertionError: expected 3 but got 4",
        f"=== {items - failing} passed, {failing} failed ===",
    ]
    return "\n".join(lines)


def source_text(functions: int) -> str:
    """A Python module."""
    parts = ["import os", "", "", "class Store:", '    """Keeps things."""']
    for i in range(functions):
        parts += [
            "",
            f"    def method_{i}(self, value, limit={i}):",
            f"        total = value * {i} + limit",
            "        return total",
        ]
    return "\n".join(parts)


def session(steps: int, seed: int = 0, size: int = 1, chinese: bool = False) -> list[dict[str, Any]]:
    """Chat messages: a task, then `steps` tool calls with results of mixed kinds, a user message now and then."""
    rng = random.Random(seed)
    task = (
        "分析 server.log 的性能问题，不要修改 config.yaml"
        if chinese
        else "Find why server.log is slow; never edit config.yaml"
    )
    messages: list[dict[str, Any]] = [{"role": "user", "content": task}]
    for i in range(steps):
        calls = 1 + (rng.random() < 0.2)
        ids = [f"call_{i}_{k}" for k in range(calls)]
        kinds = [rng.choice(["log", "test", "table", "json", "source", "prose", "short"]) for _ in ids]
        arguments = [json.dumps({"path": f"src/part_{i}.{'py' if k == 'source' else 'txt'}"}) for k in kinds]
        names = ["read_file" if k in ("source", "prose") else "terminal" for k in kinds]
        messages.append(
            {
                "role": "assistant",
                "content": f"Step {i}: looking at part_{i}." if rng.random() < 0.7 else None,
                "tool_calls": [
                    {"id": c, "type": "function", "function": {"name": n, "arguments": a}}
                    for c, n, a in zip(ids, names, arguments, strict=True)
                ],
            }
        )
        for c, kind in zip(ids, kinds, strict=True):
            messages.append({"role": "tool", "tool_call_id": c, "content": _result(kind, rng, size, chinese)})
        if rng.random() < 0.1:
            messages.append({"role": "assistant", "content": f"Part {i} is done; see src/part_{i}.txt."})
            messages.append({"role": "user", "content": f"继续第 {i} 部分" if chinese else f"Go on with part {i}."})
    return messages


def _result(kind: str, rng: random.Random, size: int, chinese: bool) -> str:
    n = rng.randrange(40, 120) * size
    if kind == "log":
        return log_text(n, rng.randrange(99), chinese)
    if kind == "test":
        return run_output(n)
    if kind == "table":
        return "\n".join(["id,name,price", *(f"{i},item {i},{i * 1.5}" for i in range(n))])
    if kind == "json":
        return json.dumps({"total": n, "items": [{"id": i, "name": f"n{i}"} for i in range(n)]})
    if kind == "source":
        return source_text(n // 4)
    if kind == "prose":
        word = (
            "这是一个关于系统设计的说明，包含若干要点。" if chinese else "This note explains the design of the system. "
        )
        return word * n
    return "ok"
