"""Hermes `state.db`, read-only, also while Hermes is running; schemas of 0.19 and 0.22.

Nothing is written beside the file: a database at rest is opened as immutable, one in use through its own WAL, and if
that cannot be opened a copy in a temporary folder is read.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sim.errors import TranscriptError
from sim.workload.replay.drafts import Draft
from sim.workload.replay.hermes_rows import describe, history, totals
from sim.workload.replay.source import Source
from sim.workload.replay.values import string

NAME = "hermes-db"
_WANTED = (
    "id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp", "reasoning",
    "reasoning_content", "active", "compacted", "api_content", "_compressed_summary",
)  # fmt: skip


def recognise(source: Source) -> bool:
    """An SQLite file with the tables `sessions` and `messages`."""
    if not source.database:
        return False
    try:
        with _opened(source.path) as database:
            names = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    except sqlite3.Error:
        return False
    return {"sessions", "messages"} <= names


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection.

    Raises:
        sqlite3.Error: not a database, or damaged.
    """
    wal, shared = path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")
    address = f"file:{quote(str(path.resolve()))}"
    if not wal.exists() or not wal.stat().st_size:
        with closing(sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)) as database:
            yield _ready(database)
        return
    if shared.exists():
        database = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=10)
        try:
            database.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        except sqlite3.Error:
            database.close()
        else:
            with closing(database):
                yield _ready(database)
            return
    with tempfile.TemporaryDirectory(prefix="hermes-sim-") as folder:
        copy = Path(folder) / "state.db"
        shutil.copyfile(wal, copy.with_name("state.db-wal"))
        shutil.copyfile(path, copy)
        with closing(sqlite3.connect(copy)) as database:
            yield _ready(database)


def _ready(database: sqlite3.Connection) -> sqlite3.Connection:
    database.row_factory = sqlite3.Row
    database.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return database


def read(source: Source) -> list[Draft]:
    """One session for each conversation; compression rotations are joined, delegated children stay apart.

    Raises:
        TranscriptError: the database is damaged or of an unknown schema.
    """
    try:
        with _opened(source.path) as database:
            return _sessions(source, database)
    except sqlite3.Error as error:
        raise TranscriptError(
            f"the database cannot be read: {error}",
            where=source.where,
            remedy="copy state.db and state.db-wal together, or export the session with Hermes",
        ) from error


def _sessions(source: Source, database: sqlite3.Connection) -> list[Draft]:
    prompts: dict[str, str] = {}
    if _columns(database, "system_prompts"):
        prompts = {row["hash"]: row["prompt"] for row in database.execute("SELECT hash, prompt FROM system_prompts")}
    table = {row["id"]: dict(row) for row in database.execute("SELECT * FROM sessions ORDER BY started_at, id")}
    for row in table.values():
        if not row.get("system_prompt"):
            row["system_prompt"] = prompts.get(string(row.get("system_prompt_hash")), "")
    chosen = [column for column in _WANTED if column in _columns(database, "messages")]
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in database.execute(f"SELECT {', '.join(chosen)} FROM messages ORDER BY session_id, id"):
        rows[row["session_id"]].append(dict(row))
    drafts = [lineage_draft(chain, rows) for chain in lineages(table)]
    known = set(table)
    for name in rows.keys() - known:
        source.skip("message of a session that is not in the table", len(rows[name]))
    return drafts


def _columns(database: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in database.execute(f"PRAGMA table_info({table})")}


def lineages(table: dict[str, dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Sessions grouped into conversations: a session ended by `compression` goes on in its child."""
    follows: dict[str, str] = {}
    for ident, row in table.items():
        parent = string(row.get("parent_session_id"))
        if parent in table and string(table[parent].get("end_reason")) == "compression" and parent not in follows:
            follows[parent] = ident
    continued = set(follows.values())
    chains = []
    for ident in table:
        if ident in continued:
            continue
        chain: list[dict[str, Any]] = []
        now: str | None = ident
        while now is not None and len(chain) <= len(table):
            chain.append(table[now])
            now = follows.get(now)
        chains.append(chain)
    return chains


def lineage_draft(chain: list[dict[str, Any]], rows: dict[str, list[dict[str, Any]]]) -> Draft:
    """One conversation from its sessions, oldest first."""
    draft = history(string(chain[0].get("id")), (row for one in chain for row in rows.get(string(one.get("id")), [])))
    describe(draft, chain[0], child=bool(chain[0].get("parent_session_id")))
    draft.finished = chain[-1].get("ended_at") is not None
    draft.totals = totals(chain)
    if len(chain) > 1:
        draft.notes.append(f"{len(chain)} sessions joined: each but the last was ended by a compression")
    return draft
