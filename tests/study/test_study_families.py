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
