"""The comparison against plain recomputation, and its verdicts on data made to have a known answer."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal
from typing import Any

import pytest

from sim.ledger import CallRecord, Ledger, SessionRecord
from sim.ledger.tables import to_tables
from sim.study.compare import compare


def record(table: type, /, **values: Any) -> Any:
    filled = {f.name: {"str": "", "int": 0, "float": 0.0}[str(f.type)] for f in fields(table)}
    return table(**{**filled, **values})


def ledger(costs: dict[str, list[list[int]]]) -> Ledger:
    """Arm → replication → cost of each call, pico-dollars (all of it output)."""
    made = Ledger()
    for arm, replications in costs.items():
        for r, calls in enumerate(replications):
            for i, pico in enumerate(calls, start=1):
                made.calls.append(
                    record(
                        CallRecord,
                        arm=arm,
                        replication=r,
                        session="s",
                        call=i,
                        kind="main",
                        outcome="ok",
                        input_tokens=10,
                        cache_read_tokens=7,
                        cache_write_tokens=2,
                        fresh_tokens=1,
                        cost_output_pico=pico,
                    )
                )
            made.sessions.append(
                record(
                    SessionRecord,
                    arm=arm,
                    replication=r,
                    session="s",
                    end="finished",
                    calls=len(calls),
                    peak_tokens=100 * (r + 1),
                    trigger_tokens=-1,
                    first_fire_estimate=-1,
                )
            )
    return made


def pair(costs: dict[str, list[list[int]]]) -> dict[str, Any]:
    names = list(costs)
    count = len(costs[names[0]])
    _, paired = compare(to_tables(ledger(costs)), arms=names, baseline=names[0], replications=count, seed=1)
    return paired[0]


def test_sums_means_and_quantiles_are_the_plain_ones() -> None:
    costs = {"base": [[5, 5], [7, 9], [1, 2], [4, 4]], "arm": [[5, 4], [7, 7], [1, 1], [4, 3]]}
    arms, paired = compare(to_tables(ledger(costs)), arms=["base", "arm"], baseline="base", replications=4, seed=1)
    base, arm = arms
    assert base["calls"] == arm["calls"] == 8
    assert base["input_tokens"] == 80
    assert base["cache_read_tokens"] + base["cache_write_tokens"] + base["fresh_tokens"] == 80
    assert base["hit_ratio"] == 0.7
    assert base["peak_tokens"] == {"p50": 200, "p90": 400, "max": 400}
    # totals 10, 16, 3, 8: mean 9.25 rounds half to even
    assert Decimal(base["cost_usd"]["mean"]) == Decimal("9E-12")
    assert Decimal(base["cost_usd"]["p50"]) == Decimal("8E-12")
    assert Decimal(base["cost_usd"]["p99"]) == Decimal("16E-12")
    assert base["trigger_tokens"] is None
    assert base["observed_trigger_tokens"] is None
    assert Decimal(paired[0]["saving_usd"]["mean"]) == Decimal("1E-12")
    assert paired[0]["p_cheaper"] == 1.0


def test_equal_arms_differ_by_a_point_at_zero() -> None:
    found = pair({"base": [[5, 5], [7, 9]], "arm": [[5, 5], [7, 9]]})
    assert found["saving_usd"] == {"mean": "0.00", "low": "0.00", "high": "0.00"}
    assert found["verdict"] == "no difference shown"
    assert found["p_cheaper"] == 0.5
    assert found["wins_from_call"] is None


def test_the_sign_of_the_interval_is_the_verdict() -> None:
    up = [[100 + i, 100] for i in range(12)]
    down = [[90 + i % 3, 100] for i in range(12)]
    mixed = [[100 + (30 if i % 2 else -30), 100] for i in range(12)]
    assert pair({"base": up, "arm": down})["verdict"] == "cheaper"
    assert pair({"base": down, "arm": up})["verdict"] == "dearer"
    assert pair({"base": [[100, 100]] * 12, "arm": mixed})["verdict"] == "no difference shown"


def test_the_winner_wins_from_the_call_after_the_crossing() -> None:
    # Dearer by 10 at call 2, cheaper by 3 a call from call 3 on: 1 behind after call 5, 2 ahead after call 6.
    base = [[10] * 10] * 6
    arm = [[10, 20] + [7] * 8] * 6
    found = pair({"base": base, "arm": arm})
    savings, ahead = 0, []
    for call in range(10):
        savings += base[0][call] - arm[0][call]
        ahead.append(savings > 0)
    first = len(ahead) - list(reversed(ahead)).index(False) + 1
    assert found["wins_from_call"] == first == 6


def test_early_luck_of_one_session_is_not_yet_a_win() -> None:
    base = [[10] * 20 for _ in range(20)]
    arm = [[10] * 10 + [5 + r % 2] * 10 for r in range(20)]
    arm[3][1] = 9
    found = pair({"base": base, "arm": arm})
    assert found["wins_from_call"] == 11


@pytest.mark.parametrize("factor", [1, 1_000, 10**9])
def test_scaling_prices_scales_every_dollar(factor: int) -> None:
    base = [[factor * (100 + i), factor * 50] for i in range(8)]
    arm = [[factor * (90 + i * 2), factor * 50] for i in range(8)]
    one = pair(
        {"base": [[v // factor for v in row] for row in base], "arm": [[v // factor for v in row] for row in arm]}
    )
    many = pair({"base": base, "arm": arm})
    assert many["saving_pct"]["mean"] == one["saving_pct"]["mean"]
    assert many["verdict"] == one["verdict"]
    assert many["wins_from_call"] == one["wins_from_call"]
