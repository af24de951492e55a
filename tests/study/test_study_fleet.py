"""Fleets end to end: arrivals, warm-up, dollars a day, the sampled week."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sim
from sim.ledger import Ledger
from sim.scenario import Scenario, from_mapping
from sim.streams import Streams
from sim.study.fleet import FleetPlayer
from sim.study.prepare import Workbench
from sim.study.steady import mser5
from sim.workload.arrivals import arrival_times

SMALL = {
    "kind": "synthetic",
    "preset": "coding-2026",
    "set": {"calls": 12, "think_time": 60, "cut_off": 0, "tools.terminal.seconds": 5},
}
ARMS = {
    "late": {"engine": "parametric", "parametric": {"trigger": "120K", "landing": "30K"}},
    "early": {"engine": "parametric", "parametric": {"trigger": "40K", "landing": "25K"}},
}


def scenario(fleet: dict[str, Any], arms: dict[str, Any] = ARMS, **more: Any) -> Scenario:
    data = {
        "schema": 1,
        "seed": 4,
        "replications": 2,
        "model": {"name": "claude-opus-4-7", "window": "200K", "as_of": "2026-12-01"},
        "fleet": {"groups": [{"name": "team", "workload": SMALL, "sessions_per_day": 20}], "days": 2, **fleet},
        "arms": arms,
        **more,
    }
    return from_mapping(data, name="fleet")


def played(given_: Scenario, replication: int = 0) -> Ledger:
    bench = Workbench()
    try:
        return FleetPlayer(bench, given_).play(replication)
    finally:
        bench.close()


# arrivals and warm-up -----------------------------------------------------------------------------------------------


def test_arrivals_are_poisson() -> None:
    times = arrival_times(Streams(1), "g", 100.0, 60.0)
    gaps = np.diff([0.0, *times])
    assert len(times) == pytest.approx(6_000, abs=4 * 6_000**0.5)
    assert np.mean(gaps) == pytest.approx(864.0, rel=0.05)
    assert np.std(gaps) == pytest.approx(np.mean(gaps), rel=0.05)
    counts = np.bincount((np.asarray(times) // 86_400).astype(int), minlength=60)
    assert np.var(counts) == pytest.approx(np.mean(counts), rel=0.45)


@given(st.floats(0.5, 5.0), st.floats(0.5, 5.0))
def test_a_longer_span_goes_on_with_the_same_arrivals(days: float, more: float) -> None:
    short = arrival_times(Streams(9), "g", 5.0, days)
    long = arrival_times(Streams(9), "g", 5.0, days + more)
    assert long[: len(short)] == short
    assert all(t < days * 86_400 for t in short)


def test_mser_finds_where_a_rise_ends() -> None:
    rng = np.random.default_rng(1)
    rise = [2.0 * i for i in range(20)]
    found = mser5([*rise, *(40 + rng.normal(0, 1, 120))])
    assert found.count == 20
    assert found.settled


def test_mser_deletes_nothing_from_what_is_steady() -> None:
    assert mser5([3.0] * 100).count == 0
    assert mser5([1.0, 2.0, 3.0]) == mser5([])
    assert not mser5([1.0] * 20).settled


def test_mser_says_when_a_series_never_settles() -> None:
    assert not mser5([float(i) for i in range(200)]).settled


# replications -------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_span_and_arms_see_the_same_sessions() -> None:
    given_ = scenario({})
    first, again = played(given_), played(given_)
    assert first == again
    assert played(given_, 1) != first
    starts = {
        arm: [(s.session, s.started_at_s, s.turns) for s in first.sessions if s.arm == arm] for arm in ("late", "early")
    }
    assert sorted(starts["late"]) == sorted(starts["early"])
    assert len(starts["late"]) > 20


def test_another_group_changes_no_session_of_the_first() -> None:
    alone = played(scenario({}))
    other = {"name": "cron", "workload": "heartbeat", "sessions_per_day": 1, "model": {"name": "claude-haiku-4-5"}}
    team = {"name": "team", "workload": SMALL, "sessions_per_day": 20}
    both = played(scenario({"groups": [other, team]}))
    assert sorted((c.session, c.started_s, c.input_tokens) for c in alone.calls if c.arm == "late") == sorted(
        (c.session, c.started_s, c.input_tokens) for c in both.calls if c.arm == "late" and c.session.startswith("team")
    )
    assert {c.model for c in both.calls if c.session.startswith("cron")} == {"claude-haiku-4-5"}


def test_sessions_of_a_group_read_each_other_s_prefix_and_nothing_more() -> None:
    ledger = played(scenario({"groups": [{"name": "t", "workload": SMALL, "sessions_per_day": 400}]}))
    firsts = [c for c in ledger.calls if c.arm == "late" and c.call == 1 and c.kind == "main"]
    # Tools and system prompt of coding-2026: 12,400 + 2,800 tokens and the memory; no first message is shared.
    warm = [c.cache_read_tokens for c in firsts if c.cache_read_tokens]
    assert len(warm) > len(firsts) / 2
    assert max(warm) == min(warm) < min(c.input_tokens for c in firsts)


# results ------------------------------------------------------------------------------------------------------------


def test_dollars_a_day_are_those_of_the_sessions(tmp_path: Path) -> None:
    result = sim.run(scenario({"days": 6}), out=tmp_path / "run", pdf=False).json()
    fleet = result["fleet"]
    assert (fleet["mode"], fleet["days"], fleet["sessions_begun"]) == ("tokens", 6.0, fleet["sessions_played"])
    for arm, row in zip(result["arms"], fleet["arms"], strict=True):
        begun = Decimal(arm["cost_usd"]["mean"]) / 6
        assert Decimal(row["begun_per_day_usd"]) == pytest.approx(begun, rel=Decimal("1e-9"))
        assert row["steady"]
        assert Decimal(row["per_day_usd"]["mean"]) == pytest.approx(begun, rel=Decimal("0.1"))
        month = Decimal(row["per_day_usd"]["mean"]) * Decimal("30.436875")
        assert Decimal(row["per_month_usd"]["mean"]) == pytest.approx(month, rel=Decimal("1e-9"))
        assert Decimal(row["per_day_usd"]["p5"]) <= Decimal(row["per_day_usd"]["p95"])
        assert sum(Decimal(g["cost_usd"]) for g in row["groups"]) == pytest.approx(begun * 12, rel=Decimal("1e-9"))
        assert row["requests_under_way"]["max"] >= 1
    assert fleet["paired"][0]["arm"] == "early"


def test_short_sessions_in_a_short_span_say_that_it_does_not_settle(tmp_path: Path) -> None:
    result = sim.run(scenario({"days": 1}), out=tmp_path / "run", pdf=False).json()
    assert result["fleet"]["warm_up_hours"]["settled"] == 0


def test_a_study_that_ends_by_itself_deletes_no_warm_up(tmp_path: Path) -> None:
    data = {
        "schema": 1,
        "model": {"name": "claude-opus-5", "window": "1M"},
        "workload": {"kind": "curve", "calls": 9, "first": "5K", "growth": "1K"},
        "arms": {"plain": {"engine": "none"}},
    }
    result = sim.run(from_mapping(data), out=tmp_path / "run", pdf=False)
    assert "fleet" not in result.json()
    assert set(result.frame("sessions")["group"]) == {""}


def test_limits_are_told(tmp_path: Path) -> None:
    account = {"rpm": 2, "budget": 12, "outages": [{"at": "6h", "lasts": "2m"}]}
    result = sim.run(scenario({"account": account}), out=tmp_path / "run", pdf=False).json()
    for arm, row in zip(result["arms"], result["fleet"]["arms"], strict=True):
        assert row["rate_limited"] > 0
        assert row["waited_s"]["mean"] > 0
        assert row["ended_by_budget"] > 0
        assert arm["unfinished"] >= row["ended_by_budget"]
        assert Decimal(arm["cost_usd"]["mean"]) <= 12


def sampled(tmp_path: Path, per_day: float, sample: int, arms: dict[str, Any]) -> dict[str, Any]:
    group = {"name": "team", "workload": SMALL, "sessions_per_day": per_day}
    given_ = scenario({"groups": [group], "mode": "sample", "sample": sample, "days": 1}, arms)
    return sim.run(given_, out=tmp_path / f"{per_day}-{sample}", pdf=False).json()


def test_a_sampled_span_goes_through_an_engine_that_reads_text(tmp_path: Path) -> None:
    arms = {"dual": {"engine": "dual"}, "none": {"engine": "none"}}
    result = sampled(tmp_path, 20, 3, arms)
    fleet = result["fleet"]
    assert fleet["mode"] == "sample"
    assert fleet["sessions_played"] == 6 < fleet["sessions_begun"]
    for arm, row in zip(result["arms"], fleet["arms"], strict=True):
        assert arm["sessions"] == 6
        assert Decimal(row["sampling_error_usd"]) > 0
        per_session = Decimal(arm["cost_usd"]["mean"]) / 3
        assert Decimal(row["per_day_usd"]["mean"]) == pytest.approx(
            per_session * fleet["sessions_begun"] / 2, rel=Decimal("0.5")
        )


def test_a_sample_estimates_the_whole_within_its_error(tmp_path: Path) -> None:
    arms = {"none": {"engine": "none"}}
    [row] = sampled(tmp_path, 40, 10, arms)["fleet"]["arms"]
    group = {"name": "team", "workload": SMALL, "sessions_per_day": 40}
    full = sim.run(scenario({"groups": [group], "days": 1}, arms), out=tmp_path / "full", pdf=False).json()
    whole = Decimal(full["fleet"]["arms"][0]["begun_per_day_usd"])
    error = Decimal(row["sampling_error_usd"])
    assert Decimal(0) < error < whole / 4
    assert abs(Decimal(row["per_day_usd"]["mean"]) - whole) < 3 * error


def test_a_sample_of_everybody_has_no_sampling_error(tmp_path: Path) -> None:
    result = sampled(tmp_path, 3, 100, {"none": {"engine": "none"}})
    [row] = result["fleet"]["arms"]
    assert result["fleet"]["sessions_played"] == result["fleet"]["sessions_begun"]
    assert Decimal(row["sampling_error_usd"]) == 0
    assert Decimal(row["per_day_usd"]["mean"]) == pytest.approx(
        Decimal(result["arms"][0]["cost_usd"]["mean"]), rel=Decimal("1e-9")
    )


def test_every_model_of_the_fleet_has_its_card_in_the_stamp(tmp_path: Path) -> None:
    groups = [
        {"name": "team", "workload": SMALL, "sessions_per_day": 3},
        {"name": "cron", "workload": SMALL, "sessions_per_day": 3, "model": {"name": "claude-haiku-4-5"}},
    ]
    account = {"auxiliary": {"per_day": 1, "fallback": "gpt-5"}}
    given_ = scenario({"groups": groups, "account": account, "days": 1})
    stamp = sim.run(given_, out=tmp_path / "run", pdf=False).json()["stamp"]
    assert [card["model"] for card in stamp["price_cards"]] == ["claude-haiku-4-5", "claude-opus-4-7", "gpt-5"]


def test_the_figure_shows_every_day_of_the_account(tmp_path: Path) -> None:
    result = sim.run(scenario({"days": 3}), out=tmp_path / "run", pdf=False)
    assert "fleet" in result.figures()
    axes = result.figure("fleet").axes[0]
    calls, sessions = result.frame("calls"), result.frame("sessions")
    joined = calls.merge(sessions[["arm", "replication", "session", "started_at_s"]])
    joined["usd"] = joined.filter(regex="^cost_").sum(axis=1) / 1e12
    for arm, line in zip(("late", "early"), axes.lines, strict=True):
        mine = joined[joined["arm"] == arm]
        within = mine[mine["started_at_s"] + mine["started_s"] < 3 * 86_400]
        assert list(line.get_xdata()) == [0.5, 1.5, 2.5]
        assert sum(line.get_ydata()) == pytest.approx(within["usd"].sum() / 2)


def test_a_fleet_s_report_is_built(tmp_path: Path) -> None:
    result = sim.run(scenario({"days": 2}), out=tmp_path / "run")
    for lang in ("en", "zh"):
        assert result.report(tmp_path / f"{lang}.pdf", lang=lang).stat().st_size > 20_000
    assert (result.folder / "figures" / "fleet.svg").exists()
