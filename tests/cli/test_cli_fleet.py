"""`run` on a fleet: the table below the comparison, in both languages, and what it says about how it was played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sim.cli._entry import run_command
from sim.cli._fleet import lines

FLEET = """schema: 1
title: A small fleet
seed: 3
replications: 2
model: {name: claude-opus-4-7, window: 200K}
fleet:
  days: 2
  groups:
    - name: team
      workload: {kind: synthetic, preset: coding-2026, set: {calls: 8, think_time: 60}}
      sessions_per_day: 10
  account: {rpm: 3}
arms:
  late: {engine: parametric, parametric: {trigger: 60%}}
  early: {engine: parametric, parametric: {trigger: 40K, landing: 25K}}
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("fleet")
    scenario = folder / "fleet.yaml"
    scenario.write_text(FLEET)
    assert run_command(["run", str(scenario), "--out", str(folder / "run"), "--jobs", "1"]) == 0
    return scenario, folder / "run"


@pytest.mark.parametrize(("lang", "words"), [("en", ("$ a day", "$ a month", "MSER-5")), ("zh", ("$ / 天", "MSER-5"))])
def test_the_table_is_printed(
    stored: tuple[Path, Path], capsys: pytest.CaptureFixture[str], lang: str, words: tuple[str, ...]
) -> None:
    scenario, run = stored
    assert run_command(["run", str(scenario), "--out", str(run), "--lang", lang]) == 0
    text = capsys.readouterr().out
    for word in words:
        assert word in text
    if lang == "en":
        assert "a span" in text


def test_the_document_holds_the_fleet(stored: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    scenario, run = stored
    assert run_command(["run", str(scenario), "--out", str(run), "--json"]) == 0
    fleet = json.loads(capsys.readouterr().out)["fleet"]
    assert [arm["arm"] for arm in fleet["arms"]] == ["late", "early"]
    assert all(isinstance(arm["per_day_usd"]["mean"], str) for arm in fleet["arms"])
    assert fleet["arms"][0]["rate_limited"] > 0


def test_requests_of_a_fleet_are_not_written(stored: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    scenario, run = stored
    assert run_command(["run", str(scenario), "--out", str(run), "--requests", str(run / "r.jsonl")]) == 2
    assert "fleet" in capsys.readouterr().err


def arm(**more: Any) -> dict[str, Any]:
    return {
        "arm": "a",
        "per_day_usd": {"mean": "10"},
        "begun_per_day_usd": "20",
        "sampling_error_usd": "1.5",
        "auxiliary_fallback": None,
        "failed": 0,
        **more,
    }


def test_sentences_name_the_fallback_and_what_did_not_settle() -> None:
    fleet = {
        "mode": "tokens",
        "warm_up_hours": {"mean": 10.0, "max": 20, "settled": 1},
        "paired": [],
        "arms": [
            arm(
                steady=False,
                failed=3,
                auxiliary_fallback={"from": "x:free", "model": "claude-haiku-4-5", "calls": 7, "cost_usd": "0.25"},
            )
        ],
    }
    text = "\n".join(lines(fleet, 4))
    assert "In 3 of 4 spans" in text
    assert "cost $20.00 a day, and the span shows $10.00" in text
    assert "7 summaries went to claude-haiku-4-5 ($0.250) because x:free" in text
    assert "3 sessions gave up" in text
    assert len(lines(fleet, 4, "zh")) == len(lines(fleet, 4))


def test_a_sampled_span_says_so() -> None:
    fleet = {
        "mode": "sample",
        "warm_up_hours": {"mean": None, "max": None, "settled": None},
        "sessions_played": 6,
        "sessions_begun": 80,
        "paired": [{"arm": "b", "baseline": "a", "sampling_error_usd": "0.5"}],
        "arms": [arm()],
    }
    [line] = lines(fleet, 2)
    assert "6 of 80 sessions were played as text" in line
    assert "a $1.50, a - b $0.500" in line
