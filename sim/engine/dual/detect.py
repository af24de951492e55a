"""What kind of content a tool result is; looks at a bounded sample, so its cost does not grow with the text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sim.engine.dual.lines import first_lines, last_lines

Kind: TypeAlias = Literal["code_output", "log", "table", "json", "source", "file", "general", "image"]

_SAMPLE_LINES = 30
_STAMP = re.compile(
    r"\s*\[?(?:\d{4}[-/]\d\d?[-/]\d\d?[T ,]+\d\d?:\d\d|\d\d?/[A-Z][a-z]{2}/\d{4}:\d\d"
    r"|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d"
    r"|\d\d:\d\d:\d\d[.,\s]|\d{4}年\d{1,2}月)|\S+ \S+ \S+ \[\d\d?/[A-Z][a-z]{2}/\d{4}"
)
_LEVEL = re.compile(r"\b(?:ERROR|CRITICAL|FATAL|WARN|WARNING|INFO|DEBUG|TRACE|NOTICE)\b|\[(?:错误|警告|信息|调试)\]")
_TEST = re.compile(r"\b(?:PASSED|FAILED|SKIPPED|XFAIL|ok|FAIL|PASS)\b(?:\s|$|\()|^=+ .* =+$|^collected \d+ items")
_SHELL = re.compile(
    r"^(?:[$>#] |>>> |\s*File \".*\", line \d+|Traceback|\S+: (?:error|warning|note):|make(?:\[\d+\])?:|npm |"
    r"(?:Collecting|Installing|Downloading|Building|Compiling|Requirement already) |(?:error|warning)(?:\[|:)|"
    r"\S+:\d+(?::\d+)?[:\s]|[-d][rwx-]{9}|(?:\+\+\+|---|@@) |\S+Error: )"
)
_NUMBERED = re.compile(r"\s{0,6}\d{1,6}(?:\||\t|: | │ |→)")
_PROSE_END = re.compile(r"[.!?。！？；;:：,，]\s*$")

_LANGUAGES: dict[str, str] = {
    "py": "python", "pyi": "python", "js": "javascript", "jsx": "javascript", "mjs": "javascript", "ts": "typescript",
    "tsx": "tsx", "go": "go", "rs": "rust", "java": "java", "kt": "kotlin", "c": "c", "h": "c", "cc": "cpp",
    "cpp": "cpp", "hpp": "cpp", "cs": "csharp", "rb": "ruby", "php": "php", "swift": "swift", "scala": "scala",
    "sh": "bash", "lua": "lua",
}  # fmt: skip
_PROSE_FILES = {"md", "rst", "txt", "adoc", "org", "tex", "html", "htm"}
_PATH = re.compile(r"[\w./\\~-]*[\w-]\.(\w{1,5})\b")

_SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("python", re.compile(r"^\s*(?:async )?(?:def \w+\(|class \w+[(:])|^(?:from [\w.]+ |)import [\w.(]|^\s*@\w+")),
    ("typescript", re.compile(r"^\s*(?:export )?(?:interface|type|enum) \w+|: (?:string|number|boolean)\b[;,)=]")),
    ("javascript", re.compile(
        r"^\s*(?:export )?(?:default )?(?:async )?(?:function\b|class \w+ ?(?:extends \w+ ?)?\{|const \w+ = )"
        r"|require\(|^import .* from ['\"]"
    )),
    ("go", re.compile(r"^(?:func (?:\(|\w)|package \w+$|type \w+ (?:struct|interface))")),
    ("rust", re.compile(
        r"^\s*(?:pub(?:\(\w+\))? )?(?:fn \w+|struct \w+|enum \w+|impl\b|trait \w+|use [\w:]+::)|^\s*let mut "
    )),
    ("java", re.compile(r"^\s*(?:public|private|protected) .*[({;]\s*$|^package [\w.]+;|^import [\w.]+;")),
    ("cpp", re.compile(r"^#include\b|^\s*(?:namespace \w+|template ?<|class \w+ ?[:{])|std::")),
    ("ruby", re.compile(r"^\s*(?:def \w+[?!]?(?:\(|$)|module \w+|class \w+ < \w+)|^require ['\"]")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Detection:
    """Kind of a text.

    Attributes:
        kind: which strategy fits.
        language: programming language of source text, else empty.
        delimiter: of a table (`,`, `\\t`, `|`, or `  ` for columns aligned with spaces).
        data: the parsed value of valid JSON.
        numbered: whether lines carry line numbers in front.
    """

    kind: Kind
    language: str = ""
    delimiter: str = ""
    data: Any = None
    numbered: bool = False


def sample_lines(text: str) -> list[str]:
    """Up to 90 non-blank lines from the start, the middle and the end, each at most 300 characters."""
    if len(text) <= 24_000:
        picked = [line for _, line in first_lines(text, 3 * _SAMPLE_LINES)]
    else:
        middle = text[len(text) // 2 : len(text) // 2 + 8_000]
        picked = [line for _, line in first_lines(text[:8_000], _SAMPLE_LINES)]
        picked += [line for _, line in first_lines(middle, _SAMPLE_LINES + 1)[1:]]
        picked += [line for _, line in last_lines(text[-8_000:], _SAMPLE_LINES)]
    return [line[:300] for line in picked if line.strip()]


def path_language(hint: str) -> tuple[str, bool]:
    """Programming language by the file name in a tool call's arguments, and whether it names a file at all."""
    for match in _PATH.finditer(hint[:4_000]):
        extension = match.group(1).lower()
        if extension in _LANGUAGES:
            return _LANGUAGES[extension], True
        if extension in _PROSE_FILES:
            return "", True
    return "", False


def detect(text: str, *, tool: str = "", arguments: str = "") -> Detection:
    """Kind of a tool result's text.

    Args:
        text: the content.
        tool: name of the tool that made it, if known.
        arguments: arguments of its call, if known (a file name there is a strong hint for file reads).
    """
    stripped = text[:200].lstrip("\ufeff \t\r\n")
    if stripped[:1] in ("{", "["):
        found = _json(text, stripped)
        if found is not None and found.data is None and _share(sample_lines(text), _LEVEL) >= 0.6:
            return Detection("log")
        if found is not None:
            return found
    lines = sample_lines(text)
    if not lines:
        return Detection("general")
    reads_file = "read" in tool or "cat" in tool.split("_") or "view" in tool or "file" in tool
    numbered = _share(lines, _NUMBERED) >= 0.8
    bare = [_NUMBERED.sub("", line, count=1) for line in lines] if numbered else lines
    language, named = path_language(arguments) if reads_file else ("", False)
    if language and _SIGN_OF.get(language, _ANY).search("\n".join(bare)):
        return Detection("source", language, numbered=numbered)
    stamped, levelled = _share(bare, _STAMP), _share(bare, _LEVEL)
    if stamped >= 0.5 or (stamped >= 0.2 and levelled >= 0.2) or levelled >= 0.6:
        return Detection("log")
    if _share(bare, _TEST) >= 0.3 or _share(bare, _SHELL) >= 0.3:
        return Detection("code_output")
    delimiter = table_delimiter(bare)
    if delimiter:
        return Detection("table", delimiter=delimiter)
    guess = _source_language(bare)
    if guess:
        return Detection("source", guess, numbered=numbered)
    if reads_file and (named or numbered):
        return Detection("file", numbered=numbered)
    if len(bare) < 8 or _is_prose(bare):
        return Detection("general")
    return Detection("code_output")


_ANY = re.compile("")
_SIGN_OF = {language: re.compile(pattern.pattern, re.MULTILINE) for language, pattern in _SIGNS}


def _share(lines: list[str], pattern: re.Pattern[str]) -> float:
    return sum(1 for line in lines if pattern.search(line)) / len(lines)


def _json(text: str, stripped: str) -> Detection | None:
    try:
        data = json.loads(text.lstrip("\ufeff"))
        if isinstance(data, dict | list):
            return Detection("json", data=data)
    except (ValueError, RecursionError, MemoryError):
        pass
    # Half-written JSON: many quoted keys. A log line or a Python list may also open with a bracket.
    sample = text[:4_000]
    keys = len(re.findall(r'"[^"\n]{1,60}"\s*:', sample))
    if keys >= 4 and keys * 200 > len(sample):
        return Detection("json")
    first = stripped.split("\n", 1)[0]
    if text.count("\n") < 8 and len(first) >= 150 and (first.count(", ") >= 10 or text.count(",") >= 40):
        return Detection("json")
    return None


def table_delimiter(lines: list[str]) -> str:
    """Delimiter that cuts at least four fifths of the lines into the same number (two or more) of cells, else empty."""
    body = [line for line in lines if not re.fullmatch(r"[\s|+:=-]+", line)]
    if len(body) < 4:
        return ""
    for delimiter in ("\t", "|", ",", ";"):
        counts = [line.count(delimiter) for line in body]
        usual = max(sorted(set(counts)), key=counts.count)
        least = 1 if delimiter in "\t|" else 2
        if usual >= least and counts.count(usual) * 5 >= len(counts) * 4:
            return delimiter
    counts = [len(re.split(r"\s{2,}", line.strip())) for line in body]
    usual = max(sorted(set(counts)), key=counts.count)
    return "  " if usual >= 2 and counts.count(usual) * 5 >= len(counts) * 4 else ""


def _source_language(lines: list[str]) -> str:
    best, hits = "", 0
    for language, pattern in _SIGNS:
        found = sum(1 for line in lines if pattern.search(line))
        if found > hits:
            best, hits = language, found
    return best if hits >= 3 and hits * 20 >= len(lines) else ""


def _is_prose(lines: list[str]) -> bool:
    long_lines = sum(1 for line in lines if len(line) > 60 or _PROSE_END.search(line))
    words = sum(line.count(" ") for line in lines)
    letters = sum(len(line) for line in lines)
    chinese = sum(1 for line in lines if re.search(r"[\u3400-\u9fff]{4}", line))
    return long_lines * 2 >= len(lines) and (words * 10 > letters or chinese * 2 > len(lines))
