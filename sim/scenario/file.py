"""The shape of a scenario file as people write it; `resolve` turns it into a `Scenario`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, WithJsonSchema

from sim.scenario.engines import ENGINES
from sim.scenario.model import Day, Fleet, ModelSpec, Part, Tokens, UntilHalfWidth, Workload


def _block(value: Any) -> Any:
    return {} if value is None else value


Block = Annotated[dict[str, Any], BeforeValidator(_block)]
"""A mapping; a key with nothing behind it is an empty one."""


def _hermes(description: str) -> Any:
    return Field(default_factory=dict, description=f"Hermes's own block: {description}")


EngineForm = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": list(ENGINES)},
                {
                    "type": "object",
                    "required": ["hermes"],
                    "additionalProperties": False,
                    "properties": {
                        "hermes": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {
                                "python": {"type": "string", "description": "interpreter that has Hermes installed"},
                                "context_engine": {"type": "string", "description": "a ContextEngine plugin by name"},
                                "version": {"type": "string"},
                            },
                        }
                    },
                },
                {
                    "type": "object",
                    "required": ["python"],
                    "additionalProperties": False,
                    "properties": {"python": {"type": "string", "description": "package.module:Class"}},
                },
            ]
        }
    ),
]


class ModelPatch(Part):
    """An arm's model: our keys override the scenario's; Hermes's own keys stand for the same things."""

    name: str | None = Field(default=None, min_length=1, description="another main model for this arm")
    window: Annotated[Tokens, Field(gt=0)] | None = Field(default=None, description="context window in tokens")
    max_tokens: Annotated[Tokens, Field(gt=0)] | None = Field(default=None, description="output limit in tokens")
    as_of: Day | None = Field(default=None, description="date whose prices apply")
    context_length: int | None = Field(default=None, gt=0, description="Hermes's name for the window, in tokens")


class ArmFile(Part):
    """One configuration to compare."""

    engine: EngineForm = Field(default=None, description="the compression engine; hermes@0.22 when unset")
    model: ModelPatch | None = Field(default=None, description="what differs from the scenario's model")
    config: str | None = Field(default=None, description="path of a Hermes config.yaml whose blocks the arm takes")
    provider_cache: Block = Field(default_factory=dict, description="overrides of the provider's cache profile")
    prices: Block = Field(default_factory=dict, description="overrides of the price card")
    compression: Block = _hermes("when and how the context is compacted")
    auxiliary: Block = _hermes("the models for side tasks; `compression` in it is the summarising model")
    memory: Block = _hermes("memory and profile limits, in characters")
    prompt_caching: Block = _hermes("lifetime of prompt-cache entries")
    parametric: Block = Field(default_factory=dict, description="settings of the parametric engine")
    dual: Block = Field(default_factory=dict, description="settings of the dual engine")


def _replications(value: Any) -> str:
    return "rule" if isinstance(value, dict) else "number"


Replications = Annotated[
    Annotated[Annotated[int, Field(gt=0, le=1_000_000)], Tag("number")] | Annotated[UntilHalfWidth, Tag("rule")],
    Discriminator(_replications),
]


class ScenarioFile(Part):
    """A hermes-sim scenario: arms that are compared on the same sessions."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=False, title="Scenario")

    schema_version: Literal[1] = Field(alias="schema", description="version of this file format")
    title: str | None = Field(default=None, description="one line that heads the report; the file's name when unset")
    seed: int = Field(
        default=0, ge=0, lt=2**63, description="of all random streams; the same seed gives the same bytes"
    )
    replications: Replications = Field(
        default=20, description="sessions drawn for each arm, or {until_half_width: 2%, at_most: 400}"
    )
    model: ModelSpec = Field(description="the main model")
    provider_cache: Block = Field(default_factory=dict, description="overrides of the provider's cache profile")
    prices: Block = Field(default_factory=dict, description="overrides of the price card")
    workload: Workload = Field(description="the sessions that every arm plays")
    fleet: Fleet | None = Field(default=None, description="many sessions of several groups under one account")
    defaults: ArmFile | None = Field(default=None, description="settings that every arm starts from")
    baseline: str | None = Field(
        default=None, description="arm that the others are compared with; the first when unset"
    )
    arms: dict[str, ArmFile] = Field(min_length=1, description="name → configuration")


LATER: dict[str, str] = {
    "vary": "grids of arms",
    "optimize": "the search for the best settings",
}
"""Top-level keys of the format that this version of the simulator does not act on, with what they are for."""
