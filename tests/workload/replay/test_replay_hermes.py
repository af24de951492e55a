"""Hermes state.db in detail: both schemas, in use, untouched, in-place compaction, totals."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from replay_writers_first import SUMMARY, hermes_db, hermes_message, hermes_schema
from replay_writing import T0

from sim.errors import TranscriptError
from sim.history import RowMaker
from sim.workload.replay import import_transcripts


def texts(path: Path, maker: RowMaker) -> list[str]:
    """All chat rows of the only session, in order."""
    (one,) = import_transcripts([str(path)], maker=maker)
    found = []
    for turn in one.script.turns:
        found += [row.text for row in turn.users]
        for reply in turn.replies:
            found.append(reply.row.text.strip())
            found += [tool.result.text for tool in reply.tools]
    return found


@pytest.mark.parametrize("new", [True, False])
def test_a_lineage_is_one_session_with_its_compaction_undone(new: bool, tmp_path: Path, maker: RowMaker) -> None:
    hermes_db(tmp_path / "state.db", new=new)
    assert texts(tmp_path / "state.db", maker) == ["start", 'terminal{"c": 1}', "listing", "listed", "go on", "gone on"]
    (one,) = import_transcripts([str(tmp_path / "state.db")], maker=maker)
    assert one.report.compactions_undone == 1
    assert one.recorded_model == "claude-sonnet-4-5"
    assert one.script.prefix[-1].text.startswith("You are Hermes.")


def test_session_totals_give_base_and_thinking(tmp_path: Path, maker: RowMaker) -> None:
    hermes_db(tmp_path / "state.db")
    (one,) = import_transcripts([str(tmp_path / "state.db")], maker=maker)
    script, prompts, shown = one.script, 0, sum(row.tokens for row in one.script.prefix)
    for turn in script.turns:
        shown += sum(row.tokens for row in turn.users)
        for reply in turn.replies:
            prompts += shown
            shown += reply.row.tokens + sum(tool.result.tokens for tool in reply.tools)
    assert abs(prompts - 15_800) < 3 * len(script.turns) + 10
    output = sum(r.row.tokens + r.hidden_tokens for turn in script.turns for r in turn.replies)
    assert abs(output - 150) <= 3


def test_in_place_compactions_with_and_without_copies(tmp_path: Path, maker: RowMaker) -> None:
    """0.19 writes head and tail again and archives the originals; 0.22 keeps the originals of the tail out of sight."""
    database = sqlite3.connect(tmp_path / "old.db")
    database.executescript(hermes_schema(False))
    database.execute("INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', ?)", (T0,))
    story = [("user", "one"), ("assistant", "two"), ("user", "three"), ("assistant", "four")]
    for n, (role, text) in enumerate(story):
        hermes_message(database, "s", role, text, n, active=0, compacted=1)
    for role, text in (("user", "one"), ("user", SUMMARY), ("user", "three"), ("assistant", "four")):
        hermes_message(database, "s", role, text, 50, active=0, compacted=1)
    hermes_message(database, "s", "user", "five", 60, active=0, compacted=1)
    hermes_message(database, "s", "assistant", "six", 61, active=0, compacted=1)
    for role, text in (("user", "one"), ("user", SUMMARY + " 2"), ("assistant", "six")):
        hermes_message(database, "s", role, text, 90)
    hermes_message(database, "s", "user", "seven", 95)
    hermes_message(database, "s", "assistant", "eight", 96)
    database.commit()
    database.close()
    assert texts(tmp_path / "old.db", maker) == ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    database = sqlite3.connect(tmp_path / "new.db")
    database.executescript(hermes_schema(True))
    database.execute("INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', ?)", (T0,))
    for n, (role, text) in enumerate(story[:2]):
        hermes_message(database, "s", role, text, n, active=0, compacted=1)
    for n, (role, text) in enumerate(story[2:], 2):
        hermes_message(database, "s", role, text, n, active=0, compacted=0)
    hermes_message(database, "s", "user", "no prefix here", 50, _compressed_summary=1)
    for n, (role, text) in enumerate(story[2:], 2):
        hermes_message(database, "s", role, text, n)
    database.commit()
    database.close()
    assert texts(tmp_path / "new.db", maker) == ["one", "two", "three", "four"]


def test_a_database_in_use_is_read_and_not_touched(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "state.db"
    hermes_db(path)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    hermes_message(writer, "b", "user", "still in the log", 70)
    hermes_message(writer, "b", "assistant", "seen", 71)
    writer.execute("BEGIN IMMEDIATE")  # Hermes is writing right now
    before = {p.name: p.read_bytes() for p in sorted(tmp_path.iterdir()) if not p.name.endswith("-shm")}
    assert texts(path, maker)[-2:] == ["still in the log", "seen"]
    after = {p.name: p.read_bytes() for p in sorted(tmp_path.iterdir()) if not p.name.endswith("-shm")}
    assert after == before
    writer.execute("COMMIT")
    writer.close()


def test_a_database_at_rest_leaves_no_file_beside(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "state.db"
    hermes_db(path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode=WAL")
    database.close()
    before = sorted((p.name, p.read_bytes()) for p in tmp_path.iterdir())
    import_transcripts([str(path)], maker=maker)
    assert sorted((p.name, p.read_bytes()) for p in tmp_path.iterdir()) == before


def test_a_copied_database_whose_shared_memory_is_missing(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "state.db"
    hermes_db(path)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    hermes_message(writer, "b", "user", "late", 70)
    hermes_message(writer, "b", "assistant", "later", 71)
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("state.db", "state.db-wal"):
        (copy / name).write_bytes((tmp_path / name).read_bytes())
    writer.close()
    assert texts(copy / "state.db", maker)[-1] == "later"
    assert sorted(p.name for p in copy.iterdir()) == ["state.db", "state.db-wal"]


def test_other_databases_are_no_transcripts(tmp_path: Path, maker: RowMaker) -> None:
    with sqlite3.connect(tmp_path / "x.db") as database:
        database.execute("CREATE TABLE t (a)")
    database.close()
    with pytest.raises(TranscriptError, match="not a transcript"):
        import_transcripts([str(tmp_path / "x.db")], maker=maker)
    hermes_db(tmp_path / "y.db")
    raw = (tmp_path / "y.db").read_bytes()
    (tmp_path / "y.db").write_bytes(raw[:5_000])
    with pytest.raises(TranscriptError):
        import_transcripts([str(tmp_path / "y.db")], maker=maker)


def test_delegated_children_and_gateways(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "state.db"
    hermes_db(path)
    with sqlite3.connect(path) as database:
        for ident, source, parent in (("g", "telegram", None), ("k", "cron", None), ("c", "cli", "b")):
            database.execute(
                "INSERT INTO sessions (id, source, parent_session_id, started_at) VALUES (?, ?, ?, ?)",
                (ident, source, parent, T0 + 900),
            )
            hermes_message(database, ident, "user", "hi", 901)
            hermes_message(database, ident, "assistant", "ho", 902)
    database.close()
    found = {one.script.session: one.script.origin for one in import_transcripts([str(path)], maker=maker)}
    assert found == {"a": "terminal", "g": "gateway", "k": "cron", "c": "subagent"}
