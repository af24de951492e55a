"""Real transcripts through the importers, beside an independent count; rows for `docs/validation.md`.

    python -m tests.validation.replay_data FOLDER       prints the tables

Nothing of the files is kept: they are read where they are (and once from a temporary copy under a wrong name).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from sim.errors import TranscriptError
from sim.history import RowMaker
from sim.tokens import token_model
from sim.workload.replay import Imports, import_transcripts
from tests.validation.replay_count import count_file

_WRONG = "rollout-not-what-it-says.jsonl"
_FIGURES = ("rows", "sessions", "calls", "tools", "input", "read", "written", "output")


def transcripts(data: Path) -> list[Path]:
    """Files of a folder that a counter knows."""
    files = sorted(path for path in data.rglob("*") if path.is_file() and path.suffix not in {".md", ".txt"})
    return [path for path in files if count_file(path) is not None]


def _imported(path: Path, maker: RowMaker) -> Imports:
    return import_transcripts([str(path)], maker=maker)


def _figures(found: Imports) -> dict[str, int]:
    replies = [reply for one in found for turn in one.script.turns for reply in turn.replies]
    usage = [reply.recorded for reply in replies if reply.recorded]
    return {
        "rows": sum(one.report.rows for one in found),
        "sessions": len(found),
        "calls": len(replies),
        "tools": sum(len(reply.tools) for reply in replies),
        "input": sum(one.input_tokens for one in usage),
        "read": sum(one.cache_read_tokens for one in usage),
        "written": sum(one.cache_write_5m_tokens + one.cache_write_1h_tokens for one in usage),
        "output": sum(one.output_tokens for one in usage),
    }


def validate_replay(data: Path) -> list[dict[str, Any]]:
    """One row a file: detected format, counts, what an independent count says, and whether all is explained.

    Keys: `file, format, format_under_wrong_name, rows, used, skipped, unexplained, sessions, calls, tools, input, read,
    written, output, multiplier, differences`; `differences` is empty when every figure equals the independent count.
    """
    maker = RowMaker(token_model("claude-sonnet-4-5"))
    rows: list[dict[str, Any]] = []
    for path in transcripts(data):
        expected = count_file(path)
        assert expected is not None
        found = _imported(path, maker)
        figures = _figures(found)
        skipped: Counter[str] = Counter()
        for one in found:
            skipped.update(one.report.skipped)
        used = sum(one.report.used for one in found)
        differences = {
            name: (figures[name], getattr(expected, name))
            for name in _FIGURES
            # Sizes-only logs name no tool calls an independent count could agree on.
            if getattr(expected, name) >= 0
            and not (name == "tools" and not found[0].script.has_text)
            and figures[name] != getattr(expected, name)
        }
        formats = {one.format for one in found}
        if formats != {expected.format}:
            differences["format"] = (sorted(formats), expected.format)
        multipliers = [one.report.multiplier for one in found if one.report.multiplier]
        rows.append(
            {
                "file": path.name,
                "format": found[0].format,
                "format_under_wrong_name": _renamed(path, maker),
                **figures,
                "used": used,
                "skipped": dict(skipped),
                "unexplained": expected.rows - used - sum(skipped.values()),
                "multiplier": round(sum(multipliers) / len(multipliers), 3) if multipliers else None,
                "differences": differences,
            }
        )
    return rows


def _renamed(path: Path, maker: RowMaker) -> str:
    """Format found when the file has another format's name."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / _WRONG
        shutil.copyfile(path, copy)
        try:
            return _imported(copy, maker)[0].format
        except TranscriptError as error:
            return f"not recognised: {error.message}"


def main() -> None:
    """Print the rows of a folder; fail when one differs."""
    rows = validate_replay(Path(sys.argv[1]))
    for row in rows:
        print(row)
    if any(row["differences"] or row["unexplained"] or row["format"] != row["format_under_wrong_name"] for row in rows):
        raise SystemExit("counts differ")


if __name__ == "__main__":
    main()
