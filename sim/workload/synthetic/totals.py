"""Scales drawn sizes so that a session meets its preset's totals; the shape of each distribution stays."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sim.streams import Streams
from sim.workload.preset import Preset, TokenTotal, Total
from sim.workload.synthetic.plan import Plan

_CAP_ROUNDS = 6


def jittered(total: TokenTotal | Total, streams: Streams, name: str) -> float:
    """The session's own target."""
    return total.target * math.exp(total.spread * float(streams.rng("total", name).standard_normal()))


def scale_sizes(plan: Plan, preset: Preset, streams: Streams) -> None:
    """Scale the plan's sizes to the totals and round them to whole tokens."""
    totals = preset.totals
    replies, tools = list(plan.replies()), list(plan.tools())
    user = [turn.user for turn in plan.turns]
    thinking = [reply.thinking for reply in replies]
    text = [reply.text for reply in replies]
    arguments = [tool.arguments for tool in tools]
    results = [tool.result for tool in tools]
    caps = [_cap(preset, tool.name) for tool in tools]
    if totals.growth is not None:
        target = jittered(totals.growth, streams, "growth")
        hidden = preset.hidden_thinking
        last = replies[-1]
        fixed = 0.0
        parts = sum(user[1:]) + sum(text) - last.text + sum(arguments)
        parts += 0.0 if hidden else sum(thinking) - last.thinking
        for _ in range(_CAP_ROUNDS):
            free = sum(r for r, c in zip(results, caps, strict=True) if r < c)
            fixed = sum(c for r, c in zip(results, caps, strict=True) if r >= c)
            factor = max(0.0, target - fixed) / max(1e-9, parts + free)
            user = [user[0], *(u * factor for u in user[1:])]
            thinking, text, arguments = (_times(v, factor) for v in (thinking, text, arguments))
            results = [min(c, r * factor) if r < c else c for r, c in zip(results, caps, strict=True)]
            parts *= factor
    if totals.user is not None:
        user = scaled(user, jittered(totals.user, streams, "user"))
    if totals.thinking is not None:
        thinking = scaled(thinking, jittered(totals.thinking, streams, "thinking"))
    if totals.text is not None:
        text = scaled(text, jittered(totals.text, streams, "text"))
    if totals.arguments is not None:
        arguments = scaled(arguments, jittered(totals.arguments, streams, "arguments"))
    if totals.results is not None:
        results = scaled(results, jittered(totals.results, streams, "results"), caps)
    for turn, size in zip(plan.turns, whole(user), strict=True):
        turn.user = max(1, size)
    for reply, thought, said in zip(replies, whole(thinking), whole(text), strict=True):
        reply.thinking, reply.text = thought, said
    for tool, asked, returned in zip(tools, whole(arguments), whole(results), strict=True):
        tool.arguments, tool.result = asked, max(1, returned)
    by_number = {tool.number: tool for tool in tools}
    for tool in tools:
        if tool.repeats >= 0:
            tool.result = by_number[tool.repeats].result


def _cap(preset: Preset, tool: str) -> float:
    limit = getattr(preset.tools[tool].result, "max", None)
    return math.inf if limit is None else float(limit)


def _times(values: Sequence[float], factor: float) -> list[float]:
    return [value * factor for value in values]


def scaled(values: Sequence[float], target: float, caps: Sequence[float] | None = None) -> list[float]:
    """Values times one factor so that they sum to the target; those at their cap stay there."""
    data = np.asarray(values, dtype=np.float64)
    limit = np.full(len(data), np.inf) if caps is None else np.asarray(caps, dtype=np.float64)
    for _ in range(_CAP_ROUNDS):
        free = data < limit
        room, mass = target - float(data[~free].sum()), float(data[free].sum())
        if mass <= 0 or room <= 0:
            break
        data = np.where(free, np.minimum(limit, data * (room / mass)), data)
    return [float(v) for v in data]


def whole(values: Sequence[float]) -> list[int]:
    """Whole numbers whose running sums stay within one half of the exact ones, so totals are kept."""
    numbers, carried = [], 0.0
    for value in values:
        exact = value + carried
        number = max(0, round(exact))
        carried = exact - number
        numbers.append(number)
    return numbers
