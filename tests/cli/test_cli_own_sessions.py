"""`fit` and `workload`: a preset out of a person's own sessions, and presets held against measured figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sim.cli._group import cli
from sim.errors import TranscriptError, UsageError


def session(path: Path, *, calls: int = 8, discount: int = 1, name: str = "s1") -> Path:
    """A Claude Code session whose usage follows the provider's rules: each call reads what the last one wrote."""
    lines: list[dict[str, Any]] = []
    parent, read, stamp = None, 0, 0

    def add(kind: str, message: dict[str, Any]) -> None:
        nonlocal parent, stamp
        stamp += 10
        uuid = f"{name}-{len(lines)}"
        time = f"2026-06-01T10:{stamp // 60:02}:{stamp % 60:02}.000Z"
        lines.append(
            {"type": kind, "uuid": uuid, "parentUuid": parent, "timestamp": time, "sessionId": name, "message": message}
        )
        parent = uuid

    add("user", {"role": "user", "content": "Find out why the import is slow."})
    for i in range(calls):
        write = (9_000 if i == 0 else 700) // discount
        usage = {
            "input_tokens": 3,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": write,
            "cache_creation": {"ephemeral_5m_input_tokens": write, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 60,
        }
        read += write
        last = i == calls - 1
        use = {"type": "tool_use", "id": f"t{i}", "name": "Bash", "input": {"command": f"time step {i}"}}
        content = [{"type": "text", "text": "It was the parser."}] if last else [use]
        add(
            "assistant",
            {
                "id": f"{name}-m{i}",
                "role": "assistant",
                "model": "claude-sonnet-4-5-20250929",
                "content": content,
                "usage": usage,
            },
        )
        if not last:
            text = "\n".join(f"{k} rows in {k * i} ms" for k in range(60))
            add("user", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{i}", "content": text}]})
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    return path


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(cli, [str(a) for a in arguments], catch_exceptions=False, standalone_mode=False)


def test_fit_writes_a_preset_that_loads_and_holds_no_text(tmp_path: Path) -> None:
    from sim.workload import load_preset

    out = tmp_path / "mine.yaml"
    invoke("fit", session(tmp_path / "s.jsonl"), "-o", out)
    assert load_preset(str(out)).name == "mine"
    assert "parser" not in out.read_text("utf-8")
    with pytest.raises(UsageError, match="--force"):
        invoke("fit", tmp_path / "s.jsonl", "-o", out)


def test_every_preset_is_listed_and_can_be_checked() -> None:
    listed = invoke("workload", "list").stdout
    assert "long-haul" in listed
    rows = json.loads(invoke("workload", "check", "coding-2026", "--sessions", "40", "--json").stdout)["rows"]
    assert {"quantity", "target", "observed", "met"} <= set(rows[0])


def test_reconcile_without_any_recorded_usage_says_so(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    rows = [{"role": "user", "content": "Why is the build red?"}, {"role": "assistant", "content": "foo.c is missing."}]
    path.write_text(json.dumps({"messages": rows}), encoding="utf-8")
    result = CliRunner().invoke(cli, ["reconcile", str(path)])
    assert isinstance(result.exception, TranscriptError)
    assert "has recorded usage" in str(result.exception)
    counted = CliRunner().invoke(cli, ["reconcile", str(path), "--json"])
    assert json.loads(counted.output)["calls"] == 0
