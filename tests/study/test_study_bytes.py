"""The same seed gives the same bytes: twice, in two processes, and when the engine's host is killed on the way."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import sim
from sim.engine.hermes.hostprocess import HostProcess
from sim.errors import Interrupted
from sim.scenario import Scenario, from_mapping

TABLES = ("calls", "rewrites", "breaks", "sessions")


def scenario(**changes: Any) -> Scenario:
    """Small enough for a test, large enough that the real engine compacts and prunes."""
    data: dict[str, Any] = {
        "schema": 1,
        "title": "bytes",
        "seed": 11,
        "replications": 3,
        "model": {"name": "claude-opus-4-7", "window": "200K", "as_of": "2026-12-01"},
        "workload": {"kind": "synthetic", "preset": "coding-2h"},
        "arms": {
            "real": {
                "engine": "hermes@0.22",
                "compression": {"threshold_tokens": 60_000, "proactive_prune_tokens": 30_000},
            },
            "plain": {"engine": "none"},
        },
        "baseline": "plain",
    }
    return from_mapping({**data, **changes}, name="bytes")


def stored(result: sim.Result) -> dict[str, bytes]:
    return {name: (result.folder / f"{name}.parquet").read_bytes() for name in TABLES}


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> sim.Result:
    return sim.run(scenario(), out=tmp_path_factory.mktemp("once") / "run", pdf=False)


def test_the_real_engine_has_something_to_do(once: sim.Result) -> None:
    arm = next(a for a in once.json()["arms"] if a["arm"] == "real")
    assert arm["compactions"] >= 3
    assert arm["observed_trigger_tokens"] >= 60_000


def test_twice_in_a_row(once: sim.Result, tmp_path: Path) -> None:
    again = sim.run(scenario(), out=tmp_path / "run", pdf=False)
    assert stored(again) == stored(once)
    assert (again.folder / "manifest.json").read_bytes() == (once.folder / "manifest.json").read_bytes()


def test_in_two_processes(once: sim.Result, tmp_path: Path) -> None:
    assert stored(sim.run(scenario(), out=tmp_path / "run", pdf=False, jobs=2)) == stored(once)


def test_with_the_host_killed_in_the_middle_of_sessions(
    once: sim.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames, killed, request = [0], [0], HostProcess.request

    def fragile(host: HostProcess, *args: Any, **kwargs: Any) -> dict[str, Any]:
        frames[0] += 1
        if frames[0] in {6, 17}:
            killed[0] += 1
            os.kill(host.pid, signal.SIGKILL)
        return request(host, *args, **kwargs)

    monkeypatch.setattr(HostProcess, "request", fragile)
    result = sim.run(scenario(), out=tmp_path / "run", pdf=False)
    assert killed[0] == 2
    assert stored(result) == stored(once)


def test_adding_an_arm_changes_no_other_arm(once: sim.Result, tmp_path: Path) -> None:
    arms = {
        "first": {"engine": "hermes@0.22", "compression": {"threshold_tokens": 40_000}},
        "real": {
            "engine": "hermes@0.22",
            "compression": {"threshold_tokens": 60_000, "proactive_prune_tokens": 30_000},
        },
        "plain": {"engine": "none"},
    }
    more = sim.run(scenario(arms=arms), out=tmp_path / "run", pdf=False)
    for name in TABLES:
        before, after = once.frame(name), more.frame(name)
        kept = after[after["arm"] != "first"].reset_index(drop=True)
        assert kept.equals(before[before["arm"] != "first"].reset_index(drop=True))


def test_a_finished_run_is_found_and_an_interrupted_one_is_taken_up(tmp_path: Path) -> None:
    played: list[int] = []

    def stop_after_two(event: str, done: int, total: int, label: str) -> None:
        if event == "session":
            played.append(done)
            if done == 2:
                raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="finished replications are kept"):
        sim.run(scenario(), out=tmp_path / "run", pdf=False, progress=stop_after_two)
    assert not (tmp_path / "run").exists()
    played.clear()

    def watch(event: str, done: int, total: int, label: str) -> None:
        if event == "session":
            played.append(done)

    sim.run(scenario(), out=tmp_path / "run", pdf=False, progress=watch)
    assert played == [2, 3]
    played.clear()
    sim.run(scenario(), out=tmp_path / "run", pdf=False, progress=watch)
    assert played == []
    sim.run(scenario(), out=tmp_path / "run", pdf=False, progress=watch, force=True)
    assert played == [0, 1, 2, 3]
