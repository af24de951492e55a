"""Did a promised saving arrive? Recorded sessions before and after a change, against the saving a run predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from sim.errors import InputError, TranscriptError
from sim.insight.reconcile import Line, reconcile
from sim.streams import Streams

RESAMPLES = 4_000
CONFIDENCE = 0.90
FEW = 5
"""Sessions on a side below which no verdict is given."""


@dataclass(frozen=True, slots=True)
class Side:
    """Recorded sessions on one side of the change."""

    sessions: int
    calls: int
    pico: int
    read_share: float

    @property
    def pico_per_call(self) -> float:
        """Mean cost of a call."""
        return self.pico / self.calls


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was promised and what was measured; shares of the cost of a call, 0.2 is 20 % cheaper.

    Attributes:
        verdict: `arrived`, `partly arrived`, `did not arrive`, `cannot tell`.
        why: one sentence for a reader.
    """

    before: Side
    after: Side
    measured: float
    low: float
    high: float
    promised: float
    promised_low: float
    promised_high: float
    verdict: str
    why: str


def promised_saving(manifest: Mapping[str, Any], arm: str = "") -> tuple[float, float, float]:
    """(mean, low, high) of the saving a stored run promises for an arm; its first paired arm when none is named.

    Raises:
        InputError: the run has no such comparison.
    """
    pairs = (manifest.get("result") or {}).get("paired") or []
    for pair in pairs:
        if not arm or pair["arm"] == arm:
            saving = pair["saving_pct"]
            # Percent in a stored run; a share here.
            return tuple(float(saving[key]) / 100 for key in ("mean", "low", "high"))  # type: ignore[return-value]
    names = ", ".join(str(pair["arm"]) for pair in pairs) or "none"
    raise InputError(f"the run promises nothing for arm {arm!r}", remedy=f"its arms are: {names}")


def verify(
    before: Sequence[str],
    after: Sequence[str],
    promised: tuple[float, float, float],
    *,
    format: str = "auto",
    as_of: datetime | None = None,
    seed: int = 0,
) -> Verdict:
    """Compare the recorded cost of a call before and after a change with a promise.

    Sessions differ in length, so cost is compared a call, not a session; the interval resamples whole sessions.

    Args:
        before, after: transcripts on either side.
        promised: (mean, low, high) share, from `promised_saving`.
        as_of: date of the prices, the same on both sides.

    Raises:
        TranscriptError: a side has no call with recorded usage and a known price.
    """
    old, new = _sessions(before, format, as_of), _sessions(after, format, as_of)
    sides = _side(old, "before"), _side(new, "after")
    measured = 1 - sides[1].pico_per_call / sides[0].pico_per_call
    low, high = _interval(old, new, seed) if min(len(old), len(new)) > 1 else (-np.inf, np.inf)
    verdict, why = _judge(measured, float(low), float(high), promised, min(len(old), len(new)))
    return Verdict(*sides, measured, float(low), float(high), *promised, verdict, why)


def _sessions(paths: Sequence[str], format: str, as_of: datetime | None) -> list[list[Line]]:
    groups: dict[str, list[Line]] = {}
    for line in reconcile(paths, format=format, exact=True, as_of=as_of).lines:
        if line.recorded_pico is not None:
            # A sub-agent belongs to the session that started it.
            groups.setdefault(line.session.partition("/")[0], []).append(line)
    return list(groups.values())


def _side(sessions: list[list[Line]], name: str) -> Side:
    lines = [line for session in sessions for line in session]
    if not lines:
        raise TranscriptError(
            f"no call with recorded usage and a known price {name} the change",
            remedy="give transcripts with usage (Claude Code, Codex, OpenCode, pi, Gemini CLI, …)",
        )
    sent = sum(line.recorded.input for line in lines)
    read = sum(line.recorded.read for line in lines)
    return Side(len(sessions), len(lines), sum(x.recorded_pico or 0 for x in lines), read / sent if sent else 0.0)


def _interval(old: list[list[Line]], new: list[list[Line]], seed: int) -> tuple[float, float]:
    """Percentile interval of the saving a call, whole sessions resampled on both sides."""
    rng = Streams(seed).rng("verify")
    costs = []
    for sessions in (old, new):
        pico = np.array([sum(x.recorded_pico or 0 for x in lines) for lines in sessions], dtype=float)
        calls = np.array([len(lines) for lines in sessions], dtype=float)
        chosen = rng.integers(0, len(sessions), size=(RESAMPLES, len(sessions)))
        costs.append(pico[chosen].sum(axis=1) / calls[chosen].sum(axis=1))
    savings = 1 - costs[1] / np.maximum(costs[0], 1e-9)
    tail = (1 - CONFIDENCE) / 2
    return float(np.quantile(savings, tail)), float(np.quantile(savings, 1 - tail))


def _judge(
    measured: float, low: float, high: float, promised: tuple[float, float, float], sessions: int
) -> tuple[str, str]:
    mean, least, most = promised
    if sessions < FEW:
        return "cannot tell", f"fewer than {FEW} sessions on a side"
    if low > 0 and high >= least:
        return (
            "arrived",
            f"{measured:.0%} saved a call ({low:.0%} to {high:.0%}); promised {mean:.0%} ({least:.0%} to {most:.0%})",
        )
    if low > 0:
        return "partly arrived", f"{measured:.0%} saved a call, less than the least promised ({least:.0%})"
    if high < least:
        return "did not arrive", f"at best {high:.0%} saved a call, at least {least:.0%} was promised"
    return "cannot tell", f"between {low:.0%} and {high:.0%} saved a call: more sessions are needed"
