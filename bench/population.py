"""Dollars of `coding-2026` sessions beside those of 4,265 real ones (TraceLab, arXiv 2606.30560); nothing is fitted.


Run: `python bench/population.py [SESSIONS]`. Token-only sessions, no compaction, list prices of June 2026.
"""

from __future__ import annotations

import sys

import numpy as np

from sim.scenario import from_mapping
from sim.streams import Streams
from sim.study.prepare import Workbench
from sim.workload import draw, load_preset
from sim.world import play

PUBLISHED = {
    "session mean": 9.36, "session p50": 0.59, "session p90": 13.2, "session p99": 172.0,
    "call mean": 0.11, "call p50": 0.07, "call p90": 0.20, "call p99": 0.67,
    "share written and fresh": 0.267, "share read": 0.617, "share output": 0.116,
}  # fmt: skip


def observed(sessions: int, cache_ttl: str) -> dict[str, float]:
    """The same figures of simulated sessions."""
    scenario = from_mapping(
        {
            "schema": 1,
            "title": "population",
            "seed": 3,
            "model": {"name": "claude-opus-4-7", "window": "1M", "as_of": "2026-06-15"},
            "workload": {"kind": "synthetic", "preset": "coding-2026"},
            "baseline": "plain",
            "arms": {"plain": {"engine": "none", "prompt_caching": {"cache_ttl": cache_ttl}}},
        },
        name="population",
    )
    bench = Workbench()
    setup = bench.setup(scenario, scenario.arms[0])
    preset, streams = load_preset("coding-2026"), Streams(3)
    parts, calls = [], []
    for number in range(sessions):
        script = draw(preset, streams, number, setup.maker, text=False)
        ledger = play(setup, [script], replication=number, streams=Streams(number))
        rows = np.array(
            [[c.cost_write_pico + c.cost_fresh_pico, c.cost_read_pico, c.cost_output_pico] for c in ledger.calls]
        )
        parts.append(rows.sum(0) / 1e12)
        calls.extend(rows.sum(1) / 1e12)
    bench.close()
    table = np.array(parts)
    whole, shares = table.sum(1), table.sum(0) / table.sum()
    found = {"session mean": float(whole.mean()), "call mean": float(np.mean(calls))}
    for name, values in (("session", whole), ("call", calls)):
        found |= {f"{name} p{q}": float(np.percentile(values, q)) for q in (50, 90, 99)}
    return found | dict(zip(("share written and fresh", "share read", "share output"), map(float, shares), strict=True))


def main() -> None:
    """Print published beside simulated."""
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    hour, minutes = observed(sessions, "1h"), observed(sessions, "5m")
    print(f"{'':<26} {'published':>10} {'1 h cache':>10} {'':>7} {'5 min':>10}   ({sessions} sessions)")
    for name, figure in PUBLISHED.items():
        print(f"{name:<26} {figure:>10.3f} {hour[name]:>10.3f} {hour[name] / figure - 1:>+7.0%} {minutes[name]:>10.3f}")


if __name__ == "__main__":
    main()
