"""The notes the dual system leaves in a history, in English and Chinese, and how it knows its own notes again.

Every note opens with a bracketed head that names the system, so that a session read back from disk needs no side
table: `[dual:log 15012 tokens]`, `[dual:removed 41 messages, 38120 tokens]`.
"""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["en", "zh"]

_HEAD = re.compile(r"\[dual:([a-z-]+) (\d+) tokens(?: ([^\]]*))?\]")
_REMOVED = re.compile(r"\[dual:removed (\d+) messages, (\d+) tokens\]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff5e]")

_WORDS: dict[str, tuple[str, str]] = {
    "lines": ("{n} lines", "共 {n} 行"),
    "omitted": ("[... {n} lines omitted ...]", "[...省略了 {n} 行...]"),
    "errors": ("errors ({n} lines):", "错误信息（{n} 行）："),
    "time": ("time range: {a} .. {b}", "时间范围：{a} .. {b}"),
    "levels": ("levels: {text}", "级别：{text}"),
    "important": ("important lines ({n}):", "关键日志（{n} 条）："),
    "columns": ("columns: {text}", "列名：{text}"),
    "rows": ("{n} data rows", "数据 {n} 行"),
    "range": ("{name}: {a} .. {b}, mean {c}", "{name}：{a} .. {b}，均值 {c}"),
    "distinct": ("{name}: {n} distinct", "{name}：{n} 种取值"),
    "shape": ("JSON shape: {text}", "JSON 结构：{text}"),
    "broken": ("not valid JSON, shown as text", "不是合法 JSON，按文本处理"),
    "outline": ("outline ({text}):", "结构（{text}）："),
    "summary": ("summary: {text}", "摘要：{text}"),
    "extract": ("extract of {n} characters", "{n} 个字符的节选"),
    "clipped": ("…[+{n} chars]", "…[+{n} 字符]"),
    "over": ("over target: {text}", "超出目标：{text}"),
    "passed": ("results: {text}", "结果统计：{text}"),
    "removed": (
        "Older messages were removed to free context; ask for anything needed again.",
        "较早的消息已移除以释放上下文；如有需要请重新获取。",
    ),
    "restart": (
        "This session continues an archived one. Summary of what happened before:",
        "本会话承接一个已归档的会话。此前情况摘要：",
    ),
    "session": ("Session {n}, continued from an archived session.", "第 {n} 个会话，承接已归档的会话。"),
}


def say(key: str, language: Language, **values: object) -> str:
    """A phrase in one language."""
    return _WORDS[key][1 if language == "zh" else 0].format(**values)


def language_of(text: str, asked: str = "auto") -> Language:
    """`zh` when more than a tenth of the first 4,000 characters are Chinese (or what was asked for)."""
    if asked == "zh":
        return "zh"
    if asked == "en":
        return "en"
    sample = text[:4_000]
    return "zh" if len(_CJK.findall(sample)) * 10 > len(sample) else "en"


def head(kind: str, tokens: int, extra: str = "") -> str:
    """The opening of a compressed result."""
    return f"[dual:{kind} {tokens} tokens{' ' + extra if extra else ''}]"


def is_compressed(text: str) -> bool:
    """Whether a text is a result this system compressed."""
    return text.startswith("[dual:") and _HEAD.match(text) is not None


def original_tokens(text: str) -> tuple[str, int] | None:
    """Kind and original size of a compressed result, None for any other text."""
    match = _HEAD.match(text)
    return (match.group(1), int(match.group(2))) if match else None


def removed_note(messages: int, tokens: int, language: Language) -> str:
    """The row that stands where truncated rows were."""
    return f"[dual:removed {messages} messages, {tokens} tokens]\n{say('removed', language)}"


def read_removed(text: str) -> tuple[int, int] | None:
    """Messages and tokens a removal note stands for, None for any other text."""
    match = _REMOVED.match(text)
    return (int(match.group(1)), int(match.group(2))) if match else None
