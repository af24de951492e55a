"""The frozen scenario, resolved and validated; `sim.scenario.load` makes it from YAML."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from sim.provider.auxiliary import AuxiliaryBehaviour
from sim.units import parse_seconds, parse_share, parse_tokens

Tokens = Annotated[int, BeforeValidator(parse_tokens)]
Seconds = Annotated[float, BeforeValidator(parse_seconds)]
Share = Annotated[float, BeforeValidator(parse_share)]


class Part(BaseModel):
    """Base of every scenario part: frozen, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ModelSpec(Part):
    """The main model: `name`, context `window`, output limit, and the date whose prices apply."""

    name: str
    window: Tokens | None = None
    max_tokens: Tokens | None = None
    as_of: str | None = None

    @property
    def at(self) -> datetime:
        """The start of the simulated span, UTC."""
        day = self.as_of or "2026-12-01"
        return datetime.fromisoformat(day).replace(tzinfo=UTC)


class Synthetic(Part):
    """Sessions drawn from a preset; `set` overrides single knobs of the preset."""

    kind: Literal["synthetic"] = "synthetic"
    auxiliary: AuxiliaryBehaviour = AuxiliaryBehaviour()
    preset: str
    set: dict[str, Any] = Field(default_factory=dict)


class Replay(Part):
    """Real sessions."""

    kind: Literal["replay"] = "replay"
    auxiliary: AuxiliaryBehaviour = AuxiliaryBehaviour()
    transcripts: tuple[str, ...]
    format: str = "auto"


class Curve(Part):
    """Token-only growth, by first and last context or by growth a call."""

    kind: Literal["curve"] = "curve"
    auxiliary: AuxiliaryBehaviour = AuxiliaryBehaviour()
    calls: int = Field(gt=0)
    first: Tokens
    last: Tokens | None = None
    growth: Tokens | None = None
    output: Tokens = 0
    gap: Seconds = 0.0
    latency: Seconds = 0.0
    calls_per_turn: int = Field(default=0, ge=0)
    """0: the whole session is one turn."""


Workload = Annotated[Synthetic | Replay | Curve, Field(discriminator="kind")]


class UntilHalfWidth(Part):
    """Replicate until the paired saving's half-width is small enough."""

    until_half_width: Share
    at_most: int = Field(gt=0)


class EngineSpec(Part):
    """Which engine: `none`, `parametric`, `dual`, `hermes` of a version or interpreter, or a user's class."""

    kind: Literal["none", "parametric", "dual", "hermes", "python"]
    version: str | None = None
    """`0.19` or `0.22` for the installed Hermes engines."""
    python: str | None = None
    """Interpreter with the user's Hermes (`hermes`), or `pkg.mod:Class` (`python`)."""
    context_engine: str | None = None
    """Name of a Hermes ContextEngine plugin."""

    @property
    def label(self) -> str:
        """As written in a scenario, short."""
        return f"{self.kind}@{self.version}" if self.version else self.kind


class Arm(Part):
    """One configuration, fully resolved: defaults and files merged in.

    Attributes:
        settings: Hermes's own blocks as plain data, in the engine version's own keys.
        engine_settings: our own engines' knobs (`parametric: {...}`, `dual: {...}`).
        origins: `block.key` → `file:line:col` or `default of hermes@0.22`.
        misplaced: settings found where Hermes does not read them.
    """

    name: str
    engine: EngineSpec
    model: ModelSpec
    settings: dict[str, Any] = Field(default_factory=dict)
    engine_settings: dict[str, Any] = Field(default_factory=dict)
    provider_cache: dict[str, Any] = Field(default_factory=dict)
    prices: dict[str, Any] = Field(default_factory=dict)
    origins: dict[str, str] = Field(default_factory=dict)
    misplaced: dict[str, str] = Field(default_factory=dict)


class Scenario(Part):
    """A whole scenario."""

    schema_version: int = 1
    name: str
    """File stem, names the run folder."""
    title: str
    seed: int = 0
    replications: int | UntilHalfWidth = 20
    model: ModelSpec
    workload: Workload
    baseline: str
    arms: tuple[Arm, ...]
    source: str = ""
    """Path of the file, for messages."""
    base_dir: str = "."
    """Folder that relative paths in the scenario start from."""

    def arm(self, name: str) -> Arm:
        """The arm of that name."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        raise KeyError(name)
