"""How the engine versions estimate the size of a row, as plain functions (facts of the engine, section 1).

Two text rules exist: `quarter` (0.19: characters / 4 rounded up) and `dense` (0.22: wide scripts count one token each,
other text a quarter of its UTF-8 bytes). The host checks at start which of them its package follows, on `PROBES`; for a
package that follows neither, every row is priced by the package itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_DENSE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
IMAGE_TYPES = frozenset({"image", "image_url", "input_image"})
IMAGE_TOKENS = 1_500
PLAIN_KEYS = frozenset({"role", "content", "tool_calls", "tool_call_id", "name"})
_THINKING = ("reasoning", "reasoning_content")
KNOWN_KEYS = PLAIN_KEYS | frozenset(_THINKING)
"""Rows with these keys only are priced here; any other row is priced by the package."""


def dense_tokens(text: str) -> int:
    """0.22: one token a wide character, a quarter of a token a byte of the rest, rounded up."""
    if text.isascii():
        return (len(text) + 3) // 4
    rest = _DENSE.sub("", text)
    return len(text) - len(rest) + (len(rest.encode("utf-8", "replace")) + 3) // 4


def quarter_tokens(text: str) -> int:
    """0.19: a quarter of a token a character, rounded up."""
    return (len(text) + 3) // 4


def shape(row: Mapping[str, Any], *, once: bool = True) -> str:
    """The text whose length decides a row's rough figure: its `repr` with images replaced.

    Args:
        once: leave out thinking that is held twice (0.22).
    """
    content = row.get("content")
    if PLAIN_KEYS.issuperset(row) and not isinstance(content, list):
        return str(row if type(row) is dict else dict(row))
    echoed = row.get("reasoning_content")
    doubled = once and isinstance(echoed, str) and bool(echoed.strip())
    shadow: dict[str, Any] = {}
    for key, value in row.items():
        if key == "reasoning" and doubled:
            continue
        if key == "content" and isinstance(value, list):
            value = [
                {"type": part.get("type"), "image": "[stripped]"}
                if isinstance(part, dict) and part.get("type") in IMAGE_TYPES
                else part
                for part in value
            ]
        shadow[key] = value
    return str(shadow)


def images(row: Mapping[str, Any]) -> int:
    """Image parts of a row."""
    content = row.get("content")
    if not isinstance(content, list):
        return 0
    return sum(1 for part in content if isinstance(part, dict) and part.get("type") in IMAGE_TYPES)


def has_thinking(row: Mapping[str, Any]) -> bool:
    """Whether a row carries readable thinking text."""
    return row.get("role") == "assistant" and any(row.get(key) for key in _THINKING)


def without_thinking(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row as routes send it that do not replay old thinking."""
    return {key: value for key, value in row.items() if key not in _THINKING}


def wire(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row as a request holds it when it is priced before a call: text stripped, arguments in canonical JSON."""
    content, calls = row.get("content"), row.get("tool_calls")
    stripped = content.strip() if isinstance(content, str) else content
    if stripped == content and not calls:
        return row
    changed = dict(row)
    if stripped != content:
        changed["content"] = stripped
    if calls:
        changed["tool_calls"] = [_canonical(call) for call in calls]
    return changed


def _canonical(call: Any) -> Any:
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return call
    function = call["function"]
    try:
        arguments = json.dumps(json.loads(function["arguments"]), separators=(",", ":"), sort_keys=True)
    except (KeyError, TypeError, ValueError):
        return call
    return {**call, "function": {**function, "arguments": arguments}}


def _part_length(part: Any) -> int:
    if not isinstance(part, dict):
        return len(str(part))
    if part.get("type") in IMAGE_TYPES:
        return IMAGE_TOKENS * 4
    return len(part.get("text", "") or "")


def budget(row: Mapping[str, Any]) -> int:
    """0.22: per-message budget figure, thinking charged."""
    content = row.get("content") or ""
    if isinstance(content, str):
        tokens = dense_tokens(content)
    elif isinstance(content, list):
        tokens = sum(_part_length(part) for part in content) // 4
    else:
        tokens = len(str(content)) // 4
    tokens += 10
    for call in row.get("tool_calls") or ():
        if isinstance(call, dict):
            tokens += dense_tokens(str(call))
    echoed = row.get("reasoning_content")
    doubled = isinstance(echoed, str) and bool(echoed.strip())
    for key in _THINKING:
        value = row.get(key)
        if value is None or (key == "reasoning" and doubled):
            continue
        tokens += len(value if isinstance(value, str) else str(value)) // 4
    return tokens


_CALL = {"id": "call_1", "type": "function", "function": {"name": "run", "arguments": '{"cmd": "ls \\"a b\\""}'}}
PROBES: tuple[dict[str, Any], ...] = (
    {"role": "user", "content": "plain text"},
    {"role": "user", "content": ""},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {
        "role": "assistant",
        "content": "a 'quoted' and \"doubly\" quoted\nline\ttab \\ slash",
        "tool_calls": [_CALL, _CALL],
    },
    {"role": "tool", "content": "line one\nline two\n" * 40, "tool_call_id": "call_1"},
    {"role": "tool", "content": "\x1b[31mred\x1b[0m\u00a0\u200b\r\n", "tool_call_id": "call_1"},
    {"role": "tool", "name": "run", "content": "名前 и текст 한국어 ｆｕｌｌ", "tool_call_id": "call_1"},
    {"role": "user", "content": "压缩上下文会改变缓存前缀。" * 30},
    {"role": "user", "content": "emoji 😀 and a lone \ud800 surrogate"},
    {
        "role": "user",
        "content": [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "data:x"}}],
    },
    {"role": "assistant", "content": "done", "reasoning": "first think\n" * 9},
    {"role": "assistant", "content": "done", "reasoning_content": "think " * 9, "reasoning": "think " * 9},
)
"""Rows on which the package and the rules above must agree."""
