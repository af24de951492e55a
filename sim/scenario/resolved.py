"""The resolved scenario as YAML: stable bytes, for the run folder and its hash."""

from __future__ import annotations

from typing import Any

import yaml

from sim.scenario.engines import written_form
from sim.scenario.model import Arm, Curve, ModelSpec, Scenario
from sim.scenario.scalars import read_plain


class _Dumper(yaml.SafeDumper):
    """Block style, no aliases, and quotes around every text that some reader takes for something else."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    reading = read_plain(value)
    odd = reading.ambiguous is not None or not isinstance(reading.value, str)
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="'" if odd else None)


def _mapping(dumper: yaml.SafeDumper, value: dict[Any, Any]) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", value.items(), flow_style=False)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(dict, _mapping)


def dump_yaml(data: Any) -> str:
    """Plain data as YAML that 1.1 and 1.2 readers read alike; keys in the order given."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def resolved_yaml(scenario: Scenario) -> str:
    """A scenario with defaults, config files and overrides merged in, in the scenario format itself.

    The bytes depend on the meaning alone: not on comments, key order within a block, or where the file lies.
    """
    return dump_yaml(plain(scenario))


def plain(scenario: Scenario) -> dict[str, Any]:
    """The same as plain data."""
    rule = scenario.replications
    data: dict[str, Any] = {
        "schema": scenario.schema_version,
        "title": scenario.title,
        "seed": scenario.seed,
    }
    if "replications" in scenario.model_fields_set or not isinstance(scenario.workload, Curve):
        data["replications"] = rule if isinstance(rule, int) else rule.model_dump()
    data["model"] = _model(scenario.model)
    data["workload"] = _sorted(scenario.workload.model_dump(exclude_none=True, mode="json"))
    if scenario.fleet is not None:
        data["fleet"] = _sorted(scenario.fleet.model_dump(exclude_none=True, mode="json"))
    data["baseline"] = scenario.baseline
    data["arms"] = {arm.name: _arm(arm, scenario) for arm in scenario.arms}
    return data


def _model(spec: ModelSpec) -> dict[str, Any]:
    return {k: v for k, v in spec.model_dump().items() if v is not None}


def _arm(arm: Arm, scenario: Scenario) -> dict[str, Any]:
    data: dict[str, Any] = {"engine": written_form(arm.engine)}
    if arm.model != scenario.model:
        data["model"] = _model(arm.model)
    blocks = {"provider_cache": arm.provider_cache, "prices": arm.prices, **arm.settings, **arm.engine_settings}
    data.update({name: _sorted(block) for name, block in sorted(blocks.items()) if block})
    return data


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _sorted(value[k]) for k in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [_sorted(v) for v in value]
    return value
