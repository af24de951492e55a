"""Predictions come before scores, scores are not changed, misses stay."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sim.errors import InputError, UsageError
from sim.insight.register import Prediction, add, input_hash, load, page, score

ONE = Prediction("reads", "2026-12-01", "0.1.0", "sha256:a", "read share", "share", 0.9, 0.85, 0.95, 0.9, "by prompts")


def test_a_prediction_then_its_score(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    add(path, [ONE, replace(ONE, id="cost", value=10.0, low=9.0, high=11.0)])
    assert [entry.hit for entry in load(path)] == [None, None]
    assert score(path, "reads", 0.9, input="sha256:a", on="2026-12-02").hit is True
    assert score(path, "cost", 12.5, input="sha256:a", on="2026-12-02").hit is False
    shown = page(load(path))
    assert "2 predictions, 2 scored: 1 inside their interval, 1 outside; 0 waiting." in shown
    assert "| 12.5 | **miss** |" in shown
    assert json.loads(path.read_text(encoding="utf-8"))["schema"] == 1


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (ONE, "in the register already"),
        (replace(ONE, id="b", recorded=1.0), "comes with its score"),
        (replace(ONE, id="c", value=0.5), "outside of"),
    ],
)
def test_what_may_not_be_added(made: Prediction, message: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    add(path, [ONE])
    before = path.read_bytes()
    with pytest.raises(UsageError, match=message):
        add(path, [made])
    assert path.read_bytes() == before


def test_what_may_not_be_scored(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    add(path, [ONE])
    with pytest.raises(UsageError, match="another input"):
        score(path, "reads", 0.9, input="sha256:b", on="2026-12-02")
    with pytest.raises(UsageError, match="no prediction"):
        score(path, "other", 0.9, input="sha256:a", on="2026-12-02")
    score(path, "reads", 0.9, input="sha256:a", on="2026-12-02")
    with pytest.raises(UsageError, match="was scored on 2026-12-02"):
        score(path, "reads", 0.8, input="sha256:a", on="2026-12-03")


def test_input_hash_is_of_the_bytes_alone(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"same")
    assert input_hash([tmp_path / "a"]) == input_hash([tmp_path / "b"])
    assert input_hash([tmp_path / "a", tmp_path / "b"]) != input_hash([tmp_path / "a"])
    with pytest.raises(InputError):
        input_hash([tmp_path / "nowhere"])


def test_what_is_no_register(tmp_path: Path) -> None:
    assert load(tmp_path / "none.json") == []
    (tmp_path / "x.json").write_text('{"predictions": [{"id": 1}]}', encoding="utf-8")
    with pytest.raises(InputError, match="not a register"):
        load(tmp_path / "x.json")
