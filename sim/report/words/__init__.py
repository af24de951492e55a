"""What a report says, in English and Chinese.

Offers:
    Words       a message by key in one language, with values filled in
    LANGUAGES   the languages there are
"""

from __future__ import annotations

from sim.errors import UsageError
from sim.report.words.answers import ANSWERS
from sim.report.words.document import DOCUMENT
from sim.report.words.figures import FIGURES

LANGUAGES = ("en", "zh")
_MESSAGES = {**FIGURES, **ANSWERS, **DOCUMENT}


class Words:
    """Messages of one language.

    Args:
        lang: `en` or `zh`.

    Raises:
        UsageError: another language.
    """

    def __init__(self, lang: str) -> None:
        if lang not in LANGUAGES:
            raise UsageError(f"no language {lang!r}", remedy=f"use one of {', '.join(LANGUAGES)}")
        self.lang = lang
        self._index = LANGUAGES.index(lang)

    def __call__(self, key: str, **values: object) -> str:
        """The message of that key with its values."""
        return _MESSAGES[key][self._index].format(**values)

    def has(self, key: str) -> bool:
        """Whether there is such a message."""
        return key in _MESSAGES

    def listing(self, items: list[str]) -> str:
        """`a, b and c`."""
        if len(items) < 2:
            return "".join(items)
        joint, last = (", ", " and ") if self.lang == "en" else ("、", "和")
        return joint.join(items[:-1]) + last + items[-1]


__all__ = ["LANGUAGES", "Words"]
