"""Unit, property and directional tests: derived quantities and the decision."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import HALF, PRUNE, SAWTOOTH, Toy, sample

from sim.report import RunData
from sim.report.answer import answer, cards, caveats, reached, risks
from sim.report.decision import decide
from sim.report.view import View, _slope, first_arms
from sim.report.words import Words

EN = Words("en")


@pytest.fixture(scope="module")
def data() -> RunData:
    return sample(replications=5, calls=150)


def said(run: RunData) -> str:
    return " ".join(answer(run.view, decide(run.view), EN))


def test_costs_add_up_in_every_way_they_are_shown(data: RunData) -> None:
    view = data.view
    for arm in view.arms:
        costs = view.costs[arm.name]
        sessions = data.sessions[data.sessions["arm"] == arm.name]
        assert costs.sum() == pytest.approx(sessions["cost_pico"].sum() / 1e12, rel=1e-12)
        assert costs.mean() == pytest.approx(arm.mean_cost, rel=1e-9)
        assert sum(view.parts(arm).values()) == pytest.approx(arm.mean_cost, rel=1e-9)
        assert view.spend_matrix(arm)[:, -1] == pytest.approx(costs, rel=1e-9)


def test_tokens_add_up(data: RunData) -> None:
    view = data.view
    for arm in view.arms:
        assert view.sent(arm)[-1] * view.replications == pytest.approx(arm.row["input_tokens"])
        lost = sum(tokens for tokens, _ in view.lost[arm.name].values())
        assert lost * view.replications == data.breaks[data.breaks["arm"] == arm.name]["tokens"].sum()


def test_one_strike_costs_its_share_of_what_the_cause_costs(data: RunData) -> None:
    from sim.report.figures.misses import see

    view, breaks = data.view, data.breaks
    arm = next(arm for arm in view.arms if "ttl" in view.lost[arm.name])
    found = breaks[(breaks["arm"] == arm.name) & (breaks["cause"] == "ttl")]
    assert view.strikes(arm, "ttl") * view.replications == len(found) > 0
    assert view.strikes(arm, "no such cause") == 0
    mean = view.lost[arm.name]["ttl"][1] / view.strikes(arm, "ttl")
    assert mean == pytest.approx(found["penalty_pico"].mean() / 1e12)
    assert any(f"at ${mean:.2f} each" in line for line in see(view, EN))


def test_the_crossing_of_the_summary_is_the_one_of_the_curve(data: RunData) -> None:
    view = data.view
    for arm in view.others:
        call = arm.pair["wins_from_call"]
        saving = view.spend_matrix(view.baseline) - view.spend_matrix(arm)
        # Ahead by more than its own sampling error, over replications.
        lower = saving.mean(axis=0) - 1.96 * saving.std(axis=0, ddof=1) / np.sqrt(len(saving))
        assert call is not None
        assert (lower[call - 1 :] > 0).all()
        assert lower[call - 2] <= 1e-9


def test_the_typical_session_is_the_median_one(data: RunData) -> None:
    costs = data.view.costs[data.view.baseline.name]
    replication, session = data.view.typical
    assert session == "s0"
    assert costs[replication] == np.median(costs)


def test_slopes_of_known_growth() -> None:
    calls = np.arange(1, 401, dtype=float)
    assert _slope(calls**2, 10, 400) == pytest.approx(2, abs=1e-6)
    assert _slope(calls * 7, 10, 400) == pytest.approx(1, abs=1e-6)
    assert _slope(calls, 10, 15) is None
    assert _slope(calls, 380, 400) is None
    assert _slope(np.zeros(0), 5, 0) is None


def test_a_cap_takes_the_growth_from_nearly_quadratic_to_nearly_linear() -> None:
    view = sample((Toy("none"), SAWTOOTH), replications=4, calls=400).view
    uncapped, capped = (view.exponent(arm) for arm in view.arms)
    assert view.fitted_calls == (100, 400)
    assert uncapped is not None
    assert capped is not None
    assert 1.7 < uncapped < 2.05
    assert 0.9 < capped < 1.3


def test_arms_keep_their_looks_whatever_else_is_compared() -> None:
    looks = {arm.name: arm.position for arm in sample((HALF, PRUNE, SAWTOOTH), replications=2, calls=30).view.arms}
    assert looks == {"ratio-half": None, "cap-230k": 0, "cap-230k-no-prune": 1}


# the decision -------------------------------------------------------------------------------------------------------


def test_the_cheapest_arm_that_is_surely_cheaper_wins(data: RunData) -> None:
    decision = decide(data.view)
    assert decision.kind == "win"
    assert decision.arm.name == "cap-230k-no-prune"
    assert decision.second is not None
    assert decision.second[0].name == "cap-230k"
    assert said(data).startswith("Use cap-230k-no-prune. It saves $")
    assert f"from call {decision.arm.pair['wins_from_call']} on" in said(data)


def test_swapping_the_baseline_swaps_the_verdict() -> None:
    kept = sample((SAWTOOTH, HALF), replications=5, calls=150)
    assert decide(kept.view).kind == "keep"
    assert said(kept).startswith("Keep cap-230k-no-prune.")


def test_an_arm_whose_sessions_break_off_never_wins() -> None:
    run = sample((Toy("whole", trigger=195_000), Toy("dies", overflow_at=60_000)), replications=4, calls=150)
    assert float(run.summary["paired"][0]["saving_usd"]["low"]) > 0  # it is cheaper, for it does less
    assert decide(run.view).kind == "only_whole"
    assert said(run).startswith("Keep whole.")


def test_a_baseline_that_breaks_off_is_not_kept_for_being_cheap() -> None:
    run = sample((Toy("dies", overflow_at=60_000), Toy("whole", trigger=195_000)), replications=4, calls=150)
    assert run.summary["paired"][0]["verdict"] == "dearer"
    decision = decide(run.view)
    assert (decision.kind, decision.arm.name) == ("baseline_breaks", "whole")
    assert "does not finish the work: 4 of its 4 sessions break off" in said(run)


def test_no_arm_finishes() -> None:
    run = sample((Toy("a", overflow_at=60_000), Toy("b", overflow_at=60_000)), replications=2, calls=100)
    assert decide(run.view).kind == "all_break"
    assert any("broke off" in line for line in caveats(run.view, EN))


def test_equal_arms_that_never_fire_say_so() -> None:
    run = sample((Toy("a", trigger=400_000), Toy("b", trigger=500_000)), replications=2, calls=40)
    assert "No arm ever fires here: the longest context reaches" in said(run)
    assert "the lowest trigger is 400K" in said(run)


def test_one_replication_makes_no_claim_about_every_replication() -> None:
    run = sample((HALF, SAWTOOTH), replications=1, calls=150)
    assert "in the one replication played" in said(run)
    assert not any("of the 1 replications" in line for line in risks(run.view, decide(run.view), EN))
    assert "One replication: no range can be given." in caveats(run.view, EN)


def test_equal_arms_are_called_equal_and_one_arm_alone() -> None:
    assert said(sample((Toy("a"), Toy("b")), replications=3, calls=40)).startswith("No difference at all")
    assert "no other arm" in said(sample((Toy("a"),), replications=3, calls=40))


def test_a_session_too_short_to_earn_a_rewrite_back_is_a_risk() -> None:
    run = sample((HALF, PRUNE), replications=12, calls=110)
    decision = decide(run.view)
    call = run.summary["paired"][0]["wins_from_call"]
    line = next(line for line in risks(run.view, decision, EN) if "ends before call" in line)
    assert f"ends before call {call} gains nothing; at call" in line


def test_shares_of_the_saving_are_reached_in_order(data: RunData) -> None:
    view = data.view
    for arm in view.others:
        saved = (view.spend_matrix(view.baseline) - view.spend_matrix(arm)).mean(axis=0)
        calls = [reached(view, arm, share) for share in (0.1, 0.5, 0.9)]
        assert calls == sorted(calls)
        for share, call in zip((0.1, 0.5, 0.9), calls, strict=True):
            assert (saved[call - 1 :] >= share * saved[-1]).all()
            assert saved[call - 2] < share * saved[-1]
    assert reached(view, view.baseline, 0.5) is None


def test_an_interval_that_spans_zero_is_no_win() -> None:
    run = sample((HALF, SAWTOOTH), replications=5, calls=150)
    pair = {**run.summary["paired"][0], "verdict": "no difference shown"}
    pair["saving_usd"] = {"mean": "1.00", "low": "-0.50", "high": "2.50"}
    changed = dataclasses.replace(run, summary={**run.summary, "paired": [pair]})
    assert decide(changed.view).kind == "unclear"
    assert said(changed).startswith("No difference shown. ")
    assert "+$1.00 a session" in said(changed)


def test_differences_that_are_all_equal_give_a_point_and_no_range() -> None:
    run = sample((HALF, SAWTOOTH), replications=4, calls=150, same=True)
    assert "the same in every replication" in said(run)
    assert "range" not in said(run)


def test_caveats_name_ignored_settings_and_arms_that_fire_alike() -> None:
    ignored = ({"setting": "compression.target_ratio", "value": "0.2", "reason": "lean tail"},)
    run = sample(
        (Toy("a", trigger=100_000, ignored=ignored), Toy("b", trigger=100_000, setting="threshold_tokens")),
        replications=2,
        calls=60,
    )
    lines = caveats(run.view, EN)
    assert any("compression.target_ratio" in line for line in lines)
    assert any("a and b ask for different triggers and get one and the same, 100K" in line for line in lines)
    assert any("Only 2 replications" in line for line in lines)


def test_risks_tell_what_is_forgotten_and_what_a_short_session_gets(data: RunData) -> None:
    lines = risks(data.view, decide(data.view), EN)
    assert "compacts" in lines[0]
    assert not any("ends before call" in line for line in lines)  # it is behind by less than a hundredth of the saving
    assert any("The saving grows with length" in line for line in lines)
    assert len(cards(data.view, decide(data.view), EN)) == 4


@given(st.lists(st.integers(min_value=0, max_value=3), min_size=2, max_size=9))
def test_the_first_page_shows_the_baseline_and_at_most_five_more(breaks: list[int]) -> None:
    toys = tuple(Toy(f"arm {i}") for i in range(len(breaks)))
    run = _cached(toys)
    for row, count in zip(run.summary["arms"], breaks, strict=True):
        row["overflows"] = count
    shown = first_arms(View(run))
    assert shown[0].is_baseline
    assert len(shown) == min(6, len(breaks))
    left_out = [arm for arm in View(run).arms if arm.name not in {a.name for a in shown}]
    if any(arm.broken <= breaks[0] for arm in left_out):
        assert all(arm.broken <= breaks[0] for arm in shown)


_RUNS: dict[int, RunData] = {}


def _cached(toys: tuple[Toy, ...]) -> RunData:
    if len(toys) not in _RUNS:
        _RUNS[len(toys)] = sample(toys, replications=2, calls=6)
    return _RUNS[len(toys)]
