"""The page of the dual engine says what is true: its example runs, its settings and modules exist."""

from __future__ import annotations

import re
from pathlib import Path

from sim.engine.dual import DualSettings

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "dual.md").read_text(encoding="utf-8")


def test_the_example_runs(capsys):
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "docs/dual.md", "exec"), {})
    assert "KindShare(kind='log'" in capsys.readouterr().out


def test_modules_scenarios_and_figures_exist():
    for name in re.findall(r"`(\w+\.py)`", PAGE):
        assert (ROOT / "sim" / "engine" / "dual" / name).is_file(), name
    for name in re.findall(r"`(dual-[a-z-]+)`", PAGE):
        assert (ROOT / "scenarios" / f"{name}.yaml").is_file(), name
    for name in re.findall(r"\]\((figures/[^)]+)\)", PAGE):
        assert (ROOT / "docs" / name).is_file(), name


def test_defaults_told_are_the_defaults():
    settings = DualSettings()
    for name, shown in re.findall(r"`(\w+)` ([\d.]+(?: ?%|K)?)", PAGE):
        if name in DualSettings.model_fields:
            text = shown.replace(" ", "")
            value = float(text.rstrip("%K")) * (0.01 if text.endswith("%") else 1_000 if text.endswith("K") else 1)
            assert abs(getattr(settings, name) - value) < 1e-9, name
