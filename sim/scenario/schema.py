"""JSON Schema of a scenario file, for editors: keys with descriptions and units, Hermes's own blocks included."""

from __future__ import annotations

from typing import Any

from sim.scenario.file import LATER, ScenarioFile
from sim.scenario.hermes_keys import KNOWN, Known

_TYPES: dict[str, dict[str, Any]] = {
    "bool": {"type": "boolean"},
    "whole": {"type": "integer", "minimum": 0},
    "number": {"type": "number", "minimum": 0},
    "text": {"type": "string"},
    "list": {"type": "array"},
    "map": {"type": "object"},
    "ttl": {"type": "string"},
}


def json_schema() -> dict[str, Any]:
    """The schema (draft 2020-12)."""
    schema = ScenarioFile.model_json_schema(by_alias=True, mode="validation")
    arm = schema["$defs"]["ArmFile"]["properties"]
    for block in ("compression", "auxiliary", "memory", "prompt_caching"):
        arm[block] = {**_block(block), "description": arm[block]["description"]}
    # A fleet's groups may bring the workload.
    schema["required"].remove("workload")
    schema["anyOf"] = [{"required": ["workload"]}, {"required": ["fleet"]}]
    for key, what in LATER.items():
        schema["properties"][key] = {"not": {}, "description": f"{what}; not acted on by this version"}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _block(path: str) -> dict[str, Any]:
    """The mapping at a dotted path of a Hermes config."""
    properties: dict[str, Any] = {}
    prefix = path + "."
    for known in KNOWN:
        if not known.path.startswith(prefix):
            continue
        key, _, deeper = known.path[len(prefix) :].partition(".")
        if deeper:
            properties.setdefault(key, _block(prefix + key))
        else:
            properties[key] = _setting(known)
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def _setting(known: Known) -> dict[str, Any]:
    kind = dict(_TYPES[known.kind])
    if known.nullable:
        kind["type"] = [kind["type"], "null"]
    unit = f" ({known.unit})" if known.unit else ""
    return {**kind, "description": known.means + unit, **({"unit": known.unit} if known.unit else {})}
