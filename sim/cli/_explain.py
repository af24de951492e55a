"""`explain`'s rows as a table."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from sim.cli import _out
from sim.cli._table import Column, print_table
from sim.cli._words import has_word, word


def explain_table(rows: Sequence[Mapping[str, Any]], lang: str, *, arms: bool) -> None:
    """Print the resolved triggers; rows of a scenario are named by arm, those of a config by engine and window."""
    shown = [_shown(row, lang) for row in rows]
    several = len({row["engine"] for row in shown}) > 1 or arms
    settings = len({(r.get("threshold"), r.get("threshold_tokens"), r.get("max_tokens")) for r in rows}) > 1 or arms
    columns = [Column("arm", word("arm", lang))] if arms else []
    if several:
        columns.append(Column("engine", word("engine", lang)))
    columns.append(Column("window", word("window", lang), right=True))
    if settings:
        columns += [
            Column("threshold", "threshold", right=True),
            Column("threshold_tokens", "threshold_\ntokens", right=True),
        ]
        if any(row.get("max_tokens") for row in rows):
            columns.append(Column("max_tokens", "max_\ntokens", right=True))
    columns += [
        Column("trigger_tokens", word("trigger", lang), right=True, style="bold"),
        Column("trigger_rule", word("rule", lang)),
        Column("tail", word("tail", lang), right=True),
    ]
    print_table(shown, columns)
    for rule in dict.fromkeys(row["trigger_rule"] for row in shown):
        if has_word(f"rule_{rule}"):
            print(_out.wrapped(f"{rule}: {word(f'rule_{rule}', lang)}", sys.stdout))


def _shown(row: Mapping[str, Any], lang: str) -> dict[str, str]:
    trigger = row.get("trigger_tokens")
    tail, kept = row.get("tail_tokens"), row.get("tail_kept_tokens")
    return {
        "arm": str(row.get("arm") or ""),
        "engine": str(row.get("engine") or ""),
        "window": _short(row.get("window")),
        "threshold": "" if row.get("threshold") is None else f"{row['threshold']:g}",
        "threshold_tokens": _count(row.get("threshold_tokens")),
        "max_tokens": _count(row.get("max_tokens")),
        "trigger_tokens": word("never", lang) if trigger is None else _count(trigger),
        "trigger_rule": str(row.get("trigger_rule") or ""),
        "tail": "" if tail is None else _short(tail) + (f" ({_short(kept)})" if kept not in (None, tail) else ""),
    }


def _short(value: Any) -> str:
    """`260K` where that is exact, else all digits."""
    if not isinstance(value, int):
        return ""
    for size, suffix in ((1_000_000, "M"), (1_000, "K")):
        if value >= size and value * 10 % size == 0:
            return f"{value / size:g}{suffix}"
    return f"{value:,}"


def _count(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)


def remarks(document: Mapping[str, Any], *, diagnose: bool) -> None:
    """What has no effect or stands in the wrong place, below the table; the whole diagnosis when asked for."""
    print()
    if diagnose:
        for said in document["diagnosis"]:
            place = " ".join(str(part) for part in (said["arm"], said["engine"]) if part)
            window = f", window {said['window']:,}" if said["window"] else ""
            print(_out.wrapped(f"{said['level']}: {place}{window}: {said['text']}", sys.stdout))
        return
    lines = [f"{item['status']}: {_at(item)}{item['setting']}: {item['reason']}" for item in document["misplaced"]]
    for item in document["ignored"]:
        window = f" on a window of {item['window']:,}" if item["window"] else ""
        lines.append(f"no effect: {_at(item)}{item['setting']} = {item['value']}{window}: {item['reason']}")
    lines += [f"one trigger: {said['text']}" for said in document["findings"]]
    for line in dict.fromkeys(lines):
        print(_out.wrapped(line, sys.stdout))


def _at(item: Mapping[str, Any]) -> str:
    return f"{item['where']}: " if item.get("where") else f"{item['arm']}: " if item.get("arm") else ""
