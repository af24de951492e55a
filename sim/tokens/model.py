"""Token models (interim)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ContentKind(StrEnum):
    """Classes of text with their own token multiplier."""

    CODE = "code"
    LOG = "log"
    JSON = "json"
    CHINESE = "chinese"
    MARKDOWN = "markdown"
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class TokenModel:
    """Counts for one model family."""

    family: str

    def count(self, text: str) -> int:
        return -(-len(text) // 4)

    def classify(self, text: str) -> ContentKind:
        return ContentKind.PROSE

    def billed(self, text: str, kind: ContentKind) -> int:
        return self.count(text)


def token_model(model: str) -> TokenModel:
    return TokenModel(model)
