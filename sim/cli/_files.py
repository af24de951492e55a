"""Writing small files so that nothing half-written is left behind."""

from __future__ import annotations

import os
from pathlib import Path

from sim.errors import UsageError


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file by rename.

    Raises:
        UsageError: the place cannot be written to.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8", newline="\n")
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UsageError(f"cannot write {path}: {error.strerror}", remedy="give another place") from None
