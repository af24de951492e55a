"""What kind of content a tool result is; looks at a bounded sample, so its cost does not grow with the text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sim.engine.dual.lines import first_lines, last_lines

Kind: TypeAlias = Literal["code_output", "log", "table", "json", "source", "file", "general", "image"]

_SAMPLE_LINES = 16
_LINE = 300
_STAMP = re.compile(
    r"^[ \t]*\[?(?:\d{4}[-/]\d\d?[-/]\d\d?[T ,]+\d\d?:\d\d|\d\d?/[A-Z][a-z]{2}/\d{4}:\d\d"
    r"|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,\s]|\d{4}年\d{1,2}月"
    r"|\S+ \S+ \S+ \[\d\d?/[A-Z][a-z]{2}/\d{4})",
    re.MULTILINE,
)
_LEVEL = re.compile(r"\b(?:ERROR|CRITICAL|FATAL|WARN|WARNING|INFO|DEBUG|TRACE|NOTICE)\b|\[(?:错误|警告|信息|调试)\]")
_TEST = re.compile(
    r"\b(?:PASSED|FAILED|SKIPPED|XFAIL|ok|FAIL|PASS)\b(?=\s|$|\()|^=+ .* =+$|^collected \d+ items", re.MULTILINE
)
_SHELL = re.compile(
    r"^(?:[$>#] |>>> |[ \t]*File \".*\", line \d+|Traceback|\S+: (?:error|warning|note):|make(?:\[\d+\])?:|npm |"
    r"(?:Collecting|Installing|Downloading|Building|Compiling|Requirement already) |(?:error|warning)(?:\[|:)|"
    r"\S+:\d+(?::\d+)?[:\s]|[-d][rwx-]{9}|(?:\+\+\+|---|@@) |\S+Error: )",
    re.MULTILINE,
)
_NUMBERED = re.compile(r"^[ \t]{0,6}\d{1,6}(?:\||\t|: | │ |→)", re.MULTILINE)
_PROSE_END = re.compile(r"[.!?。！？；;:：,，]\s*$")

_LANGUAGES: dict[str, str] = {
    "py": "python", "pyi": "python", "js": "javascript", "jsx": "javascript", "mjs": "javascript", "ts": "typescript",
    "tsx": "tsx", "go": "go", "rs": "rust", "java": "java", "kt": "kotlin", "c": "c", "h": "c", "cc": "cpp",
    "cpp": "cpp", "hpp": "cpp", "cs": "csharp", "rb": "ruby", "php": "php", "swift": "swift", "scala": "scala",
    "sh": "bash", "lua": "lua",
}  # fmt: skip
_PROSE_FILES = {"md", "rst", "txt", "adoc", "org", "tex", "html", "htm"}
_PATH = re.compile(r"[\w./\\~-]*[\w-]\.(\w{1,5})\b")

_SIGNS = {
    language: re.compile(pattern, re.MULTILINE)
    for language, pattern in {
        "python": r"^[ \t]*(?:(?:async )?def \w+\(|class \w+[(:]|@\w)|^(?:from [\w.]+ |)import [\w.(]",
        "typescript": r"^[ \t]*(?:export )?(?:interface|type|enum) \w+|: (?:string|number|boolean)\b[;,)=]",
        "javascript": r"^[ \t]*(?:export )?(?:default )?(?:async )?"
        r"(?:function\b|class \w+ ?(?:extends \w+ ?)?\{|const \w+ = )|require\(|^import .* from ['\"]",
        "go": r"^(?:func (?:\(|\w)|package \w+$|type \w+ (?:struct|interface))",
        "rust": r"^[ \t]*(?:pub(?:\(\w+\))? )?(?:(?:fn|struct|enum|trait) \w+|impl\b|use [\w:]+::|let mut )",
        "java": r"^[ \t]*(?:public|private|protected) .*[({;][ \t]*$|^(?:package|import) [\w.]+;",
        "cpp": r"^#include\b|^[ \t]*(?:namespace \w+|template ?<|class \w+ ?[:{])|std::",
        "ruby": r"^[ \t]*(?:def \w+[?!]?(?:\(|$)|module \w+|class \w+ < \w+)|^require ['\"]",
    }.items()
}


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
    """Up to 48 non-blank lines from the start, the middle and the end, each at most 300 characters."""
    if len(text) <= 3_000:
        picked = [line for _, line in first_lines(text, 3 * _SAMPLE_LINES)]
    else:
        middle = text[len(text) // 2 : len(text) // 2 + 8_000]
        picked = [line for _, line in first_lines(text[:8_000], _SAMPLE_LINES)]
        picked += [line for _, line in first_lines(middle, _SAMPLE_LINES + 1)[1:]]
        picked += [line for _, line in last_lines(text[-8_000:], _SAMPLE_LINES)]
    return [line[:_LINE] for line in picked if line.strip()]


def path_language(hint: str) -> tuple[str, bool]:
    """Programming language by the file name in a tool call's arguments, and whether it names a file at all."""
    for match in _PATH.finditer(hint[:1_000]):
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
        if found is not None and found.data is None and _levelled(text):
            return Detection("log")
        if found is not None:
            return found
    lines = sample_lines(text)
    if not lines:
        return Detection("general")
    reads_file = "read" in tool or "cat" in tool.split("_") or "view" in tool or "file" in tool
    joined = "\n".join(lines)
    numbered = _share(joined, len(lines), _NUMBERED) >= 0.8
    if numbered:
        joined = _NUMBERED.sub("", joined)
    bare, count = joined.split("\n"), len(lines)
    language, named = path_language(arguments) if reads_file else ("", False)
    if language and _SIGNS.get(language, _ANY).search(joined):
        return Detection("source", language, numbered=numbered)
    stamped, levelled = _share(joined, count, _STAMP), _share(joined, count, _LEVEL)
    if stamped >= 0.5 or (stamped >= 0.2 and levelled >= 0.2) or levelled >= 0.6:
        return Detection("log")
    if _share(joined, count, _TEST) >= 0.3 or _share(joined, count, _SHELL) >= 0.3:
        return Detection("code_output")
    delimiter = table_delimiter(bare)
    if delimiter:
        return Detection("table", delimiter=delimiter)
    guess = _source_language(joined, count)
    if guess:
        return Detection("source", guess, numbered=numbered)
    if reads_file and (named or numbered):
        return Detection("file", numbered=numbered)
    if len(bare) < 8 or _is_prose(bare):
        return Detection("general")
    return Detection("code_output")


_ANY = re.compile("")


def _share(joined: str, lines: int, pattern: re.Pattern[str]) -> float:
    """Matches for each line, at most 1; patterns are made so that a line seldom matches twice."""
    return min(len(pattern.findall(joined)) / lines, 1.0) if lines else 0.0


def _levelled(text: str) -> bool:
    lines = sample_lines(text)
    return _share("\n".join(lines), len(lines), _LEVEL) >= 0.6


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


def _source_language(joined: str, lines: int) -> str:
    best, hits = "", 0
    for language, pattern in _SIGNS.items():
        found = len(pattern.findall(joined))
        if found > hits:
            best, hits = language, found
    return best if hits >= 3 and hits * 20 >= lines else ""


def _is_prose(lines: list[str]) -> bool:
    long_lines = sum(1 for line in lines if len(line) > 60 or _PROSE_END.search(line))
    words = sum(line.count(" ") for line in lines)
    letters = sum(len(line) for line in lines)
    chinese = sum(1 for line in lines if re.search(r"[\u3400-\u9fff]{4}", line))
    return long_lines * 2 >= len(lines) and (words * 10 > letters or chinese * 2 > len(lines))
