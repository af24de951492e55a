"""Scenarios: read with positions, checked strictly, resolved into frozen data.

Offers:
    load_scenario             a file → `Scenario`, or every error of it at once
    check_scenario            the same with warnings beside it
    validate_scenario         all findings of a file, as data
    from_mapping              plain data → `Scenario`, for notebooks
    resolved_yaml             stable bytes of the resolved scenario
    json_schema               JSON Schema for editors
    read_config               a Hermes config.yaml, line by line
"""

from sim.scenario.config import HermesConfig, looks_like_config, read_config
from sim.scenario.finding import Finding
from sim.scenario.load import Checked, check_scenario, from_mapping, load_scenario, validate_scenario
from sim.scenario.model import (
    Arm,
    Curve,
    EngineSpec,
    ModelSpec,
    Replay,
    Scenario,
    Synthetic,
    UntilHalfWidth,
    Workload,
)
from sim.scenario.resolved import resolved_yaml
from sim.scenario.schema import json_schema

__all__ = [
    "Arm",
    "Checked",
    "Curve",
    "EngineSpec",
    "Finding",
    "HermesConfig",
    "ModelSpec",
    "Replay",
    "Scenario",
    "Synthetic",
    "UntilHalfWidth",
    "Workload",
    "check_scenario",
    "from_mapping",
    "json_schema",
    "load_scenario",
    "looks_like_config",
    "read_config",
    "resolved_yaml",
    "validate_scenario",
]
