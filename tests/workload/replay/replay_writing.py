"""What the samples are written with: a fixed start, time stamps, JSON lines and documents."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

T0 = 1_750_000_000  # 2025-06-15T15:06:40Z


def iso(seconds: float) -> str:
    """A time stamp `seconds` after the samples' start."""
    return datetime.fromtimestamp(T0 + seconds, UTC).isoformat().replace("+00:00", "Z")


def lines(path: Path, items: list[Any], tail: bytes = b"") -> None:
    """A JSON-lines file, with raw bytes at its end."""
    data = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items).encode()
    path.write_bytes(data + tail)


def document(path: Path, value: Any) -> None:
    """A file of one JSON value."""
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
