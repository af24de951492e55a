"""The `fleet:` block: what it takes, what it refuses and where, and that it comes back from the resolved file."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

from sim.scenario import json_schema, load_scenario, resolved_yaml, validate_scenario

GOOD = """schema: 1
model: {name: claude-opus-4-7, window: 1M}
fleet:
  days: 2
  groups:
    - {workload: coding-2026, sessions_per_day: 4, weight: 3}
    - {name: cron, workload: {kind: synthetic, preset: heartbeat}, sessions_per_day: 1, model: {name: claude-haiku-4-5}}
  account: {rpm: 50, tpm: 400K, budget: 250.5}
arms:
  plain: {engine: none}
"""


def test_groups_and_account_are_read(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text(GOOD)
    scenario = load_scenario(path)
    fleet = scenario.fleet
    assert fleet is not None
    assert [(g.label, g.per_day) for g in fleet.groups] == [("coding-2026", 12.0), ("cron", 1.0)]
    assert [g.drawn_from(scenario.workload).preset for g in fleet.groups] == ["coding-2026", "heartbeat"]
    assert (fleet.account.rpm, fleet.account.tpm, str(fleet.account.budget)) == (50, 400_000, "250.5")
    assert (fleet.days, fleet.mode) == (2.0, "tokens")
    text = resolved_yaml(scenario)
    again = tmp_path / "again.yaml"
    again.write_text(text)
    assert load_scenario(again).fleet == fleet
    assert resolved_yaml(load_scenario(again)) == text


def test_a_group_without_a_workload_takes_the_scenarios(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    text = GOOD.replace("workload: coding-2026, ", "") + "workload: {kind: synthetic, preset: long-haul}\n"
    path.write_text(text)
    scenario = load_scenario(path)
    assert scenario.fleet is not None
    assert scenario.fleet.groups[0].drawn_from(scenario.workload).preset == "long-haul"
    assert scenario.fleet.groups[0].label == "all"


def test_the_schema_takes_a_fleet_with_or_without_a_workload() -> None:
    check = jsonschema.Draft202012Validator(json_schema())
    data = yaml.safe_load(GOOD)
    assert not list(check.iter_errors(data))
    assert not list(check.iter_errors({**data, "workload": {"kind": "synthetic", "preset": "long-haul"}}))
    del data["fleet"]
    assert list(check.iter_errors(data))


BAD = [
    ("unknown key", "sessions_per_day: 4", "sessions_per_dya: 4", "6:31", "did you mean 'sessions_per_day'?"),
    ("no sessions", "sessions_per_day: 4", "sessions_per_day: 0", "6:49", "must be greater than 0"),
    ("no such preset", "workload: coding-2026", "workload: codng-2026", "6:18", "did you mean 'coding-2026'?"),
    ("rate with a wrong suffix", "tpm: 400K", "tpm: 400G", "8:27", "use K or M"),
    ("rate of nothing", "rpm: 50", "rpm: 0", "8:18", "must be greater than 0"),
    ("unknown limit", "rpm: 50", "rpmm: 50", "8:13", "did you mean 'rpm'?"),
    ("budget in words", "budget: 250.5", "budget: plenty", "8:41", "write a plain number"),
    ("negative weight", "weight: 3", "weight: -3", "6:60", "must be greater than 0"),
    ("no days", "days: 2", "days: 0", "4:9", "must be greater than 0"),
    ("unknown mode", "days: 2", "mode: text", "4:9", "'tokens' or 'sample'"),
    ("same name", "name: cron", "name: coding-2026", "4:3", "two groups are called 'coding-2026'"),
    ("unknown model", "claude-haiku-4-5", "claude-hoku-9", "7:", "no price is known"),
    ("text for a token fleet", "engine: none", "engine: dual", "10:19", "fleet.mode: sample"),
    ("backoff that shrinks", "rpm: 50", "retry: {first: 90, most: 30}", "8:20", "raise `most`"),
    ("outage without length", "rpm: 50", "outages: [{at: 1d}]", "8:", "`fleet.account.outages[0].lasts` is missing"),
    ("window too small", "4-5}", "4-5, window: 8K}", "7:", "the first request must fit the window"),
    ("one limit at the top", "arms:", "rpm: 50\narms:", "9:1", "it belongs to `fleet.account:`"),
]


@pytest.mark.parametrize(("old", "new", "place", "words"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_what_is_wrong_is_told_at_its_place(tmp_path: Path, old: str, new: str, place: str, words: str) -> None:
    path = tmp_path / "fleet.yaml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new))
    errors = [f for f in validate_scenario(path) if f.level == "error"]
    assert len(errors) == 1, [str(f) for f in errors]
    assert f"fleet.yaml:{place}" in str(errors[0])
    assert words in str(errors[0])


def test_a_fleet_of_replayed_sessions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text(GOOD + "workload: {kind: curve, calls: 5, first: 5K, growth: 1K}\n")
    [error] = validate_scenario(path)
    assert "drawn from presets" in str(error)


def test_an_empty_fleet_names_what_is_missing_once(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text("schema: 1\nmodel: {name: claude-opus-4-7}\nfleet: {groups: []}\narms:\n  a: {engine: none}\n")
    [error] = validate_scenario(path)
    assert "`fleet.groups` is empty" in str(error)
