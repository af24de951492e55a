"""Calls that stand in several files are paid for once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from replay_writers_first import claude_answer, claude_line, claude_usage, hermes_db
from replay_writing import T0, document, lines

from sim.history import RowMaker
from sim.workload.replay import import_transcripts


def talk(names: str, start: int = 0, parent: str | None = None) -> list[dict[str, Any]]:
    """A message and an answer for each letter; the letter names uuids and message ids."""
    items = []
    for n, name in enumerate(names, start):
        answer = claude_answer(f"m-{name}", {"type": "text", "text": f"answer {name}"}, claude_usage(1, 0, 900, 0, 9))
        items.append(claude_line("user", f"u-{name}", parent, n * 60, {"role": "user", "content": f"question {name}"}))
        items.append(claude_line("assistant", f"a-{name}", f"u-{name}", n * 60 + 5, answer))
        parent = f"a-{name}"
    return items


def test_a_resumed_session_is_counted_once(tmp_path: Path, maker: RowMaker) -> None:
    lines(tmp_path / "1.jsonl", talk("abc"))
    lines(tmp_path / "2.jsonl", talk("abcde"))
    found = import_transcripts([str(tmp_path)], maker=maker)
    assert [one.script.session for one in found] == ["2"]
    assert found[0].script.calls == 5
    assert found.passed_over == [(str(tmp_path / "1.jsonl"), "its sessions stand in another file")]
    assert any("session 1 is the beginning of this one" in note for note in found[0].report.notes)
    assert found[0].report.rows == 16


def test_a_fork_carries_the_rows_it_shares(tmp_path: Path, maker: RowMaker) -> None:
    lines(tmp_path / "1.jsonl", talk("ab") + talk("x", 9, "a-b"))
    lines(tmp_path / "2.jsonl", talk("ab") + talk("yz", 2, "a-b"))
    late, early = import_transcripts([str(tmp_path)], maker=maker)
    assert early.script.calls == 4
    assert late.script.calls == 1
    (turn,) = late.script.turns
    assert [row.text for row in turn.users] == ["question a", "answer a", "question b", "answer b", "question x"]


def test_the_same_file_twice_is_one_session(tmp_path: Path, maker: RowMaker) -> None:
    for name in ("1", "2"):
        lines(tmp_path / f"{name}.jsonl", talk("ab"))
    found = import_transcripts([str(tmp_path)], maker=maker)
    assert [one.script.calls for one in found] == [2]


def test_a_hermes_session_in_a_database_and_in_a_snapshot(tmp_path: Path, maker: RowMaker) -> None:
    hermes_db(tmp_path / "state.db")
    for name in ("a", "other"):
        document(tmp_path / f"session_{name}.json", {
            "session_id": name, "model": "m", "session_start": T0, "system_prompt": "s", "tools": [],
            "messages": [{"role": "user", "content": "start"}, {"role": "assistant", "content": "hello"}]})  # fmt: skip
    found = import_transcripts([str(tmp_path)], maker=maker)
    assert sorted((one.format, one.script.session) for one in found) == [("hermes-db", "a"), ("hermes-export", "other")]
