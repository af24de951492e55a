"""`replay`: a person's own session through other settings, from one command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sim.cli._group import cli


def transcript(path: Path, rounds: int = 12) -> Path:
    """An OpenAI chat export: a question, tool rounds with growing results, an answer."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are a careful assistant."},
        {"role": "user", "content": "Why does the nightly build fail?"},
    ]
    for i in range(rounds):
        call = {"id": f"c{i}", "type": "function", "function": {"name": "terminal", "arguments": f'{{"n": {i}}}'}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = "\n".join(f"2026-01-0{1 + i % 9} step {i}.{k} took {k * 7 % 113} ms" for k in range(120))
        messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": text})
    messages.append({"role": "assistant", "content": "A test leaves its port open."})
    path.write_text(json.dumps({"messages": messages}), encoding="utf-8")
    return path


def test_one_command_compares_defaults_cap_and_nothing(tmp_path: Path) -> None:
    source = transcript(tmp_path / "chat.json")
    arguments = ["replay", str(source), "--model", "claude-opus-4-7", "--out", str(tmp_path / "run"), "--json"]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    document = json.loads(result.stdout)
    assert [a["arm"] for a in document["arms"]] == ["defaults", "cap-230k", "no-compaction"]
    assert {a["calls"] for a in document["arms"]} == {13}
    assert {p["baseline"] for p in document["paired"]} == {"defaults"}


def test_own_configs_are_arms_by_file_name(tmp_path: Path) -> None:
    source = transcript(tmp_path / "chat.json", rounds=30)
    low, high = tmp_path / "low.yaml", tmp_path / "high.yaml"
    low.write_text("compression:\n  threshold_tokens: 40000\n", encoding="utf-8")
    high.write_text("compression:\n  enabled: true\n", encoding="utf-8")
    before = source.read_bytes()
    result = CliRunner().invoke(
        cli,
        [
            "replay",
            str(source),
            "--config",
            str(low),
            "--against",
            str(high),
            "--model",
            "claude-opus-4-7",
            "--out",
            str(tmp_path / "run"),
            "--json",
        ],
        catch_exceptions=False,
    )
    arms = {a["arm"]: a for a in json.loads(result.stdout)["arms"]}
    assert list(arms) == ["high", "low"]
    assert arms["low"]["trigger_tokens"] == 40_000
    assert arms["low"]["compactions"] > arms["high"]["compactions"] == 0
    assert source.read_bytes() == before
    # Nothing of the text is stored in the run folder.
    stored = b"".join(p.read_bytes() for p in (tmp_path / "run").rglob("*") if p.is_file())
    assert b"nightly build" not in stored


def test_a_transcript_without_a_model_says_what_to_do(tmp_path: Path) -> None:
    from sim.errors import UsageError

    source = transcript(tmp_path / "chat.json")
    with pytest.raises(UsageError, match="--model"):
        CliRunner().invoke(cli, ["replay", str(source)], catch_exceptions=False, standalone_mode=False)


def test_the_winner_ends_as_a_block_to_paste(tmp_path: Path) -> None:
    import yaml

    for i in range(4):
        transcript(tmp_path / f"chat-{i}.json", rounds=40 + 2 * i)
    low, high = tmp_path / "low.yaml", tmp_path / "high.yaml"
    low.write_text("compression:\n  threshold_tokens: 40000\n", encoding="utf-8")
    high.write_text("compression:\n  threshold: 0.9\n", encoding="utf-8")
    arguments = ["replay", *(str(tmp_path / f"chat-{i}.json") for i in range(4)), "--config", str(high)]
    arguments += ["--against", str(low), "--model", "claude-opus-4-7", "--out", str(tmp_path / "run")]
    printed = CliRunner().invoke(cli, arguments, catch_exceptions=False).stdout
    document = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))["result"]
    assert document["paired"][0]["verdict"] == "cheaper"
    assert yaml.safe_load(printed.partition("# config.yaml")[2]) == {"compression": {"threshold": 0.9}}
