"""What a rewrite dropped: distinct identifiers, numbers, paths, error lines and planted facts before, and still there.

Everything is counted over the texts of the rewritten rows: `before` are the distinct ones in the originals, `kept`
those that the new texts still hold. A paraphrase that names none of them keeps none of them: the figures say what can
be quoted afterwards, not what could be guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sim.engine.dual.codeout import find_errors
from sim.engine.dual.lines import line_at

CLASSES = ("identifiers", "numbers", "paths", "error_lines", "facts")

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,60}|[\u3400-\u9fff]{2,8}")
_NUMBER = re.compile(r"\d[\d.,:]*\d|\d")
_PATHLIKE = re.compile(r"[\w./\\@~-]+")
_FILE = re.compile(r"[\w-]+\.(?:py|js|ts|go|rs|java|c|h|cpp|md|json|ya?ml|toml|txt|csv|log)")
_LINE = 100
"""Characters by which an error line is known again."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Counts of distinct items by class: `before[c]` in the originals, `kept[c]` of them in the new texts."""

    before: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)

    def share(self, name: str) -> float | None:
        """Share kept of one class, None when the originals held none."""
        total = self.before.get(name, 0)
        return self.kept.get(name, 0) / total if total else None

    @property
    def retention(self) -> float | None:
        """Mean of the classes' shares (classes that did not occur left out), None when there was nothing to keep."""
        shares = [s for s in (self.share(c) for c in CLASSES) if s is not None]
        return sum(shares) / len(shares) if shares else None

    def flat(self) -> dict[str, Any]:
        """`identifiers_before`, `identifiers_kept`, … and `retention` (share, four decimals)."""
        data: dict[str, Any] = {}
        for name in CLASSES:
            if self.before.get(name):
                data[f"{name}_before"] = self.before[name]
                data[f"{name}_kept"] = self.kept.get(name, 0)
        if self.retention is not None:
            data["retention"] = round(self.retention, 4)
        return data


def _features(texts: Iterable[str], fact: re.Pattern[str] | None) -> dict[str, set[str]]:
    """Distinct items of some texts. Words are made distinct before they are looked at, so repetition costs little."""
    words: set[str] = set()
    errors: set[str] = set()
    facts: set[str] = set()
    for text in texts:
        words.update(text.split())
        errors.update(line_at(text, start)[1].strip()[:_LINE] for start in find_errors(text)[1])
        if fact is not None:
            facts.update(match.group() for match in fact.finditer(text))
    joined = "\n".join(words)
    pathlike = "\n".join(word for word in words if "/" in word or "\\" in word or "." in word)
    return {
        "identifiers": set(_IDENTIFIER.findall(joined)),
        "numbers": set(_NUMBER.findall(joined)),
        "paths": {part for part in _PATHLIKE.findall(pathlike) if _is_path(part)},
        "error_lines": errors - {""},
        "facts": facts,
    }


def _is_path(part: str) -> bool:
    """Whether a run of path characters holds a separator between names, or is a file name of a known kind."""
    inner = part.strip("/\\.")
    return (
        "/" in inner or "\\" in inner or (part.startswith("/") and len(inner) > 1) or _FILE.fullmatch(part) is not None
    )


def measure_loss(before: Iterable[str], after: Iterable[str], fact_pattern: str = "") -> Loss:
    """Loss between the originals' texts and the texts that replace them.

    Args:
        fact_pattern: regular expression of planted facts; empty when none are planted.
    """
    fact = re.compile(fact_pattern) if fact_pattern else None
    new_texts = list(after)
    old, new = _features(before, fact), _features(new_texts, fact)
    everything = "\n".join(new_texts)
    kept = {name: len(old[name] & new[name]) for name in ("identifiers", "numbers", "paths", "facts")}
    kept["error_lines"] = sum(1 for line in old["error_lines"] if line in everything)
    return Loss({name: len(old[name]) for name in CLASSES}, kept)


def add_losses(losses: Iterable[Loss]) -> Loss:
    """Counts of several rewrites together (an item dropped twice counts twice)."""
    before = dict.fromkeys(CLASSES, 0)
    kept = dict.fromkeys(CLASSES, 0)
    for loss in losses:
        for name in CLASSES:
            before[name] += loss.before.get(name, 0)
            kept[name] += loss.kept.get(name, 0)
    return Loss(before, kept)
