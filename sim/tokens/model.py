"""Token counts of a model family: a public vocabulary's count times a measured multiplier for each class of text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from sim.tokens.classify import ContentKind, classify
from sim.tokens.vocabulary import EncodingName, encoding

_EVEN = (1_000,) * len(ContentKind)


@dataclass(frozen=True, slots=True)
class TokenModel:
    """Counts for one model family.

    Attributes:
        family: name of the family; equal names count alike.
        encoding: the public vocabulary that is counted.
        thousandths: multiplier of each `ContentKind`, in their order, in thousandths.
        confidence: `high` (the vocabulary itself), `measured`, or `assumed`.
        note: where the multipliers come from, for reports.
    """

    family: str
    encoding: EncodingName = "o200k_base"
    thousandths: tuple[int, ...] = _EVEN
    confidence: str = "high"
    note: str = ""

    def count(self, text: str) -> int:
        """Tokens of the public vocabulary (special-token spellings count as plain text)."""
        try:
            return len(encoding(self.encoding).encode_ordinary(text))
        except UnicodeEncodeError:  # lone surrogates out of a damaged transcript
            clean = text.encode("utf-8", "replace").decode("utf-8")
            return len(encoding(self.encoding).encode_ordinary(clean))

    def classify(self, text: str) -> ContentKind:
        """The class of a text, in time that does not grow with it."""
        return classify(text)

    def scaled(self, count: int, kind: ContentKind) -> int:
        """Billed tokens for a count of the public vocabulary; halves round up."""
        return (count * self.thousandths[_ORDER[kind]] * 2 + 1_000) // 2_000

    def unscaled(self, billed: float, kind: ContentKind) -> float:
        """The count of the public vocabulary that would be billed so."""
        return billed * 1_000 / self.thousandths[_ORDER[kind]]

    def billed(self, text: str, kind: ContentKind) -> int:
        """Tokens the provider bills for the text."""
        return self.scaled(self.count(text), kind)


_ORDER = {kind: place for place, kind in enumerate(ContentKind)}


@lru_cache(maxsize=1)
def _families() -> tuple[tuple[re.Pattern[str], TokenModel], ...]:
    import yaml

    data: dict[str, Any] = yaml.safe_load((files("sim.tokens") / "families.yaml").read_text("utf-8"))
    places = [data["kinds"].index(kind.value) for kind in ContentKind]
    found = []
    for entry in data["families"]:
        model = TokenModel(
            entry["name"],
            entry["encoding"],
            tuple(int(entry["multipliers"][place]) for place in places),
            entry["confidence"],
            f"{entry['source']} (checked {data['checked']})",
        )
        found.append((re.compile(entry["match"]), model))
    return tuple(found)


@lru_cache(maxsize=256)
def token_model(model: str) -> TokenModel:
    """The token counts of a model, by name; an unknown one counts as o200k_base × 1.0, and its note says so.

    Args:
        model: a model name, with or without a provider prefix (`anthropic/claude-opus-4-7`).
    """
    name = model.strip().lower().rsplit("/", 1)[-1]
    for match, family in _families():
        if match.search(name):
            return family
    return TokenModel(
        "o200k",
        confidence="assumed",
        note=f"no tokenizer is known for {model!r}: counted as o200k_base x 1.0",
    )
