"""From ledger tables to the comparison: one summary per arm, one paired row per arm against the baseline."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sim.streams import digest64
from sim.study.interval import Interval, paired_interval, share_positive
from sim.units import usd_text

if TYPE_CHECKING:
    import pyarrow as pa

Array = npt.NDArray[np.int64]
_COSTS = ("cost_read_pico", "cost_write_pico", "cost_fresh_pico", "cost_output_pico", "cost_storage_pico")

_UNFINISHED = ("cut_off", "failed", "budget")


class _Columns:
    """One table as plain columns: numbers as int64 arrays, text as lists."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._cache: dict[str, Any] = {}

    def text(self, name: str) -> npt.NDArray[np.object_]:
        if name not in self._cache:
            self._cache[name] = np.asarray(self._table.column(name).to_pylist(), dtype=object)
        found: npt.NDArray[np.object_] = self._cache[name]
        return found

    def ints(self, name: str) -> Array:
        if name not in self._cache:
            self._cache[name] = self._table.column(name).to_numpy().astype(np.int64)
        found: Array = self._cache[name]
        return found


def compare(
    tables: Mapping[str, pa.Table], *, arms: Sequence[str], baseline: str, replications: int, seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Summaries of the arms and the paired savings.

    Args:
        tables: `calls`, `rewrites`, `breaks`, `sessions`.
        arms: names in scenario order.
        baseline: the arm all others are compared with.
        replications: how many were played.
        seed: of the intervals' resampling.

    Returns:
        (`arms`, `paired`) as in `run --json`, without what only the caller knows (engine, settings).
    """
    calls, sessions, rewrites = (_Columns(tables[n]) for n in ("calls", "sessions", "rewrites"))
    totals = {arm: _per_replication(calls, arm, replications) for arm in arms}
    rows = [_arm(arm, calls, sessions, rewrites, totals[arm], seed) for arm in arms]
    curves = {arm: _curves(calls, arm, replications) for arm in arms}
    paired = [
        _pair(arm, baseline, totals[arm], totals[baseline], curves[arm], curves[baseline], seed)
        for arm in arms
        if arm != baseline
    ]
    return rows, paired


def _cost(calls: _Columns) -> Array:
    total = calls.ints(_COSTS[0]).copy()
    for name in _COSTS[1:]:
        total += calls.ints(name)
    return total


def _per_replication(calls: _Columns, arm: str, replications: int) -> list[int]:
    """Cost of each replication, pico-dollars; exact integers (int64 holds 9.2 million dollars)."""
    mask = calls.text("arm") == arm
    sums = np.zeros(replications, dtype=np.int64)
    np.add.at(sums, calls.ints("replication")[mask], _cost(calls)[mask])
    return [int(v) for v in sums]


def _arm(
    arm: str, calls: _Columns, sessions: _Columns, rewrites: _Columns, totals: list[int], seed: int
) -> dict[str, Any]:
    mine = calls.text("arm") == arm
    main = mine & (calls.text("kind") != "auxiliary") & (calls.text("outcome") == "ok")
    auxiliary = mine & (calls.text("kind") == "auxiliary")
    own = sessions.text("arm") == arm
    peaks = sessions.ints("peak_tokens")[own]
    fires = sessions.ints("first_fire_estimate")[own]
    fires = fires[fires >= 0]
    triggers = sessions.ints("trigger_tokens")[own]
    ends = sessions.text("end")[own]
    n = len(totals)
    interval = paired_interval([float(t) for t in totals], seed=digest64(seed, "cost") % (1 << 32))

    def tokens(name: str, mask: npt.NDArray[np.bool_] = main) -> int:
        return int(calls.ints(name)[mask].sum())

    def part(name: str, mask: npt.NDArray[np.bool_] = main) -> str:
        return usd_text(round(Fraction(int(calls.ints(name)[mask].sum()), n)))

    input_tokens = tokens("input_tokens")
    kinds = rewrites.text("kind")[rewrites.text("arm") == arm]
    return {
        "arm": arm,
        "trigger_tokens": int(triggers[0]) if len(triggers) and triggers[0] >= 0 else None,
        "observed_trigger_tokens": int(fires.min()) if len(fires) else None,
        "sessions": int(own.sum()),
        "calls": int(main.sum()),
        "compactions": int(sessions.ints("compactions")[own].sum()),
        "prunes": int(sessions.ints("prunes")[own].sum()),
        "attempts": int(np.count_nonzero(kinds == "attempt")),
        "peak_tokens": {
            "p50": _quantile(peaks, 0.5),
            "p90": _quantile(peaks, 0.9),
            "max": int(peaks.max()) if len(peaks) else 0,
        },
        "input_tokens": input_tokens,
        "cache_read_tokens": tokens("cache_read_tokens"),
        "cache_write_tokens": tokens("cache_write_tokens"),
        "fresh_tokens": tokens("fresh_tokens"),
        "output_tokens": tokens("output_tokens"),
        "auxiliary_input_tokens": tokens("input_tokens", auxiliary),
        "auxiliary_output_tokens": tokens("output_tokens", auxiliary),
        "auxiliary_calls": int(auxiliary.sum()),
        "cost_usd": {
            "mean": usd_text(round(Fraction(sum(totals), n))),
            "p50": usd_text(_quantile(totals, 0.5)),
            "p90": usd_text(_quantile(totals, 0.9)),
            "p99": usd_text(_quantile(totals, 0.99)),
            "low": usd_text(round(interval.low)),
            "high": usd_text(round(interval.high)),
        },
        "cost_parts_usd": {
            "cache_read": part("cost_read_pico"),
            "cache_write": part("cost_write_pico"),
            "fresh": part("cost_fresh_pico"),
            "output": part("cost_output_pico"),
            "auxiliary": usd_text(round(Fraction(int(_cost(calls)[auxiliary].sum()), n))),
            "storage": part("cost_storage_pico"),
        },
        "hit_ratio": round(tokens("cache_read_tokens") / input_tokens, 6) if input_tokens else 0.0,
        "miss_penalty_usd": part("penalty_pico"),
        "facts": {
            state: int(sessions.ints(f"facts_{state}")[own].sum())
            for state in ("verbatim", "summarised", "recoverable", "gone")
        },
        "retention": _retention(rewrites, arm),
        "repeated_calls": int(sessions.ints("repeated_calls")[own].sum()),
        "overflows": int(np.count_nonzero(ends == "overflow")),
        "unfinished": int(sum(np.count_nonzero(ends == end) for end in _UNFINISHED)),
    }


def _retention(rewrites: _Columns, arm: str) -> float | None:
    """Mean share of distinct identifiers, numbers, paths and error lines a rewrite kept word for word.

    None for engines that do not measure it.
    """
    dropped = rewrites.text("dropped")[rewrites.text("arm") == arm]
    shares = [found["retention"] for text in dropped if text and "retention" in (found := json.loads(text))]
    return round(sum(shares) / len(shares), 6) if shares else None


def _quantile(values: Sequence[int] | Array, share: float) -> int:
    """The smallest value that at least `share` of the values do not exceed; an observed value, not interpolated."""
    ordered = sorted(int(v) for v in values)
    if not ordered:
        return 0
    rank = -(-len(ordered) * Fraction(str(share)).numerator // Fraction(str(share)).denominator)
    return ordered[max(0, min(len(ordered), rank) - 1)]


def _curves(calls: _Columns, arm: str, replications: int) -> npt.NDArray[np.int64]:
    """Cumulative cost (pico-dollars) by replication and call; column 0 is call 1. A session that ended stays level."""
    mask = calls.text("arm") == arm
    numbers = calls.ints("call")[mask]
    if not len(numbers):
        return np.zeros((replications, 0), dtype=np.int64)
    spent = np.zeros((replications, int(numbers.max()) + 1), dtype=np.int64)
    np.add.at(spent, (calls.ints("replication")[mask], numbers), _cost(calls)[mask])
    curves: npt.NDArray[np.int64] = np.cumsum(spent[:, 1:], axis=1)
    return curves


_Z95 = 1.959964


def _wins_from(arm: npt.NDArray[np.int64], baseline: npt.NDArray[np.int64]) -> int | None:
    """The call from which the arm is cheaper, shown to be so (95 %), to the end.

    At each call the mean saving so far must lie above its own sampling error (normal, over replications), so that one
    session's early luck does not count; with one replication, or equal savings, the mean alone decides.
    """
    length = max(arm.shape[1], baseline.shape[1])
    if not arm.shape[1] or not baseline.shape[1]:
        return None
    saving = _level(baseline, length) - _level(arm, length)
    mean = saving.mean(axis=0)
    count = saving.shape[0]
    error = saving.std(axis=0, ddof=1) / np.sqrt(count) if count > 1 else np.zeros(length)
    behind = np.flatnonzero((mean <= 0) | (mean - _Z95 * error <= 0))
    if not len(behind):
        return 1
    last = int(behind[-1])
    return None if last == length - 1 else last + 2


def _level(curves: npt.NDArray[np.int64], length: int) -> npt.NDArray[np.float64]:
    """Curves drawn out level to a common length."""
    return np.pad(curves, ((0, 0), (0, length - curves.shape[1])), mode="edge").astype(np.float64)


def _pair(
    arm: str,
    baseline: str,
    costs: list[int],
    base: list[int],
    curve: npt.NDArray[np.int64],
    base_curve: npt.NDArray[np.int64],
    seed: int,
) -> dict[str, Any]:
    savings = [b - a for a, b in zip(costs, base, strict=True)]
    interval = paired_interval([float(s) for s in savings], seed=digest64(seed, "saving") % (1 << 32))
    mean_base = Fraction(sum(base), len(base))
    return {
        "arm": arm,
        "baseline": baseline,
        "saving_usd": {
            "mean": usd_text(round(Fraction(sum(savings), len(savings)))),
            "low": usd_text(round(interval.low)),
            "high": usd_text(round(interval.high)),
        },
        "saving_pct": _percent(interval, mean_base),
        "p_cheaper": round(share_positive([float(s) for s in savings]), 6),
        "verdict": _verdict(interval),
        "wins_from_call": _wins_from(curve, base_curve),
    }


def _percent(interval: Interval, base: Fraction) -> dict[str, float | None]:
    if base == 0:
        return {"mean": None, "low": None, "high": None}
    return {
        name: round(float(Decimal(value) / Decimal(base.numerator) * base.denominator * 100), 4)
        for name, value in (("mean", interval.mean), ("low", interval.low), ("high", interval.high))
    }


def _verdict(interval: Interval) -> str:
    if interval.low > 0:
        return "cheaper"
    if interval.high < 0:
        return "dearer"
    return "no difference shown"
