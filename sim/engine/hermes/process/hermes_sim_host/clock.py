"""The engine's clock: simulated seconds since the epoch, of the session that is running."""

from __future__ import annotations

import sys
import time as real
from datetime import UTC, datetime
from types import ModuleType
from typing import Any


class Clock:
    """Stands in for the `time` module inside Hermes's modules.

    Attributes:
        now: simulated time of the session that holds the turn to run.
    """

    def __init__(self) -> None:
        self.now = 0.0

    def time(self) -> float:
        """Simulated seconds since the epoch."""
        return self.now

    monotonic = time
    perf_counter = time

    def time_ns(self) -> int:
        """Simulated nanoseconds since the epoch."""
        return int(self.now * 1e9)

    monotonic_ns = time_ns
    perf_counter_ns = time_ns

    def sleep(self, _seconds: float) -> None:
        """Waiting is the world's business."""

    def today(self) -> str:
        """Simulated date, UTC, as the summary prompt writes it."""
        return datetime.fromtimestamp(self.now, UTC).strftime("%Y-%m-%d")

    def __getattr__(self, name: str) -> Any:
        return getattr(real, name)


def install(clock: Clock) -> None:
    """Replace the clock in every loaded module of the package's `agent` folder.

    The modules that must be covered are the compressor and its helpers, micro-compaction, the turn-start, preflight and
    wrapper modules, and the wall clock of row time stamps (host page, (d) 1); replacing it in all keeps the list open.
    """
    for name, module in list(sys.modules.items()):
        if name == "agent" or name.startswith("agent."):
            _replace(module, clock)
    compressor: Any = sys.modules.get("agent.context_compressor")
    if hasattr(compressor, "_today_for_prompt"):
        compressor._today_for_prompt = clock.today
    dates: Any = sys.modules.get("hermes_time")
    if hasattr(dates, "now"):
        dates.now = lambda *_args, **_kwargs: datetime.fromtimestamp(clock.now, UTC)


def _replace(module: ModuleType, clock: Clock) -> None:
    members = vars(module)
    for name, value in list(members.items()):
        if value is real:
            members[name] = clock
        elif value in (real.time, real.monotonic) and callable(value):
            members[name] = clock.time
