"""The page on scenario files: its examples load, its tables name every key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.scenario import check_scenario
from sim.scenario.check import fields_of
from sim.scenario.file import LATER, ArmFile, ScenarioFile

PAGE = (Path(__file__).parents[2] / "docs" / "scenario-file.md").read_text("utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("text", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_load_without_a_remark(text: str, tmp_path: Path) -> None:
    path = tmp_path / "example.yaml"
    path.write_text(text, "utf-8")
    checked = check_scenario(path)
    assert [str(f) for f in checked.findings] == []
    assert checked.require().arms


def test_tables_name_every_key() -> None:
    first, second = (
        {key for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}
        for table in PAGE.partition("## Keys")[2].partition("An arm, and")[::2]
    )
    assert first == set(fields_of(ScenarioFile)) - set(LATER)
    assert second == set(fields_of(ArmFile))
