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


_SAMPLE = 1_500
_CJK = re.compile("[\u3400-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef\u3040-\u30ff\uac00-\ud7af]")
_JSON_MARK = re.compile(r'"\s*:|["\]}]\s*,|^\s*[{}\[\]]+,?\s*$', re.MULTILINE)
_LOG_LINE = re.compile(
    r"^\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d[T ]|\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d|\d{1,3}(?:\.\d{1,3}){3} )"
    r"|^\S{0,60}\s*\b(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL|PASSED|FAILED)\b"
    r"|^[-dlrwx]{10} +\d",
    re.MULTILINE,
)
_CODE_LINE = re.compile(
    r"[;{}]\s*$|^\s*(?:def|class|import|from|return|if|for|while|func|fn|let|const|var|public|private|package|use|"
    r"struct|impl|elif|else|try|except|raise|with|@\w|#include|pub|export|async|await|type|interface|echo|export)\b"
    r"|^\s*[\w.\[\]\"']+\s*(?:[-+|&]?=|:=)\s*\S|^[-+@]{1,3} |\w\(.*\)\s*:?\s*$|=>|->|^\s*(?://|/\*|\*/|\"\"\")",
    re.MULTILINE,
)
_MARKDOWN_LINE = re.compile(
    r"^\s{0,3}(?:#{1,6} |[-*+] \S|\d+\. \S|> |```|\|.*\|\s*$)|\*\*\S[^*\n]*\*\*|\[[^\]\n]+\]\([^)\n]+\)", re.MULTILINE
)


def classify(text: str) -> ContentKind:
    """The class of a text, from at most three samples of 1,500 characters."""
    sample = _samples(text)
    if not sample:
        return ContentKind.PROSE
    # A Chinese character costs about as much as three to four Latin ones, so a fifth already decides the count.
    if len(_CJK.findall(sample)) * 5 > len(sample):
        return ContentKind.CHINESE
    lines = sample.count("\n") + 1
    marks = len(_JSON_MARK.findall(sample))
    start = text[:200].lstrip()[:1]
    if (start in ("{", "[") and marks >= 2 and marks * 60 > len(sample)) or marks * 25 > len(sample):
        return ContentKind.JSON
    digits = sum(map(sample.count, "0123456789"))
    if len(_LOG_LINE.findall(sample)) * 2 > lines or digits * 4 > len(sample):
        return ContentKind.LOG
    code, markdown = len(_CODE_LINE.findall(sample)), len(_MARKDOWN_LINE.findall(sample))
    if markdown * 4 >= lines and markdown >= code and markdown >= 2:
        return ContentKind.MARKDOWN
    if code * 3 > lines and (code >= 2 or lines <= 2):
        return ContentKind.CODE
    return ContentKind.LOG if digits * 7 > len(sample) else ContentKind.PROSE


def _samples(text: str) -> str:
    """Whole text when short, else its start, middle and end, cut to whole lines where there are any."""
    if len(text) <= 3 * _SAMPLE:
        return text
    middle = (len(text) - _SAMPLE) // 2
    parts = (text[:_SAMPLE], text[middle : middle + _SAMPLE], text[-_SAMPLE:])
    return "\n".join(parts)
