"""When the sessions of a fleet begin."""

from __future__ import annotations

from sim.streams import Streams

DAY_S = 86_400.0


def arrival_times(streams: Streams, group: str, per_day: float, days: float) -> list[float]:
    """A Poisson process: seconds from the start of the span, ascending.

    A longer span goes on with the same arrivals; other groups have streams of their own.

    Args:
        streams: the replication's streams.
        group: name of the group.
        per_day: mean arrivals a day.
        days: length of the span.
    """
    rng = streams.rng("arrivals", group)
    times: list[float] = []
    at = 0.0
    while True:
        at += float(rng.exponential()) * DAY_S / per_day
        if at >= days * DAY_S:
            return times
        times.append(at)
