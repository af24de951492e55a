"""Fits a preset to a person's own sessions, and says how far each fitted distribution is from what was seen."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import yaml
from pydantic import BaseModel

from sim.errors import InputError
from sim.history import Row
from sim.history.row import content_text
from sim.streams import digest64
from sim.tokens import ContentKind, TokenModel
from sim.workload.distributions import Distribution, Fixed, Lognormal, Quantiles
from sim.workload.preset import Preset
from sim.workload.script import Reply, Script, ToolRun

_Z90 = 1.2815515655446004
_RARE = 5
"""Tools called less often than this are fitted together, as `other`."""
_TAIL_FROM = 200
"""Values needed before a tail of its own is fitted."""


_SHAPED_FROM, _CLOSE = 20, 0.10
"""With so many values, and a lognormal further off than this (KS), the quantiles themselves are kept."""
_SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True, slots=True)
class Distance:
    """How well one distribution fits.

    Attributes:
        quantity: such as `latency` or `tools.terminal.result`.
        values: how many values were seen.
        ks: largest difference between the two distribution functions (Kolmogorov-Smirnov).
        quantiles: (share, seen, fitted) for a quantile-quantile plot.
    """

    quantity: str
    values: int
    ks: float
    quantiles: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted preset and the distances of its distributions."""

    preset: Preset
    distances: tuple[Distance, ...]

    def yaml(self) -> str:
        """The preset as a YAML file to keep and change."""
        data = {"schema": 1, **{k: v for k, v in _plain(self.preset).items() if k not in ("name", "schema_version")}}
        return "# Fitted to recorded sessions; sizes are billed tokens of their model.\n" + yaml.safe_dump(
            _tidy(data), sort_keys=False, allow_unicode=True, default_flow_style=None, width=120
        )


@dataclass(slots=True)
class _Seen:
    """Everything the sessions show, by quantity."""

    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, quantity: str, value: float) -> None:
        self.values.setdefault(quantity, []).append(float(value))


def fit_distribution(values: Sequence[float]) -> Distribution:
    """The named distribution closest to some values.

    A lognormal that meets median and p90, with a Pareto tail when the values have one; their own quantiles when that
    is far off.

    Args:
        values: each 0 or more; none at all gives a fixed 0.
    """
    data = np.asarray(values, dtype=np.float64)
    if not len(data):
        return Fixed(value=0)
    above = data[data > 0]
    if not len(above):
        return Fixed(value=0)
    zero = 1 - len(above) / len(data)
    p50, p90, p95, p99 = (float(np.quantile(above, q)) for q in (0.5, 0.9, 0.95, 0.99))
    if above.min() == above.max() and zero == 0:
        return Fixed(value=_round(p50))
    sigma = max(0.0, math.log(max(p90, p50) / p50) / _Z90)
    if sigma == 0.0:
        sigma = float(np.log(above).std())
    tail: dict[str, float] = {}
    if len(above) >= _TAIL_FROM and p99 > 1.3 * p50 * math.exp(2.3263 * sigma) and p99 > p95:
        tail = {"tail_from": _round(p95), "tail_alpha": round(max(0.3, math.log(5) / math.log(p99 / p95)), 3)}
    limits: dict[str, float] = {"min": _round(float(above.min())), "max": _round(float(above.max()))}
    named = Lognormal.model_validate(
        {"median": _round(p50), "sigma": round(min(5.0, sigma), 3), "zero": round(zero, 4), **tail, **limits}
    )
    if len(above) < _SHAPED_FROM or distance("", values, named).ks <= _CLOSE:
        return named
    marks = tuple(_round(float(v)) for v in np.quantile(above, _SHARES))
    return Quantiles(shares=_SHARES, values=marks, zero=round(zero, 4))


def distance(quantity: str, values: Sequence[float], fitted: Distribution) -> Distance:
    """How far the fitted distribution is from the values (20,000 draws stand for it)."""
    seen = np.sort(np.asarray(values, dtype=np.float64))
    drawn = np.sort(fitted.draws(np.random.default_rng(0), 20_000))
    points = np.concatenate((seen, drawn))
    gap = np.abs(
        np.searchsorted(seen, points, side="right") / len(seen)
        - np.searchsorted(drawn, points, side="right") / len(drawn)
    )
    shares = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
    quantiles = tuple((q, float(np.quantile(seen, q)), float(np.quantile(drawn, q))) for q in shares)
    return Distance(quantity, len(seen), float(gap.max()), quantiles)


def fit_preset(scripts: Sequence[Script], tokens: TokenModel, *, name: str = "mine") -> Fitted:
    """A preset like these sessions.

    Args:
        scripts: sessions, as `sim.workload.replay` imports them.
        tokens: the token counts they were made with.
        name: of the preset.

    Raises:
        InputError: no session has a call.
    """
    scripts = [script for script in scripts if script.calls]
    if not scripts:
        raise InputError("there is no session to fit to", remedy="give transcripts with at least one model call")
    rare = _rare_tools(scripts)
    seen, facts = _Seen(), _Traits()
    for script in scripts:
        _look(script, tokens, seen, facts, rare)
    fitted = {quantity: fit_distribution(values) for quantity, values in seen.values.items()}
    data: dict[str, Any] = {
        "schema": 1,
        "name": name,
        "title": f"Fitted to {len(scripts)} recorded sessions",
        "note": f"{sum(s.calls for s in scripts):,} calls in {len(scripts)} sessions.",
        "origin": Counter(script.origin for script in scripts).most_common(1)[0][0],
        "language": facts.language(),
        "prefix": _prefix(scripts),
        "cut_off": round(sum(not script.finished for script in scripts) / len(scripts), 3),
        "parallel": facts.parallel(),
        "sticky": facts.sticky(),
        "hidden_thinking": facts.hidden,
        "tools": {tool: _tool(tool, fitted, facts) for tool in facts.calls},
    }
    for quantity in ("calls", "calls_per_turn", "user", "first_user", "thinking", "remark", "answer", "latency"):
        if quantity in fitted:
            data[quantity] = fitted[quantity]
    data.setdefault("answer", Fixed(value=1))
    data["think_time"] = fitted.get("think_time", Fixed(value=0))
    distances = tuple(distance(q, values, fitted[q]) for q, values in seen.values.items())
    return Fitted(Preset.model_validate(data), distances)


class _Traits:
    """Shares that are not distributions."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.repeated: Counter[str] = Counter()
        self.argument_texts: dict[str, Counter[str]] = {}
        self.result_texts: dict[str, Counter[str]] = {}
        self.groups = self.same = self.pairs = 0
        self.hidden = False
        self.chinese: list[bool] = []

    def language(self) -> str:
        share = sum(self.chinese) / max(1, len(self.chinese))
        return "chinese" if share > 0.8 else "mixed" if share > 0.2 else "english"

    def parallel(self) -> float:
        total = sum(self.calls.values())
        return round((total - self.groups) / total, 3) if total else 0.0

    def sticky(self) -> float:
        """Share of repeats beyond what the mix of tools gives by itself."""
        total = sum(self.calls.values())
        if not self.pairs or not total:
            return 0.0
        chance = sum((n / total) ** 2 for n in self.calls.values())
        return round(max(0.0, (self.same / self.pairs - chance) / max(1e-9, 1 - chance)), 3)


def _rare_tools(scripts: Sequence[Script]) -> set[str]:
    counts = Counter(t.name for s in scripts for turn in s.turns for r in turn.replies for t in r.tools)
    return {name for name, count in counts.items() if count < _RARE}


def _look(script: Script, tokens: TokenModel, seen: _Seen, traits: _Traits, rare: set[str]) -> None:
    seen.add("calls", script.calls)
    last = ""
    results: dict[str, set[int]] = {}
    for number, turn in enumerate(script.turns):
        size = sum(row.tokens for row in turn.users)
        seen.add("user" if number else "first_user", size)
        if number == 0 and len(script.turns) == 1:
            seen.add("user", size)
        if number:
            seen.add("think_time", turn.gap)
        traits.chinese.extend(row.kind is ContentKind.CHINESE for row in turn.users if row.message is not None)
        seen.add("calls_per_turn", len(turn.replies))
        for reply in turn.replies:
            _look_at_reply(reply, tokens, seen, traits, rare)
            for tool in reply.tools:
                name = "other" if tool.name in rare else tool.name
                traits.pairs += bool(last)
                traits.same += name == last
                last = name
                known = results.setdefault(name, set())
                # A row's own ident covers the call's id, so the text alone tells a repeat.
                same = tool.result.ident if tool.result.message is None else digest64(tool.result.text)
                traits.repeated[name] += same in known and tool.result.tokens > 30
                known.add(same)


def _look_at_reply(reply: Reply, tokens: TokenModel, seen: _Seen, traits: _Traits, rare: set[str]) -> None:
    seen.add("latency", reply.seconds)
    thinking, text, arguments = _parts(reply.row, tokens, len(reply.tools))
    if reply.hidden_tokens:
        traits.hidden = True
    seen.add("thinking", thinking + reply.hidden_tokens)
    seen.add("remark" if reply.tools else "answer", text)
    traits.groups += bool(reply.tools)
    for place, tool in enumerate(reply.tools):
        name = "other" if tool.name in rare else tool.name
        traits.calls[name] += 1
        traits.failed[name] += tool.failed
        seen.add(f"tools.{name}.arguments", arguments[place])
        seen.add(f"tools.{name}.result", tool.result.tokens)
        seen.add(f"tools.{name}.seconds", tool.seconds)
        traits.argument_texts.setdefault(name, Counter())[_argument_text(reply.row, place)] += 1
        traits.result_texts.setdefault(name, Counter())[_result_text(tool)] += 1


def _parts(row: Row, tokens: TokenModel, tools: int) -> tuple[float, float, list[float]]:
    """Tokens of thinking, text and each call's arguments; shares of the row's count by their own counts."""
    if row.message is None:
        return 0.0, 0.0 if tools else float(row.tokens), [row.tokens / max(1, tools)] * tools
    thought, mark, said = content_text(row.message.get("content")).rpartition("</think>")
    functions = [call.get("function", {}) for call in row.message.get("tool_calls") or ()]
    texts = [thought + mark, said, *(f"{f.get('name', '')}{f.get('arguments', '')}" for f in functions)]
    counts = [tokens.count(text) for text in texts]
    scale = row.tokens / max(1, sum(counts))
    sized = [count * scale for count in counts]
    return sized[0], sized[1], (sized[2:] + [0.0] * tools)[:tools]


_KEYS = (
    ("old_string", "edit"), ("new_string", "edit"), ("patch", "edit"), ("diff", "edit"), ("content", "file"),
    ("code", "python"), ("todos", "todo"), ("plan", "todo"), ("prompt", "prompt"), ("goal", "prompt"),
    ("command", "command"), ("cmd", "command"), ("query", "query"), ("pattern", "query"), ("url", "query"),
    ("path", "path"), ("file_path", "path"),
)  # fmt: skip


def _argument_text(row: Row, place: int) -> str:
    calls = (row.message or {}).get("tool_calls") or ()
    try:
        keys = set(json.loads(calls[place]["function"]["arguments"]))
    except (IndexError, KeyError, TypeError, ValueError):
        return "command"
    return next((text for key, text in _KEYS if key in keys), "command")


_RESULT_TEXT = {
    ContentKind.CODE: "file",
    ContentKind.LOG: "log",
    ContentKind.JSON: "json_api",
    ContentKind.CHINESE: "prose_zh",
    ContentKind.MARKDOWN: "web_page",
}


def _result_text(tool: ToolRun) -> str:
    if tool.result.tokens < 40:
        return "short"
    return _RESULT_TEXT.get(tool.result.kind, "status")


def _prefix(scripts: Sequence[Script]) -> dict[str, Any]:
    tools = [sum(row.tokens for row in s.prefix if row.role == "tools") for s in scripts]
    system = [sum(row.tokens for row in s.prefix if row.role == "system") for s in scripts]
    return {"tools_tokens": int(np.median(tools)), "system_tokens": int(np.median(system)), "memory": 0.0}


def _tool(name: str, fitted: dict[str, Distribution], traits: _Traits) -> dict[str, Any]:
    calls = traits.calls[name]
    texts = traits.result_texts[name]
    return {
        "weight": calls,
        "arguments": fitted[f"tools.{name}.arguments"],
        "argument_text": traits.argument_texts[name].most_common(1)[0][0],
        "result": fitted[f"tools.{name}.result"],
        "result_text": dict(sorted(texts.items())),
        "seconds": fitted[f"tools.{name}.seconds"],
        "fails": round(traits.failed[name] / calls, 4),
        "repeats": round(traits.repeated[name] / calls, 4),
    }


def _round(value: float) -> float:
    """Three significant figures."""
    return float(f"{value:.3g}") if value < 1_000 else float(round(value))


def _plain(model: BaseModel) -> dict[str, Any]:
    """A setting as plain data, defaults left out."""
    found: dict[str, Any] = {"kind": model.kind} if hasattr(model, "kind") else {}
    for name, info in type(model).model_fields.items():
        value = getattr(model, name)
        if not info.is_required() and value == info.get_default(call_default_factory=True):
            continue
        found[name] = _plain_value(value)
    return found


def _plain_value(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.value if isinstance(value, Fixed) else _plain(value)
    if isinstance(value, dict):
        return {key: _plain_value(one) for key, one in value.items()}
    return [_plain_value(one) for one in value] if isinstance(value, tuple) else value


def _tidy(data: Any) -> Any:
    """Whole floats as integers, for people's eyes."""
    if isinstance(data, dict):
        return {key: _tidy(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_tidy(value) for value in data]
    return int(data) if isinstance(data, float) and data.is_integer() else data


def seen_table(fitted: Fitted) -> str:
    """The distances as a plain-text table, worst first."""
    lines = [f"{'quantity':<34} {'values':>8} {'KS':>6}   p50 seen/fitted       p90 seen/fitted"]
    for row in sorted(fitted.distances, key=lambda d: -d.ks):
        by = {share: (seen, model) for share, seen, model in row.quantiles}
        cells = "   ".join(f"{by[q][0]:>9,.4g} / {by[q][1]:<9,.4g}" for q in (0.5, 0.9))
        lines.append(f"{row.quantity:<34} {row.values:>8,} {row.ks:>6.3f}   {cells}")
    return "\n".join(lines)


__all__ = ["Distance", "Fitted", "distance", "fit_distribution", "fit_preset", "seen_table"]
