"""JSON: its shape with types and lengths, and a few samples; also lines of JSON, and text that only looks like JSON."""

from __future__ import annotations

import json
from typing import Any

from sim.engine.dual.fit import Piece, gap_piece
from sim.engine.dual.lines import CLIP, clip, count_lines, first_lines, last_lines
from sim.engine.dual.phrases import say
from sim.engine.dual.strategy import Context, Plan, focus_hits

_MOST_KEYS = 12
_ERROR_KEYS = ("error", "errors", "message", "exception", "status", "code", "exit_code", "错误")


def shape(value: Any, depth: int) -> str:
    """Shape of a value: `{id: int, tags: [3 × str], owner: {...}}`."""
    if isinstance(value, dict):
        if depth <= 0:
            return f"{{{len(value)} keys}}"
        parts = [f"{str(k)[:40]}: {shape(v, depth - 1)}" for k, v in list(value.items())[:_MOST_KEYS]]
        if len(value) > _MOST_KEYS:
            parts.append(f"… {len(value) - _MOST_KEYS} more keys")
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        if not value:
            return "[]"
        kinds = {type(v).__name__ for v in value[:100]}
        inner = shape(value[0], depth - 1) if len(kinds) == 1 and depth > 0 else "/".join(sorted(kinds))
        return f"[{len(value)} × {inner}]"
    if isinstance(value, str):
        return "str" if len(value) <= 60 else f"str({len(value)} chars)"
    return "null" if value is None else type(value).__name__


def plan_json(text: str, data: Any, context: Context) -> Plan:
    """Pieces of valid JSON (`data` given), of JSON lines, or of text that does not parse."""
    if data is None:
        rows = _json_lines(text)
        if rows is None:
            return _broken(text, context)
        data = rows
    s, language = context.settings, context.language
    pieces: list[Piece] = []
    shapes = [say("shape", language, text=shape(data, depth)) for depth in range(s.json_depth, -1, -1)]
    # The deepest shape that is not too long is shown; the fit picks a shallower one when it must.
    good = [one for one in shapes if len(one) <= 3 * CLIP] or [clip(shapes[-1], language, CLIP)]
    pieces.append(Piece(1, good[0] if len(good[0]) <= 2 * CLIP else clip(good[-1], language, CLIP)))
    if isinstance(data, dict):
        for i, (key, value) in enumerate(_telling(data)):
            pieces.append(Piece(2 + i, f"{key}: {clip(_compact(value), language, CLIP)}"))
    wanted = focus_hits(text, context.focus)[:3] if count_lines(text) > 3 else []
    for i, start in enumerate(wanted):
        stop = text.find("\n", start)
        pieces.append(Piece(4 + i, clip(text[start : len(text) if stop < 0 else stop].strip(), language)))
    pieces += [Piece(6 + i, clip(sample, language)) for i, sample in enumerate(_samples(data, s.json_samples))]
    return Plan(pieces)


def _samples(data: Any, most: int) -> list[str]:
    """First elements of the largest list at the top or one level down; scalar members of an object without lists."""
    if isinstance(data, list):
        return [_compact(v) for v in data[:most]]
    lists = [(k, v) for k, v in data.items() if isinstance(v, list) and v]
    if lists:
        key, largest = max(lists, key=lambda kv: len(kv[1]))
        return [f"{str(key)[:60]}[{i}]: {_compact(v)}" for i, v in enumerate(largest[:most])]
    return [f"{str(k)[:60]}: {_compact(v)}" for k, v in list(data.items())[: 2 * most]]


def _telling(data: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(k, data[k]) for k in _ERROR_KEYS if k in data and data[k] not in (None, "", [], {})]


def _compact(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)
    except (ValueError, RecursionError):
        return str(type(value).__name__)


def _json_lines(text: str) -> list[Any] | None:
    lines = [line for _, line in first_lines(text, 2_000) if line.strip()]
    if len(lines) < 2:
        return None
    rows = []
    for line in lines:
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            if len(rows) * 10 < len(lines) * 8:
                return None
    return rows


def _broken(text: str, context: Context) -> Plan:
    """Text that opens like JSON but is none: count of its comma-separated parts, its start and its end."""
    s, language = context.settings, context.language
    total = count_lines(text)
    pieces = [Piece(1, say("broken", language))]
    if total < 8:
        parts = text[:1_000_000].strip().strip("[]{}").split(", ")
        pieces.append(Piece(1, say("shape", language, text=f"{len(parts)} × …")))
        ends = [clip(p.strip(), language, 80) for p in (*parts[:60], *parts[-10:])]
        front, back = ends[:60], ends[60:]
        pieces += [Piece(3 + i, one) for i, one in enumerate(front)]
        pieces += [Piece(3 + 2 * (len(back) - i), one) for i, one in enumerate(back)]
        return Plan(pieces)
    head = first_lines(text, s.head_lines)
    floor = head[-1][0] + len(head[-1][1]) + 1 if head else 0
    pieces += [Piece(10 + i, clip(line, language), 1) for i, (_, line) in enumerate(head)]
    pieces.append(gap_piece(2))
    tail = last_lines(text, s.tail_lines, floor)
    pieces += [Piece(9 + len(tail) - i, clip(line, language), 1) for i, (_, line) in enumerate(tail)]
    return Plan(pieces, total)
