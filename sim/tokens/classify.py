"""Which class of text a text is; looks at a few samples, so its time does not grow with the text."""

from __future__ import annotations

import re
from enum import StrEnum


class ContentKind(StrEnum):
    """Classes of text with their own token multiplier."""

    CODE = "code"
    LOG = "log"
    JSON = "json"
    CHINESE = "chinese"
    MARKDOWN = "markdown"
    PROSE = "prose"


_SAMPLE = 1_000
_CLOCK = re.compile(r"\d\d:\d\d")
_LEVELS = ("INFO", "WARN", "ERROR", "DEBUG", "PASSED", "FAILED", "TRACE")
_JSON_MARKS = ('":', '" :', '",', "},", "],")
_CODE_MARKS = ("(", ")", "{", "}", "[", "]", ";", "=", "_", "->", "//", "::", "+++", "@@")
_MARKDOWN_MARKS = ("\n# ", "\n## ", "\n### ", "\n- ", "\n* ", "\n> ", "\n| ", "\n```", "](")


def classify(text: str) -> ContentKind:
    """The class of a text, from at most three samples of 1,000 characters."""
    sample = text
    if len(text) > 3 * _SAMPLE:
        middle = (len(text) - _SAMPLE) // 2
        sample = "\n".join((text[:_SAMPLE], text[middle : middle + _SAMPLE], text[-_SAMPLE:]))
    size = len(sample)
    if not sample.strip():
        return ContentKind.PROSE
    count = sample.count
    if not sample.isascii():
        # A Chinese character takes two bytes more than one; it costs about as much as four Latin ones, so that a
        # fifth of them already decides the token count.
        extra = len(sample.encode("utf-8", "replace")) - size
        if extra * 5 > size * 2:
            return ContentKind.CHINESE
    lines = count("\n") + 1
    code = sum(map(count, _CODE_MARKS))
    if sum(map(count, _JSON_MARKS)) * 30 > size and count('"') * 16 > size:
        escaped = count("\\n") * 90 > size or count('\\"') * 60 > size
        return ContentKind.CODE if escaped and code * 30 > size else ContentKind.JSON
    digits = sum(map(count, "0123456789"))
    if digits * 4 > size or (digits * 12 > size and len(_CLOCK.findall(sample)) * 2 > lines):
        return ContentKind.LOG
    if sum(map(count, _LEVELS)) * 3 > lines * 2:
        return ContentKind.LOG
    marks = sum(map(("\n" + sample).count, _MARKDOWN_MARKS)) + count("**") // 2
    links = count("](")
    if marks * 5 > lines and marks > 1 and (code - 5 * links) * 25 < size:
        return ContentKind.MARKDOWN
    indented = count("\n  ") + count("\n\t") + count("|  ") + count("|\t")
    if code * 22 > size or (code * 45 > size and indented * 3 > lines):
        return ContentKind.CODE
    return ContentKind.LOG if digits * 9 > size else ContentKind.PROSE
