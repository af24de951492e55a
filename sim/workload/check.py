"""Holds a preset against the measured figures it claims to meet, over many token-only sessions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from sim.streams import Streams
from sim.workload.distributions import Floats
from sim.workload.preset import Preset, Target
from sim.workload.synthetic import Plan, make_plan, nominal_prefix

NEAR = 0.10
"""p10, p50, p90, means and shares are met when they are this close."""
NEAR_TAIL = 0.25
"""p99 is met when it is this close, or when the target lies in the observed quantile's 95 % sampling band."""

_QUANTILES = {"p10": 0.10, "p50": 0.50, "p90": 0.90, "p99": 0.99}


@dataclass(frozen=True, slots=True)
class Checked:
    """One figure: what was measured in the world and what the preset gives.

    Attributes:
        quantity, statistic: such as `latency_s` and `p90`.
        target: the measured figure, None when only observed.
        observed: the preset's figure.
        low, high: 95 % sampling band of the observed figure.
        values: how many values it rests on.
    """

    quantity: str
    statistic: str
    target: float | None
    observed: float
    low: float
    high: float
    values: int

    @property
    def off(self) -> float | None:
        """Relative difference; for shares the difference itself."""
        if self.target is None:
            return None
        if self.statistic == "share":
            return self.observed - self.target
        return self.observed / self.target - 1 if self.target else math.inf

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None when there is none."""
        off = self.off
        if off is None or self.target is None:
            return None
        if self.statistic == "share":
            return abs(off) <= max(NEAR * self.target, 0.01)
        if self.statistic == "p99":
            return abs(off) <= NEAR_TAIL or self.low <= self.target <= self.high
        return abs(off) <= NEAR


def check(
    preset: Preset,
    *,
    sessions: int = 2_000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> list[Checked]:
    """Target against observed for every figure of the preset's `targets`, then what else can be observed.

    Args:
        sessions: token-only sessions to draw.
        seed: of their streams.
        progress: called with (done, sessions) now and then.
    """
    measured = measure(_plans(preset, sessions, seed, progress), preset)
    rows: list[Checked] = []
    for quantity, target in preset.targets.items():
        rows.extend(_rows(str(quantity), measured[str(quantity)], target))
    for quantity, values in measured.items():
        if quantity not in preset.targets and len(values) and quantity not in _SHARES:
            rows.extend(_rows(quantity, values, None))
    return rows


_SHARES = {"results_of_growth", "think_over_1h", "think_over_5m"}


def _plans(preset: Preset, sessions: int, seed: int, progress: Callable[[int, int], None] | None) -> Iterable[Plan]:
    streams = Streams(seed)
    for number in range(sessions):
        yield make_plan(preset, streams.child("session", number))
        if progress is not None and (number % 50 == 49 or number + 1 == sessions):
            progress(number + 1, sessions)


def measure(plans: Iterable[Plan], preset: Preset) -> Mapping[str, Floats]:
    """All values of every quantity (`sim.workload.preset.QUANTITIES`)."""
    found: dict[str, list[float]] = {name: [] for name in _NAMES}
    base = nominal_prefix(preset)
    for plan in plans:
        _measure(plan, base, preset.hidden_thinking, found)
    values = {name: np.asarray(series, dtype=np.float64) for name, series in found.items()}
    think = values["think_time_s"]
    values["think_over_5m"] = (think > 300).astype(np.float64)
    values["think_over_1h"] = (think > 3_600).astype(np.float64)
    # The share of all growth is a ratio of sums; pseudo-values have it as their mean and its error as their spread.
    came, grew = values["results_of_growth"], values.pop("growth")
    if len(grew) and grew.sum() > 0:
        ratio = float(came.sum() / grew.sum())
        values["results_of_growth"] = ratio + (came - ratio * grew) * len(grew) / float(grew.sum())
    return values


_NAMES = (
    "calls", "calls_per_turn", "first_prompt", "growth", "last_prompt", "latency_s", "loop_gap_s", "output_per_call",
    "results_of_growth", "results_per_call", "span_s", "think_time_s", "total_tokens", "user_tokens",
)  # fmt: skip


def _measure(plan: Plan, base: int, hidden: bool, found: dict[str, list[float]]) -> None:
    calls, results, outputs, total, span = 0, 0.0, 0.0, float(base), 0.0
    last = total
    for number, turn in enumerate(plan.turns):
        if number == 0:
            found["first_prompt"].append(base + turn.user)
        else:
            found["think_time_s"].append(turn.gap)
        found["user_tokens"].append(turn.user)
        found["calls_per_turn"].append(len(turn.replies))
        total += turn.user
        span += turn.gap
        calls += len(turn.replies)
        for reply in turn.replies:
            last = total
            output = reply.thinking + reply.text + sum(t.arguments for t in reply.tools)
            found["output_per_call"].append(output)
            found["latency_s"].append(reply.seconds)
            span += reply.seconds
            total += output - (reply.thinking if hidden else 0)
            if reply.tools:
                came = sum(t.result for t in reply.tools)
                gap = max(t.seconds for t in reply.tools)
                found["results_per_call"].append(came)
                found["loop_gap_s"].append(gap)
                total += came
                span += gap
                results += came
                outputs += output
    found["calls"].append(calls)
    found["last_prompt"].append(last)
    found["total_tokens"].append(total)
    found["span_s"].append(span)
    found["results_of_growth"].append(results)
    found["growth"].append(results + outputs)


def _rows(quantity: str, values: Floats, target: Target | None) -> list[Checked]:
    if target is None:
        return [_row(quantity, statistic, None, values) for statistic in ("p50", "p90", "p99")]
    wanted = target.model_dump(exclude_none=True)
    return [_row(quantity, statistic, float(figure), values) for statistic, figure in wanted.items()]


def _row(quantity: str, statistic: str, target: float | None, values: Floats) -> Checked:
    n = len(values)
    if n == 0:
        return Checked(quantity, statistic, target, math.nan, math.nan, math.nan, 0)
    if statistic in _QUANTILES:
        share = _QUANTILES[statistic]
        ordered = np.sort(values)
        spread = 1.96 * math.sqrt(n * share * (1 - share))
        low = ordered[max(0, math.floor(n * share - spread))]
        high = ordered[min(n - 1, math.ceil(n * share + spread))]
        return Checked(quantity, statistic, target, float(np.quantile(ordered, share)), float(low), float(high), n)
    mean = float(values.mean())
    half = 1.96 * float(values.std()) / math.sqrt(n)
    return Checked(quantity, statistic, target, mean, mean - half, mean + half, n)


def check_table(rows: Iterable[Checked]) -> str:
    """The rows as a plain-text table."""
    lines = [f"{'quantity':<18} {'':<6} {'target':>12} {'observed':>12} {'off':>8}  {'95 % band':<24} {'':<4} values"]
    for row in rows:
        off = "" if row.off is None else (f"{row.off:+.1%}" if math.isfinite(row.off) else "inf")
        verdict = {True: "ok", False: "OFF", None: ""}[row.met]
        target = "" if row.target is None else f"{row.target:,.4g}"
        band = f"{row.low:,.4g} to {row.high:,.4g}"
        lines.append(
            f"{row.quantity:<18} {row.statistic:<6} {target:>12} {row.observed:>12,.4g} {off:>8}  {band:<24} "
            f"{verdict:<4} {row.values:,}"
        )
    return "\n".join(lines)
