"""The README says nothing that is not so: its scenario loads, its verbs and presets exist, its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from sim.cli._group import cli
from sim.scenario import from_mapping
from sim.workload import preset_names

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "README.zh.md")


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_its_scenario_loads(name: str) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", page(name), re.S)
    assert blocks
    for block in blocks:
        scenario = from_mapping(yaml.safe_load(block))
        assert [arm.name for arm in scenario.arms] == ["default", "my-cap"]


@pytest.mark.parametrize("name", PAGES)
def test_every_verb_it_names_exists_and_every_verb_is_named(name: str) -> None:
    table = [line for line in page(name).splitlines() if line.startswith("| `")]
    named = {verb for line in table for verb in re.findall(r"`([a-z]+)(?: [a-z]+)?`", line.split("|")[1])}
    verbs = set(cli.commands) if getattr(cli, "commands", None) else set(cli.list_commands(None))  # type: ignore[arg-type]
    text = set(re.findall(r"`([a-z]+)[ `]", page(name)))
    assert named <= verbs
    assert verbs <= text


@pytest.mark.parametrize("name", PAGES)
def test_every_preset_it_names_exists(name: str) -> None:
    known = set(preset_names())
    for preset in ("coding-2h", "long-haul", "coding-2026", "tiny-window", "fan-out"):
        assert preset in known
        assert f"`{preset}`" in page(name)


@pytest.mark.parametrize("name", PAGES)
def test_its_links_lead_to_files(name: str) -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", page(name)) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_both_languages_have_the_same_parts() -> None:
    parts = [len(re.findall(r"^## ", page(name), re.M)) for name in PAGES]
    assert parts[0] == parts[1]
    images = [re.findall(r"!\[[^]]*\]\(([^)]+)\)", page(name)) for name in PAGES]
    assert images[0] == images[1]
