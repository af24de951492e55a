"""Every format with recorded usage through `reconcile`: all calls there, prompts conserved, every difference named."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from replay_samples import SAMPLES, Sample

from sim.insight.reconcile import reconcile
from sim.insight.reconcile_view import as_document

AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
RECORDED = [s for s in SAMPLES if s.input and s.format not in {"mooncake", "hash-trace"}]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("sample", RECORDED, ids=[s.format for s in RECORDED])
def test_recorded_calls_are_all_there(sample: Sample, exact: bool, tmp_path: Path) -> None:
    path = tmp_path / f"s{sample.suffix}"
    sample.write(path)
    found = reconcile([str(path)], exact=exact, as_of=AS_OF)
    assert len(found.lines) + found.left_out == sample.calls
    assert sum(line.recorded.input for line in found.lines) == sample.input
    assert sum(line.recorded.read for line in found.lines) == sample.read
    assert sum(line.recorded.output for line in found.lines) == sample.output
    for line in found.lines:
        for split in (line.recorded, line.predicted):
            assert min(split.read, split.write_5m, split.write_1h, split.fresh) >= 0
        if exact:
            assert line.predicted.input == line.recorded.input
    assert 0.0 <= found.explained <= 1.0


def test_the_document_holds_no_text_and_masks_names(tmp_path: Path) -> None:
    sample = next(s for s in SAMPLES if s.format == "claude-code")
    path = tmp_path / "-home-ada-secret" / "-home-ada-secret.jsonl"
    path.parent.mkdir()
    sample.write(path)
    exact, counted = (reconcile([str(path)], exact=exact, as_of=AS_OF) for exact in (True, False))
    text = json.dumps(as_document(counted, exact, calls=True))
    assert "fix the test" not in text
    assert "a.py" not in text
    assert "ada" not in text
