"""Where a simulated span has forgotten that it began empty: MSER-5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BATCH = 5
_LEAST_BATCHES = 6
"""Fewer batches than this are no series to judge."""


@dataclass(frozen=True, slots=True)
class WarmUp:
    """Leading observations to delete.

    Attributes:
        count: how many.
        settled: False when the series is too short to say, or still falls or rises at its middle.
    """

    count: int
    settled: bool


def mser5(series: Sequence[float]) -> WarmUp:
    """The deletion that makes the mean of the rest surest (White, Cobb and Spratt 2000).

    Means of five observations each; the number of leading batches `d` with the smallest
    `sum((x - mean)**2) / (n - d)**2` over the first half is deleted.

    Args:
        series: equally spaced observations.
    """
    data = np.asarray(series, dtype=float)
    batches = len(data) // BATCH
    if batches < _LEAST_BATCHES:
        return WarmUp(0, False)
    means = data[: batches * BATCH].reshape(batches, BATCH).mean(axis=1)
    half = batches // 2
    scores = [float(np.sum((means[d:] - means[d:].mean()) ** 2)) / (batches - d) ** 2 for d in range(half + 1)]
    best = int(np.argmin(scores))
    # A minimum at the last place looked at is an edge, not a minimum: the span is too short.
    return WarmUp(best * BATCH, best < half)
