"""The page on workloads: its examples are valid and its table is true."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from sim.scenario import check_scenario
from sim.streams import Streams
from sim.workload import Preset, load_preset, preset_names
from sim.workload.check import measure
from sim.workload.synthetic import make_plan

PAGE = Path(__file__).parents[2] / "docs" / "workloads.md"
TEXT = PAGE.read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```yaml {kind}\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("block", blocks("preset"))
def test_example_presets_load(block: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(block, encoding="utf-8")
    assert isinstance(load_preset("mine.yaml", base_dir=tmp_path), Preset)


def test_example_knobs_load() -> None:
    (block,) = blocks("scenario")
    workload = yaml.safe_load(block)["workload"]
    assert load_preset(workload["preset"], overrides=workload["set"]).prefix.mcp_tokens == 9_000


def test_the_example_fleet_loads_without_a_remark(tmp_path: Path) -> None:
    (block,) = blocks("fleet")
    (tmp_path / "fleet.yaml").write_text(block, encoding="utf-8")
    checked = check_scenario(tmp_path / "fleet.yaml")
    assert [str(f) for f in checked.findings] == []
    fleet = checked.require().fleet
    assert fleet is not None
    assert [g.label for g in fleet.groups] == ["developers", "chat", "nightly"]


def test_every_preset_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `([\w-]+)` \|", TEXT, re.MULTILINE)) == set(preset_names())


@pytest.mark.parametrize("name", [n for n in preset_names() if n not in ("coding-2h", "long-haul")])
def test_the_medians_of_the_table(name: str) -> None:
    found = re.search(rf"^\| `{name}` \|[^|]*\| ([\d,]+) \| (\d+)K", TEXT, re.MULTILINE)
    assert found is not None
    calls, tokens = int(found[1].replace(",", "")), int(found[2]) * 1_000
    preset = load_preset(name)
    plans = [
        make_plan(preset, Streams(2).child("session", number)) for number in range(30 if name == "heartbeat" else 150)
    ]
    seen = measure(plans, preset)
    assert np.median(seen["calls"]) == pytest.approx(calls, rel=0.2)
    assert np.median(seen["total_tokens"]) == pytest.approx(tokens, rel=0.2)
