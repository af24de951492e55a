"""docs/engines.md is true: its code runs and its table names every knob."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sim.engine.parametric import ParametricSettings, PruneRule, read_settings
from sim.testing import CHECKS

PAGE = (Path(__file__).parents[2] / "docs" / "engines.md").read_text("utf-8")


def test_the_example_passes_the_suite(capsys: Any) -> None:
    scope: dict[str, Any] = {"__name__": "docs"}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "docs/engines.md", "exec"), scope)
    assert capsys.readouterr().out.strip() == str(tuple(CHECKS))


def test_the_table_names_every_knob_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| `?([^`|]+)`? \|", PAGE.split("## `parametric`")[1], re.MULTILINE))
    assert list(rows) == list(ParametricSettings.model_fields)
    given: dict[str, Any] = {k: None if v.strip() == "null" else v.strip() for k, v in rows.items()}
    numbers = {k: int(v) if v and v.isdigit() else v for k, v in given.items()}
    assert read_settings(numbers) == ParametricSettings()
    (prune,) = re.findall(r"`\{([^}]*)\}`: shorten", PAGE)
    assert prune.split(", ") == list(PruneRule.model_fields)
