"""What the tests of the command share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sim.cli._entry import run_command

SCENARIOS = Path(__file__).parents[2] / "scenarios"
CURVE = """\
schema: 1
title: two curves
model: {name: claude-opus-4-7, window: 1M, as_of: 2026-12-01}
workload: {kind: curve, calls: 20, first: 10K, last: 40K, output: 100}
arms:
  nothing: {engine: none}
  cap: {engine: parametric, parametric: {trigger: 20000, landing: 12000, auxiliary_tokens: 3000}}
"""


def out(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What a command prints to stdout."""
    found = run_command(list(arguments))
    captured = capsys.readouterr()
    assert found == code, captured.err
    return captured.out


def document(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    return json.loads(out(capsys, *arguments, "--json", code=code))
