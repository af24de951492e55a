"""Intervals for means over replications."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 4_999
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its confidence interval, in the unit of the data."""

    mean: float
    low: float
    high: float


def paired_interval(values: Sequence[float], *, seed: int, confidence: float = CONFIDENCE) -> Interval:
    """Mean of paired differences with a BCa bootstrap interval.

    A single value, or values that are all equal, give a point: BCa is undefined there and nothing varies.

    Args:
        values: one per replication.
        seed: of the resampling, so that equal data give equal intervals.
        confidence: coverage.
    """
    data = np.asarray(values, dtype=float)
    if data.size == 0:
        raise ValueError("an interval needs at least one value")
    mean = float(data.mean())
    if data.size == 1 or bool(np.all(data == data[0])):
        return Interval(mean, mean, mean)
    from scipy.stats import bootstrap

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # DegenerateDataWarning: handled by the percentile fallback below
        found = bootstrap(
            (data,),
            np.mean,
            n_resamples=RESAMPLES,
            confidence_level=confidence,
            method="BCa",
            rng=np.random.default_rng(seed),
            batch=500,
        ).confidence_interval
        low, high = float(found.low), float(found.high)
        if not (np.isfinite(low) and np.isfinite(high)):
            found = bootstrap(
                (data,),
                np.mean,
                n_resamples=RESAMPLES,
                confidence_level=confidence,
                method="percentile",
                rng=np.random.default_rng(seed),
                batch=500,
            ).confidence_interval
            low, high = float(found.low), float(found.high)
    return Interval(mean, low, high)


def share_positive(values: Sequence[float]) -> float:
    """Share of values above zero, ties counted half: the chance that an arm is cheaper in one session."""
    data = np.asarray(values, dtype=float)
    return float((np.count_nonzero(data > 0) + 0.5 * np.count_nonzero(data == 0)) / data.size)
