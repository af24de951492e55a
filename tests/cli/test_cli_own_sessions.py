"""`reconcile`, `verify`, `fit` and `workload`: the verbs about a person's own sessions, on a session written here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sim.cli._group import cli
from sim.errors import InputError, UsageError


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


def test_reconcile_predicts_the_cache_split_and_walks_to_the_bill(tmp_path: Path) -> None:
    found = json.loads(invoke("reconcile", session(tmp_path / "s.jsonl"), "--bill", "1.00", "--json").stdout)
    assert len(found["calls"]) == 8
    recorded, predicted = found["read_share"]["all"]
    assert predicted == pytest.approx(recorded, abs=0.01)
    assert found["waterfall"][-1]["total_usd"] == "1.00"
    text = invoke("reconcile", tmp_path / "s.jsonl").stdout
    assert "started by a tool result" in text


@pytest.mark.parametrize("bill", ["much", "-3"])
def test_a_bill_that_is_no_amount(tmp_path: Path, bill: str) -> None:
    with pytest.raises(InputError, match="dollars"):
        invoke("reconcile", session(tmp_path / "s.jsonl"), "--bill", bill)


def test_fit_writes_a_preset_that_loads_and_holds_no_text(tmp_path: Path) -> None:
    from sim.workload import load_preset

    out = tmp_path / "mine.yaml"
    invoke("fit", session(tmp_path / "s.jsonl"), "-o", out)
    assert load_preset(str(out)).name == "mine"
    assert "parser" not in out.read_text("utf-8")
    with pytest.raises(UsageError, match="--force"):
        invoke("fit", tmp_path / "s.jsonl", "-o", out)


def test_verify_needs_sessions_enough_to_tell(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    saving = {"mean": 20.0, "low": 10.0, "high": 30.0}
    paired = [{"arm": "cap", "baseline": "base", "saving_pct": saving}]
    (run / "manifest.json").write_text(json.dumps({"ledger_schema": 1, "result": {"paired": paired}}), "utf-8")
    before = session(tmp_path / "before.jsonl")
    after = session(tmp_path / "after.jsonl", discount=2, name="s2")
    found = json.loads(invoke("verify", "--before", before, "--after", after, "--predicted", run, "--json").stdout)
    assert found["promised"] == pytest.approx(0.2)
    assert found["measured"] > 0.2
    assert found["verdict"] == "cannot tell"


def test_every_preset_is_listed_and_can_be_checked() -> None:
    listed = invoke("workload", "list").stdout
    assert "long-haul" in listed
    rows = json.loads(invoke("workload", "check", "coding-2026", "--sessions", "40", "--json").stdout)["rows"]
    assert {"quantity", "target", "observed", "met"} <= set(rows[0])
