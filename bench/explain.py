"""Explaining 144 combinations (12 windows, 6 settings, 2 Hermes versions) beside starting the two engines alone.

Run with `python bench/explain.py`; leaves with 1 when the whole takes more than twice the start plus half a second.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from sim.engine.factory import open_engine
from sim.insight.explain import explain_cases
from sim.insight.gates import Case, engines_for
from sim.scenario import EngineSpec

WINDOWS = (8, 16, 32, 64, 100, 128, 200, 260, 400, 511.999, 512, 1_000)
SETTINGS: tuple[tuple[dict[str, Any], int | None], ...] = (
    ({"threshold": 0.5}, None),
    ({"threshold": 0.7}, None),
    ({"threshold": 0.85}, None),
    ({"threshold": 0.9}, None),
    ({"threshold": 0.5}, 32_000),
    ({"threshold": 0.5, "threshold_tokens": 230_000}, None),
)


def main() -> int:
    """Measure, print, judge."""
    specs = [EngineSpec(kind="hermes", version=label) for label in ("0.19", "0.22")]
    for spec in specs:
        open_engine(spec).close()  # installs what is missing
    best_start = best_all = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        with engines_for(specs, None, None):
            best_start = min(best_start, time.perf_counter() - started)
        cases = [
            Case(f"{i}", spec, int(window * 1_000), {"compression": block}, max_tokens=reserved)
            for spec in specs
            for window in WINDOWS
            for i, (block, reserved) in enumerate(SETTINGS)
        ]
        started = time.perf_counter()
        rows = explain_cases(cases).rows
        best_all = min(best_all, time.perf_counter() - started)
    ratio = best_all / best_start
    print(
        f"start of both engines {best_start:.2f} s; {len(rows)} combinations in all {best_all:.2f} s, {ratio:.2f} times"
    )
    return 0 if best_all <= 2 * best_start + 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
