"""Seconds of a replayed session out of the time stamps a file has, with measured medians where it has none."""

from __future__ import annotations

from collections.abc import Sequence

from sim.workload.replay.drafts import Called

ASSUMED_LATENCY = 6.1
"""Median seconds of a model call (facts of workload calibration, section 1)."""
ASSUMED_TOOL = 0.2
"""Median seconds of a tool (the same, section 5)."""
ASSUMED_THINK = 117.0
"""Median seconds between an answer and the next message (the same, section 1)."""


class Timer:
    """Follows a session's clock; every duration it gives is finite and not negative.

    Attributes:
        first: the first time stamp seen, seconds since the epoch.
    """

    def __init__(self) -> None:
        self.first: float | None = None
        self._now: float | None = None
        self._started = False
        self._backwards = 0
        self._assumed: dict[str, int] = {"latency": 0, "tool time": 0, "think time": 0}

    def message(self, times: Sequence[float | None], began: float | None = None) -> float:
        """Gap before a turn whose messages came at these times; 0 before the first turn.

        Args:
            began: when its first request started, if the file says so.
        """
        known = [time for time in (*times, began) if time is not None]
        if not self._started:
            self._started = True
            self._note(known)
            self._now = known[-1] if known else None
            return 0.0
        if not known:
            self._assumed["think time"] += 1
            if self._now is not None:
                self._now += ASSUMED_THINK
            return ASSUMED_THINK
        gap = ASSUMED_THINK if self._now is None else self._forward(self._now, known[-1])
        self._now = known[-1] if self._now is None else max(self._now, known[-1])
        return gap

    def call(self, call: Called, next_began: float | None = None) -> tuple[float, list[float]]:
        """Seconds of the call and of each of its tools.

        Args:
            next_began: when the next request of the turn started; a wait before it counts with the longest tool.
        """
        begin = call.began if self._now is None else self._now
        self._note([t for t in (begin, call.done) if t is not None])
        if call.seconds is not None and call.seconds >= 0:
            seconds = call.seconds
            if call.began is not None:
                begin = call.began
        elif call.done is not None and begin is not None:
            seconds = self._forward(begin, call.done)
        else:
            self._assumed["latency"] += 1
            seconds = ASSUMED_LATENCY
        done = call.done if call.done is not None else (None if begin is None else begin + seconds)
        ends = [] if done is None else [done]
        lasted: list[float] = []
        for tool in call.tools:
            if tool.seconds is not None and tool.seconds >= 0:
                lasted.append(tool.seconds)
            elif tool.at is not None and done is not None:
                lasted.append(self._forward(done, tool.at))
            else:
                self._assumed["tool time"] += 1
                lasted.append(ASSUMED_TOOL)
            if tool.at is not None:
                ends.append(tool.at)
            elif done is not None:
                ends.append(done + lasted[-1])
        if lasted and next_began is not None and ends and next_began > max(ends):
            lasted[lasted.index(max(lasted))] += next_began - max(ends)
            ends.append(next_began)
        if ends:
            self._now = max(ends) if self._now is None else max(self._now, *ends)
        return seconds, lasted

    def notes(self) -> list[str]:
        """Remarks on missing and impossible times."""
        found = []
        assumed = ", ".join(f"{name} of {n}" for name, n in self._assumed.items() if n)
        if assumed:
            found.append(
                f"times not recorded, medians assumed ({ASSUMED_LATENCY} s a call, {ASSUMED_TOOL} s a tool, "
                f"{ASSUMED_THINK:.0f} s of thinking): {assumed}"
            )
        if self._backwards:
            found.append(f"{self._backwards} time stamp(s) run backwards: taken as no time passing")
        return found

    def _forward(self, start: float, end: float) -> float:
        if end < start - 1e-6:
            self._backwards += 1
        return max(0.0, end - start)

    def _note(self, times: Sequence[float]) -> None:
        if self.first is None and times:
            self.first = times[0]
