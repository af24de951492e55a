"""What the agent is after: terms of the task and of its recent calls, used to steer what a compression keeps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.engine.dual.item import Item, calls_of, content_of, function_of

_TERM = re.compile(r"[A-Za-z_][\w./\\-]{3,}|[0-9][\w.:-]{2,}|[\u3400-\u9fff]{2,4}")
_COMMON_WORDS = """
about after again also because been before being between both could does done each first from have into just
like make more most must need only other over please same should some such sure than that their them then
there these they this those through under using very want what when where which while will with without
would your file files text line lines code true false null none name path command content output result
input value type python string list dict
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_PERFORMANCE = re.compile(
    r"perform|latenc|slow|profil|throughput|timing|bottleneck|\bdebug|性能|延迟|缓慢|太慢|变慢|耗时|瓶颈|调试|卡顿",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Focus:
    """What to prefer.

    Attributes:
        task: the first user message, for summary prompts.
        terms: distinctive words, most important first.
        levels: further log levels worth keeping (`DEBUG`, `TRACE` when performance is being looked at).
    """

    task: str = ""
    terms: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()


NO_FOCUS = Focus()


def focus_of(items: Sequence[Item], *, recent_calls: int = 3, most_terms: int = 24) -> Focus:
    """Focus from the first and the latest user message and the last few tool calls."""
    users = [item for item in items if item.role == "user"]
    task = users[0].text if users else ""
    latest = users[-1].text if users else ""
    calls: list[str] = []
    for item in reversed(items):
        if item.role == "assistant" and item.calls and item.message is not None:
            calls += [_arguments(call) for call in calls_of(item.message)]
            calls.append(content_of(item.message)[:500])
            recent_calls -= 1
            if not recent_calls:
                break
    texts = [*calls, latest[:2_000], task[:2_000]]
    levels = ("DEBUG", "TRACE", "调试") if any(_PERFORMANCE.search(t) for t in texts) else ()
    return Focus(task, tuple(_terms(texts, most_terms)), levels)


def _arguments(call: Mapping[str, Any]) -> str:
    arguments = function_of(call)[1]
    try:
        data = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments[:2_000]
    values = data.values() if isinstance(data, dict) else [data]
    return " ".join(str(v)[:500] for v in values)


def _terms(texts: Iterable[str], most: int) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        for term in _TERM.findall(text):
            word = term.strip("./\\-:")
            if len(word) >= 2 and word.lower() not in _COMMON:
                found.setdefault(word, None)
                if len(found) >= most:
                    return list(found)
    return list(found)
