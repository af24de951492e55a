"""What a result rests on: enough to find the same run again, and to say why two differ."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import sim


@cache
def source_digest() -> str:
    """SHA-256 over the simulator's own source and data files (path and bytes), so that a changed model is a new run."""
    root = Path(sim.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*"), key=lambda p: p.relative_to(root).as_posix()):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in {".pyc", ".pyo"}:
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Stamp:
    """Versions and data behind a run.

    Attributes:
        engines: label → version and, for a user's own interpreter or class, its digest.
        price_cards: one `{model, provider, effective, checked, source}` per model priced.
        tokenizer: `{encoding, family, multipliers}`.
        transcripts: path as written → SHA-256 of the bytes read.
    """

    engines: dict[str, str]
    price_cards: tuple[dict[str, str], ...]
    tokenizer: dict[str, str]
    transcripts: dict[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in `run --json`."""
        return {
            "sim": sim.__version__,
            "source": source_digest()[:16],
            "engines": dict(sorted(self.engines.items())),
            "price_cards": list(self.price_cards),
            "tokenizer": self.tokenizer,
            "transcripts": dict(sorted(self.transcripts.items())),
            "python": platform.python_version(),
        }
