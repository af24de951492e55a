"""A transcript file, read with bounds: long lines, deep nesting, damaged bytes and archives never break the reader."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from sim.errors import TranscriptError, Where

LONGEST_LINE = 32 * 2**20
"""Bytes of a JSON line; longer ones are skipped and counted, never held in memory."""
LARGEST_DOCUMENT = 128 * 2**20
"""Bytes of a file that is one JSON document."""
_HEAD = 64 * 2**10
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"(\xb5/\xfd": "a zstd file",
    b"Rar!": "a RAR archive",
}
SQLITE = b"SQLite format 3\x00"
_SAMPLED = 60


class Source:
    """One file.

    Attributes:
        skipped: reason → records left out while reading.
        notes: remarks on the reading.
        rows: records read so far, those skipped included.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped: Counter[str] = Counter()
        self.notes: list[str] = []
        self.rows = 0

    @property
    def where(self) -> Where:
        """The file, for errors."""
        return Where(str(self.path))

    @property
    def stem(self) -> str:
        """File name without its last suffix."""
        return self.path.stem

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB.

        Raises:
            TranscriptError: the file cannot be read.
        """
        try:
            with self.path.open("rb") as file:
                return file.read(_HEAD)
        except OSError as error:
            raise TranscriptError(
                f"cannot be read: {error.strerror or error}", where=self.where, remedy="check the path and its rights"
            ) from error

    @property
    def archive(self) -> str | None:
        """What kind of archive the file is, or None."""
        if self.head[257:262] == b"ustar":
            return "a tar archive"
        return next((name for magic, name in _ARCHIVES.items() if self.head.startswith(magic)), None)

    @property
    def database(self) -> bool:
        """Whether it is an SQLite file."""
        return self.head.startswith(SQLITE)

    @cached_property
    def start(self) -> str:
        """The head as text, without a byte-order mark or blanks before it."""
        return self.head.decode("utf-8", "replace").lstrip("\ufeff\x00 \t\r\n")

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The first objects of a JSON-lines file (empty when it is none), for recognition only."""
        if not self.start.startswith("{"):
            return []
        found: list[dict[str, Any]] = []
        bad = 0
        for _, raw in _lines(self.path, LONGEST_LINE):
            if raw is None or not raw.strip(b" \t\r\n\x00"):
                continue
            value = _parse(raw)
            if isinstance(value, dict):
                found.append(value)
            else:
                bad += 1
            if len(found) >= _SAMPLED or (bad > 5 and bad > len(found)):
                break
        return found if len(found) >= bad else []

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value, or None when it is not one.

        Raises:
            TranscriptError: it looks like one but is larger than `LARGEST_DOCUMENT`.
        """
        first = self.start[:1]
        if first not in ("{", "["):
            return None
        size = self.path.stat().st_size
        if size > LARGEST_DOCUMENT:
            if first == "{" and len(self.objects) >= 1:
                return None
            raise TranscriptError(
                f"one JSON document of {size:,} bytes",
                where=self.where,
                rule=f"at most {LARGEST_DOCUMENT:,} bytes",
                remedy="split it into one file for each session",
            )
        # More than one object on the first lines makes it JSON lines; parsing it whole would fail at its end only.
        if first == "{" and len(self.objects) >= 2:
            return None
        raw = self.path.read_bytes()
        value = _parse(raw)
        if isinstance(value, _Bad) and value.reason == "invalid JSON":
            text = raw.decode("utf-8", "replace")
            mended, upto = mend(text)
            value = _parse(mended.encode()) if upto else None
            if not isinstance(value, _Bad) and value:
                self.notes.append(f"cut in the middle of line {text.count(chr(10), 0, upto) + 1}: read up to there")
                self.skipped["cut-off last record"] += 1
                self.rows += 1
        return None if isinstance(value, _Bad) else value

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Objects of a JSON-lines file with their line numbers; what is none is counted in `skipped`."""
        last = 0
        broken: int | None = None
        for line, raw in _lines(self.path, LONGEST_LINE):
            if raw is not None and not raw.strip(b" \t\r\n\x00"):
                continue
            last = line
            self.rows += 1
            if raw is None:
                self.skipped[f"line longer than {LONGEST_LINE // 2**20} MiB"] += 1
                continue
            value = _parse(raw)
            if isinstance(value, dict):
                yield line, value
            elif isinstance(value, _Bad):
                broken = line
                self.skipped[value.reason] += 1
            else:
                self.skipped["not a JSON object"] += 1
        if broken is not None and broken == last and self.skipped["invalid JSON"]:
            self.skipped["invalid JSON"] -= 1
            self.skipped += Counter()  # drops zero counts
            self.skipped["cut-off last line"] += 1
            self.notes.append(f"cut in the middle of line {last}: read up to there")

    def skip(self, reason: str, records: int = 1) -> None:
        """Count records left out."""
        self.skipped[reason] += records


class _Bad:
    """A line that could not be parsed."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _parse(raw: bytes) -> Any:
    """JSON value, None for a bad document when nobody asks why, `_Bad` with the reason otherwise."""
    text = raw.decode("utf-8", "replace").lstrip("\ufeff").strip("\x00")
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        return _Bad("JSON nested too deep")
    except ValueError:
        return _Bad("invalid JSON")


def _lines(path: Path, longest: int) -> Iterator[tuple[int, bytes | None]]:
    """Lines with their numbers; None stands for one longer than `longest`, which is passed over in pieces."""
    with path.open("rb") as file:
        line = 0
        while raw := file.readline(longest + 1):
            line += 1
            if len(raw) <= longest:
                yield line, raw
                continue
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(2**20)
            yield line, None


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]', re.DOTALL)


def mend(text: str) -> tuple[str, int]:
    """A JSON document that was cut off, closed after its last whole element, and where that is (0: nothing whole)."""
    closers: list[str] = []
    safe: tuple[int, str] = (0, "")
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in ("{", "["):
            closers.append("}" if mark == "{" else "]")
        elif mark in ("}", "]"):
            if not closers or closers.pop() != mark:
                break
            safe = (token.end(), "".join(reversed(closers)))
        elif mark == ",":
            safe = (token.start(), "".join(reversed(closers)))
        if len(closers) > 500:
            break
    return text[: safe[0]] + safe[1], safe[0]
