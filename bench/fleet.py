"""A fleet of 200 long sessions over a simulated week (about 50,000 calls), token-only: seconds and peak memory.

    python bench/fleet.py [SESSIONS]

Wanted: 20 seconds and 1 GiB at most on one core; exits 1 otherwise.
"""

from __future__ import annotations

import sys
import time

from sim.scenario import from_mapping
from sim.study.fleet import FleetPlayer
from sim.study.prepare import Workbench

SECONDS, MIB = 20.0, 1_024


def main() -> int:
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    scenario = from_mapping(
        {
            "schema": 1,
            "seed": 1,
            "model": {"name": "claude-opus-4-7", "window": "1M", "as_of": "2026-12-01"},
            "fleet": {
                "days": 7,
                "groups": [
                    {
                        "workload": {
                            "kind": "synthetic",
                            "preset": "coding-2026",
                            "set": {"calls": {"kind": "lognormal", "median": 230, "sigma": 0.4, "max": 1200}},
                        },
                        "sessions_per_day": sessions / 7,
                    }
                ],
                "account": {"rpm": 400, "tpm": "4M"},
            },
            "arms": {"capped": {"engine": "parametric", "parametric": {"trigger": "230K", "landing": "40K"}}},
        }
    )
    bench = Workbench()
    began, cpu = time.perf_counter(), time.process_time()
    ledger = FleetPlayer(bench, scenario).play(0)
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    peak = _peak_mib()
    calls = sum(c.kind == "main" and c.outcome == "ok" for c in ledger.calls)
    print(f"{len(ledger.sessions)} sessions, {calls:,} calls: {wall:.1f} s ({cpu:.1f} s of CPU), peak {peak:,.0f} MiB")
    print(f"{cpu / calls * 1e6:.0f} microseconds a call, drawing included")
    return 0 if cpu <= SECONDS and peak <= MIB else 1


def _peak_mib() -> float:
    """Peak resident memory of this process; 0 where the platform does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1_048_576 if sys.platform == "darwin" else peak / 1_024


if __name__ == "__main__":
    sys.exit(main())
