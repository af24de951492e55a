"""The check of presets against measured figures."""

from __future__ import annotations

import numpy as np
import pytest

from sim.workload import load_preset
from sim.workload.check import Checked, check, check_table, measure
from sim.workload.synthetic import Plan
from sim.workload.synthetic.plan import PlannedReply, PlannedTool, PlannedTurn


@pytest.mark.parametrize("name", ["coding-2026", "sub-agent"])
def test_calibrated_presets_meet_the_body_of_their_targets(name: str) -> None:
    rows = [row for row in check(load_preset(name), sessions=400) if row.target is not None]
    assert len(rows) >= 7
    # 400 sessions leave a few per cent of sampling error; the full check runs on 2,000.
    for row in rows:
        assert row.met or row.low * 0.9 <= (row.target or 0) <= row.high * 1.1, row


def test_figures_of_a_plan_by_hand() -> None:
    tool = PlannedTool("t", 0, arguments=20, result=300, text="short", seconds=9)
    first = PlannedTurn(50, 0.0, [PlannedReply(10, 5, [tool], 3.0), PlannedReply(0, 40, [], 2.0)])
    second = PlannedTurn(70, 400.0, [PlannedReply(0, 60, [], 4.0)])
    preset = load_preset("tiny-window", overrides={"prefix": {"memory": 0, "system_tokens": 1_000, "tools_tokens": 0}})
    found = measure([Plan([first, second])], preset)
    assert found["calls"].tolist() == [3]
    assert found["calls_per_turn"].tolist() == [2, 1]
    assert found["output_per_call"].tolist() == [35, 40, 60]
    assert found["results_per_call"].tolist() == [300]
    assert found["loop_gap_s"].tolist() == [9]
    assert found["first_prompt"].tolist() == [1_050]
    assert found["last_prompt"].tolist() == [1_050 + 35 + 300 + 40 + 70]
    assert found["total_tokens"].tolist() == [1_050 + 35 + 300 + 40 + 70 + 60]
    assert found["span_s"].tolist() == [3 + 9 + 2 + 400 + 4]
    assert (found["think_over_5m"].tolist(), found["think_over_1h"].tolist()) == ([1.0], [0.0])
    assert float(np.mean(found["results_of_growth"])) == pytest.approx(300 / 335)


@pytest.mark.parametrize(
    ("statistic", "target", "observed", "low", "high", "met"),
    [
        ("p50", 100.0, 109.0, 105.0, 112.0, True),
        ("p50", 100.0, 112.0, 100.0, 120.0, False),
        ("p99", 100.0, 124.0, 110.0, 140.0, True),
        ("p99", 100.0, 140.0, 90.0, 190.0, True),
        ("p99", 100.0, 140.0, 120.0, 190.0, False),
        ("share", 0.30, 0.32, 0.31, 0.33, True),
        ("share", 0.30, 0.35, 0.34, 0.36, False),
        ("p50", None, 3.0, 2.0, 4.0, None),
    ],
)
def test_when_a_target_is_met(
    statistic: str, target: float | None, observed: float, low: float, high: float, met: bool | None
) -> None:
    assert Checked("calls", statistic, target, observed, low, high, 100).met is met


def test_the_table_names_every_figure() -> None:
    told: list[tuple[int, int]] = []
    preset = load_preset("sub-agent")
    table = check_table(check(preset, sessions=60, progress=lambda done, of: told.append((done, of))))
    assert told == [(50, 60), (60, 60)]
    for quantity in preset.targets:
        assert str(quantity) in table
    assert "95 % band" in table
