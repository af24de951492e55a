"""Scenarios for the tests of the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_help import CURVE

from sim.cli._entry import run_command


@pytest.fixture
def curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario alone in the present folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "two.yaml"
    path.write_text(CURVE)
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a scenario that was run once, with its run in `r`."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "two.yaml").write_text(CURVE)
    assert run_command(["run", str(folder / "two.yaml"), "--out", str(folder / "r"), "--format", "csv"]) == 0
    return folder


@pytest.fixture
def stored(played: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same scenario; running it again finds the stored run."""
    monkeypatch.chdir(played)
    return played / "two.yaml"
