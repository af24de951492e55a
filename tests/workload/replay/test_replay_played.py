"""Every format's sessions through the whole simulator."""

from __future__ import annotations

from pathlib import Path

from replay_samples import SAMPLES
from replay_writers_first import claude

from sim.api import replay


def test_sessions_of_every_format_are_played(tmp_path: Path) -> None:
    for sample in SAMPLES:
        sample.write(tmp_path / f"{sample.format}{sample.suffix}")
    model = {"name": "claude-sonnet-4-5", "window": 1_000_000, "as_of": "2026-12-01"}
    result = replay(tmp_path, {"none": {"engine": "none"}}, model=model, out=tmp_path / "run", pdf=False)
    sessions = result.frame("sessions")
    assert len(sessions) == sum(sample.sessions for sample in SAMPLES)
    assert sessions["calls"].sum() == sum(sample.calls for sample in SAMPLES)
    assert sessions["tool_calls"].sum() >= sum(sample.tools for sample in SAMPLES if sample.text)
    assert set(sessions["end"]) <= {"finished", "cut_off"}


def test_the_first_prompt_played_is_the_recorded_one(tmp_path: Path) -> None:
    claude(tmp_path / "s.jsonl")
    model = {"name": "claude-sonnet-4-5", "as_of": "2026-12-01"}
    result = replay(tmp_path / "s.jsonl", {"none": {"engine": "none"}}, model=model, out=tmp_path / "run", pdf=False)
    calls = result.frame("calls")
    first = calls[calls["call"] == 1].set_index("session")["input_tokens"]
    assert abs(first["s"] - 10_003) <= 4
    main = calls[calls["session"] == "s"]
    assert list(main["output_tokens"]) == [400, 50]
    assert list(main["started_by"]) == ["user", "tool"]
