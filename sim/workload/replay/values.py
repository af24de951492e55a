"""Careful readings of single values out of foreign files: counts, times, texts. Nothing here raises."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

from sim.workload.replay.drafts import Content
from sim.workload.script import Recorded

MOST_TOKENS = 100_000_000
"""A count above this is not a count."""


def count(value: object) -> int | None:
    """A token count, or None for anything that cannot be one (negative, not a number, absurd)."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return int(value) if 0 <= value <= MOST_TOKENS else None


def amount(value: object) -> int:
    """Like `count`, with 0 for what is not one."""
    return count(value) or 0


def number(value: object) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def when(value: object) -> float | None:
    """Seconds since the epoch from an ISO text or a number of seconds, milliseconds, micro- or nanoseconds.

    Times without a zone are taken as UTC.
    """
    if isinstance(value, str):
        text = value.strip()
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            try:
                return when(float(text))
            except ValueError:
                return None
        try:
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (OverflowError, ValueError):
            return None
    plain = number(value)
    if plain is None or plain < 0:
        return None
    for limit, scale in ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6)):
        if plain < limit:
            return plain / scale
    return plain / 1e9


def mapping(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    """The value if it is text, else an empty text."""
    return value if isinstance(value, str) else ""


def as_text(value: object) -> str:
    """Text as it is; anything else as compact JSON; None as an empty text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (ValueError, RecursionError):
        return ""


def content(value: object) -> Content:
    """A message's content from text, blocks (Anthropic, OpenAI, Responses) or None; images stay as parts.

    Text blocks are joined with a newline, as they stand apart in a request.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return as_text(value)
    texts: list[str] = []
    images = 0
    for part in value:
        if isinstance(part, str):
            texts.append(part)
            continue
        if not isinstance(part, dict):
            continue
        kind = string(part.get("type"))
        if "image" in kind:
            images += 1
        elif isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part.get("content"), str):
            texts.append(part["content"])
        elif kind in {"", "text", "input_text", "output_text"} and part:
            texts.append(as_text(part))
    text = "\n".join(texts)
    if not images:
        return text
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    return parts + [{"type": "image_url", "image_url": {"url": "image"}}] * images


def plain(value: Content | None) -> str:
    """The text of a content."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return "".join(string(part.get("text")) for part in value)


def joined(first: Content | None, second: Content) -> Content:
    """Two contents as one message."""
    if not first:
        return second
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n{second}"
    parts = [{"type": "text", "text": first}] if isinstance(first, str) else first
    return parts + ([{"type": "text", "text": second}] if isinstance(second, str) else second)


def exclusive(
    fresh: object, read: object, written: object, output: object, *, long: object = 0, call_id: str = ""
) -> Recorded | None:
    """Usage of a provider whose input count leaves the cached tokens out (Anthropic, OpenCode, pi).

    Args:
        long: the part of `written` that lives 1 h; the rest counts as 5 min.

    Returns:
        None when every count is 0 or none is one.
    """
    f, r, w, o = amount(fresh), amount(read), amount(written), amount(output)
    hour = min(amount(long), w)
    if not (f or r or w or o):
        return None
    return Recorded(f + r + w, r, w - hour, hour, o, call_id)


def inclusive(
    whole: object, read: object, output: object, *, written: object = 0, call_id: str = ""
) -> Recorded | None:
    """Usage of a provider whose input count is the whole prompt (OpenAI, Gemini, Codex).

    A cached count above the prompt is cut to it.
    """
    i, o = amount(whole), amount(output)
    r = min(amount(read), i)
    w = min(amount(written), i - r)
    return Recorded(i, r, w, 0, o, call_id) if i or o else None
