"""Arms of different models play the same texts, each counted in its own tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sim
from sim.errors import InputError
from sim.scenario import from_mapping


def run(tmp_path: Path, **changes: Any) -> sim.Result:
    data: dict[str, Any] = {
        "schema": 1,
        "title": "two models",
        "seed": 3,
        "replications": 1,
        "model": {"name": "claude-opus-4-7", "as_of": "2026-12-01"},
        "workload": {"kind": "synthetic", "preset": "tiny-window"},
        "arms": {
            "new": {"engine": "none"},
            "old": {"engine": "none", "model": {"name": "claude-sonnet-4-5", "as_of": "2026-12-01"}},
        },
        "baseline": "new",
    }
    return sim.run(from_mapping({**data, **changes}, name="families"), out=tmp_path / "run", pdf=False)


def test_the_newer_tokenizer_counts_more_for_the_same_session(tmp_path: Path) -> None:
    calls = run(tmp_path).frame("calls")
    new, old = (calls[calls["arm"] == name] for name in ("new", "old"))
    assert len(new) == len(old) > 10
    assert list(new["started_s"]) == list(old["started_s"])
    # Measured multipliers of the two vocabularies: 1.0 for Chinese up to 1.6 for licences.
    ratio = new["input_tokens"].sum() / old["input_tokens"].sum()
    assert 1.1 < ratio < 1.6


def test_memory_limits_of_an_arm_change_its_system_prompt_only(tmp_path: Path) -> None:
    arms = {
        "new": {"engine": "none"},
        "roomy": {"engine": "none", "memory": {"memory_char_limit": 8_000, "user_char_limit": 4_000}},
    }
    calls = run(tmp_path, arms=arms).frame("calls")
    new, roomy = (calls[calls["arm"] == name].reset_index(drop=True) for name in ("new", "roomy"))
    extra = roomy["input_tokens"] - new["input_tokens"]
    assert extra.nunique() == 1
    assert extra.iloc[0] > 1_000
    assert list(new["output_tokens"]) == list(roomy["output_tokens"])


def test_a_preset_that_cannot_fit_its_window_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    model = {"name": "claude-opus-4-7", "window": 2_000, "as_of": "2026-12-01"}
    with pytest.raises(InputError, match="must fit the window"):
        run(tmp_path, model=model, arms={"new": {"engine": "none"}})
    assert not (tmp_path / "run").exists()


def test_a_price_card_is_found_from_the_scenarios_folder_and_is_part_of_the_run(tmp_path: Path) -> None:
    card = tmp_path / "mine.yaml"
    data: dict[str, Any] = {
        "schema": 1,
        "title": "own card",
        "model": {"name": "my-model", "window": "1M", "as_of": "2026-12-01"},
        "workload": {"kind": "curve", "calls": 5, "first": 5_000, "growth": 500, "output": 10},
        "prices": {"card": "mine.yaml"},
        "arms": {"only": {"engine": "none"}},
    }
    hashes, costs = [], []
    for dollars in (2, 4):
        card.write_text(
            "model: my-model\nprovider: home\nsource: these tests\nchecked: '2026-12-01'\n"
            f"prices: {{input: {dollars}, output: 10, cache_read: 1}}\n",
            encoding="utf-8",
        )
        scenario = from_mapping(data, name="own", base_dir=tmp_path)
        result = sim.run(scenario, out=tmp_path / f"run-{dollars}", pdf=False)
        hashes.append(result.manifest["hash"])
        costs.append(float(result.json()["arms"][0]["cost_parts_usd"]["fresh"]))
    assert hashes[0] != hashes[1]
    assert costs[1] == pytest.approx(2 * costs[0])
