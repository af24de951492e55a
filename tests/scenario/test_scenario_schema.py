"""The JSON Schema agrees with the reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from sim.scenario import json_schema, load_scenario
from sim.scenario.hermes_keys import BY_PATH
from sim.scenario.starter import starter_yaml

SCENARIOS = Path(__file__).parents[2] / "scenarios"


class _Text(yaml.SafeLoader):
    """Dates stay text, as editors read them."""


_Text.yaml_implicit_resolvers = {
    key: [(tag, rule) for tag, rule in rules if not tag.endswith("timestamp")]
    for key, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def errors(data: Any) -> list[str]:
    validator = jsonschema.Draft202012Validator(json_schema())
    return [e.message for e in validator.iter_errors(data)]


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.yaml")), ids=lambda p: p.name)
def test_shipped_scenarios_are_valid(path: Path) -> None:
    assert errors(yaml.load(path.read_text(), Loader=_Text)) == []


def test_the_starter_is_valid_and_loads(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(starter_yaml())
    assert errors(yaml.load(starter_yaml(), Loader=_Text)) == []
    assert load_scenario(path).baseline == "half"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("seed",), "x"),
        (("model", "window"), "1G"),
        (("arms", "half", "compression", "treshold"), 0.5),
        (("arms", "half", "compression", "threshold_tokens"), "230K"),
        (("arms", "half", "engine"), "hermez"),
        (("workload", "kind"), "other"),
        (("vary",), {}),
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(path: tuple[str, ...], value: object) -> None:
    data = yaml.load(starter_yaml(), Loader=_Text)
    node = data
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    assert errors(data)


def test_every_setting_of_hermes_is_described_with_its_unit() -> None:
    arm = json_schema()["$defs"]["ArmFile"]["properties"]
    for path, known in BY_PATH.items():
        block, *rest = path.split(".")
        if block == "model":
            continue
        node = arm[block]
        for key in rest:
            node = node["properties"][key]
        assert known.means in node["description"]
        assert node.get("unit", "") == known.unit


def test_every_key_of_ours_has_a_description() -> None:
    schema = json_schema()
    parts = {"Scenario": schema, **schema["$defs"]}
    for name in (
        "Scenario",
        "ModelSpec",
        "ArmFile",
        "Synthetic",
        "Replay",
        "Curve",
        "UntilHalfWidth",
        "AuxiliaryBehaviour",
    ):
        for key, value in parts[name]["properties"].items():
            assert key == "kind" or "description" in value or "$ref" in value, (name, key)


def test_the_schema_beside_the_shipped_scenarios_is_the_present_one() -> None:
    import json

    stored = json.loads((SCENARIOS / "scenario.schema.json").read_text())
    assert stored == json_schema(), "write it again with `hermes-sim schema -o scenarios/scenario.schema.json`"
