"""Imports a generated folder of transcripts and a generated state.db: seconds, megabytes a second, peak memory.

    python bench/replay.py [MEGABYTES]        300 by default; the goal is 60 s on two cores and under 1 GiB

The files are Claude Code sessions of about 3 MB with tool results that are also kept a second time, as real ones do.
The long-line case shows that memory does not grow with a line.
"""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = sorted((Path(__file__).parent.parent / "sim" / "workload" / "replay").glob("*.py"))
WORDS = [word for path in SOURCES for word in path.read_text(encoding="utf-8").split()]
GOAL_S, DATABASE_S = 60.0, 3.0


def text(rng: random.Random, words: int) -> str:
    """Words and numbers in lines, as logs and sources have them."""
    parts = rng.choices(WORDS, k=words)
    for i in range(0, words, 5):
        parts[i] = str(rng.randrange(10**6))
    return "\n".join(" ".join(parts[i : i + 11]) for i in range(0, words, 11))


def session(path: Path, rng: random.Random, size: int) -> None:
    """One session of about `size` bytes."""
    written, n, parent, context = 0, 0, None, 20_000
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            at = f"2026-05-01T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}Z"
            base = {"isSidechain": False, "sessionId": path.stem, "timestamp": at, "cwd": "/x", "version": "2.0"}
            result = text(rng, rng.choice((20, 60, 200, 1_500)))
            use = {
                "input_tokens": 3,
                "cache_read_input_tokens": context,
                "cache_creation_input_tokens": 700,
                "output_tokens": 200,
            }
            context += 700
            call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": text(rng, 30)}}
            answer = {"id": f"{path.stem}-m{n}", "role": "assistant", "model": "claude-sonnet-4-5", "usage": use}
            lines = [
                {**base, "type": "assistant", "uuid": f"{path.stem}-a{n}", "parentUuid": parent,
                 "message": {**answer, "content": [{"type": "text", "text": text(rng, 25)}]}},
                {**base, "type": "assistant", "uuid": f"{path.stem}-b{n}", "parentUuid": f"{path.stem}-a{n}",
                 "message": {**answer, "content": [call]}},
                {**base, "type": "user", "uuid": f"{path.stem}-r{n}", "parentUuid": f"{path.stem}-b{n}",
                 "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}",
                                                          "content": result}]},
                 "toolUseResult": {"stdout": result, "stderr": ""}},
            ]  # fmt: skip
            if n == 0:
                lines.insert(0, {**base, "type": "user", "uuid": f"{path.stem}-u", "parentUuid": None,
                                 "message": {"role": "user", "content": text(rng, 80)}})  # fmt: skip
            for line in lines:
                written += file.write(json.dumps(line) + "\n")
            parent, n = f"{path.stem}-r{n}", n + 1


def database(path: Path, messages: int) -> None:
    """A state.db of 40-message sessions."""
    rng = random.Random(5)
    store = sqlite3.connect(path)
    store.executescript(
        """CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, system_prompt TEXT,
            parent_session_id TEXT, started_at REAL, ended_at REAL, end_reason TEXT, input_tokens INTEGER,
            output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, api_call_count INTEGER);
        CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT,
            tool_calls TEXT, tool_name TEXT, timestamp REAL, active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0);"""
    )
    for n in range(messages // 40):
        store.execute(
            "INSERT INTO sessions (id, source, model, started_at) VALUES (?, 'cli', 'claude-sonnet-4-5', ?)",
            (f"s{n}", 1.75e9 + n * 1_000),
        )
        for i in range(40):
            kind = ("user", "assistant", "tool", "assistant")[i % 4]
            calls = (
                json.dumps([{"id": f"k{i}", "function": {"name": "terminal", "arguments": "{}"}}])
                if i % 4 == 1
                else None
            )
            store.execute(
                "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, timestamp) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (f"s{n}", kind, text(rng, 60), f"k{i - 1}" if kind == "tool" else None, calls, 1.75e9 + n * 1_000 + i),
            )
    store.commit()
    store.close()


CHILD = """
import resource, sys, time
from sim.history import RowMaker
from sim.tokens import token_model
from sim.workload.replay import import_transcripts, read_drafts
begin = time.perf_counter()
if sys.argv[1] == "drafts":
    calls = sum(len(d.calls) for _, _, drafts in read_drafts(sys.argv[2:]) for d in drafts)
else:
    found = import_transcripts(sys.argv[2:], maker=RowMaker(token_model("claude-sonnet-4-5")))
    calls = sum(one.script.calls for one in found)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"{time.perf_counter() - begin:.2f} {time.process_time():.2f} {peak} {calls}")
"""


def measured(what: str, path: Path) -> tuple[float, float, int, int]:
    """Seconds, processor seconds, peak MiB and calls of one import in its own process."""
    done = subprocess.run([sys.executable, "-c", CHILD, what, str(path)], capture_output=True, text=True, check=True)
    seconds, busy, peak, calls = done.stdout.split()
    return float(seconds), float(busy), int(peak), int(calls)


def main() -> None:
    """Generate, import, print."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "projects"
        folder.mkdir()
        for n in range(max(1, megabytes // 3)):
            session(folder / f"session-{n}.jsonl", random.Random(n), 3_000_000)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        _show("read only", size, *measured("drafts", folder))
        _show("import", size, *measured("scripts", folder), goal=GOAL_S * size / 300)
        long = Path(name) / "long.jsonl"
        session(long, random.Random(1), 1_000_000)
        with long.open("ab") as file:
            file.write(b'{"type": "user", "text": "')
            for _ in range(100):
                file.write(b"x" * 1_000_000)
            file.write(b'"}\n')
        _show("one 100 MB line", 101.0, *measured("scripts", long))
        store = Path(name) / "state.db"
        database(store, 100_000)
        _show("100,000 rows of state.db", store.stat().st_size / 1e6, *measured("drafts", store), goal=DATABASE_S)


def _show(what: str, size: float, seconds: float, busy: float, peak: int, calls: int, *, goal: float = 0.0) -> None:
    share = f"  {busy / goal:.2f} of the goal (processor time)" if goal else ""
    print(f"{what:<26}{size:5.0f} MB {calls:7,} calls {seconds:6.1f} s, busy {busy:5.1f} s  peak {peak} MiB{share}")


if __name__ == "__main__":
    main()
