"""Worked cases d01, d02 and d03 come out of the simulator itself, played through world, cache and prices."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

import sim
from sim.scenario import from_mapping

CASES = Path(__file__).parents[1] / "cases"


def case(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def played(tmp_path: Path, workload: dict[str, Any], arms: dict[str, Any], model: str = "claude-opus-5") -> sim.Result:
    data = {
        "schema": 1,
        "title": "a worked case",
        "seed": 1,
        "model": {"name": model, "window": "1M", "as_of": "2026-12-01"},
        "workload": {"kind": "curve", **workload},
        "arms": arms,
    }
    return sim.run(from_mapping(data, name="case"), out=tmp_path / "run", pdf=False)


def arm(result: sim.Result, name: str) -> dict[str, Any]:
    return next(a for a in result.json()["arms"] if a["arm"] == name)


def test_d01_ten_calls_by_hand(tmp_path: Path) -> None:
    given, expected = case("d01_linear_sum_small")["inputs"], case("d01_linear_sum_small")["expected"]
    line = {"first": given["first"], "growth": given["growth"]}
    result = played(tmp_path, {"calls": given["calls"], **line}, {"plain": {"engine": "none"}})
    found = arm(result, "plain")
    assert found["input_tokens"] == expected["total_input_tokens"]["value"]
    # The case's rates are those of claude-opus-5: $5 input, $0.50 read, $6.25 five-minute write.
    assert found["cache_read_tokens"] == expected["warm_reads"]["value"]
    assert found["cache_write_tokens"] == expected["warm_writes"]["value"]
    assert Decimal(found["cost_usd"]["mean"]) == Decimal(str(expected["warm_usd"]["value"]))
    twice = played(tmp_path / "twice", {"calls": 20, **line}, {"plain": {"engine": "none"}})
    assert arm(twice, "plain")["input_tokens"] == expected["doubling_calls_total"]["value"]


def test_d02_ten_real_runs_against_a_straight_line(tmp_path: Path) -> None:
    given, expected = (
        case("d02_real_runs_against_linear_model")["inputs"],
        case("d02_real_runs_against_linear_model")["expected"],
    )
    errors, predicted, measured = [], 0.0, 0.0
    for i, (calls, first, last, reads) in enumerate(given["rows"]):
        line = {"calls": calls, "first": first * 1_000, "last": last * 1_000}
        found = arm(played(tmp_path / str(i), line, {"plain": {"engine": "none"}}), "plain")
        # Reads and writes make up the prompt; what is written once is the last context.
        assert found["cache_read_tokens"] + found["cache_write_tokens"] == found["input_tokens"]
        millions = found["cache_read_tokens"] / 1e6
        predicted, measured = predicted + millions, measured + reads
        errors.append(millions / reads - 1)
    assert predicted == pytest.approx(expected["sum_predicted_m"]["value"], abs=0.02)
    assert measured == pytest.approx(expected["sum_measured_m"]["value"], abs=0.01)
    assert max(errors, key=abs) == pytest.approx(expected["worst_row_error"]["value"], abs=0.002)
    assert sum(abs(e) <= 0.05 for e in errors) == expected["rows_within_5_percent"]["value"]
    assert sum(abs(e) <= 0.2 for e in errors) == expected["rows_within_20_percent"]["value"]


def test_d03_fifty_calls_with_a_cap(tmp_path: Path) -> None:
    given, expected = case("d03_sawtooth_small")["inputs"], case("d03_sawtooth_small")["expected"]
    line = {"calls": given["calls"], "first": given["first"], "growth": given["growth"]}
    arms = {
        "plain": {"engine": "none"},
        "capped": {"engine": "parametric", "parametric": {"trigger": given["cap"], "landing": given["floor"]}},
    }
    result = played(tmp_path, line, arms)
    capped = arm(result, "capped")
    assert capped["input_tokens"] == expected["total_input_tokens"]["value"]
    assert capped["compactions"] == expected["compactions"]["value"]
    assert capped["peak_tokens"]["max"] == expected["peak"]["value"]
    assert arm(result, "plain")["input_tokens"] == expected["uncapped_total"]["value"]
