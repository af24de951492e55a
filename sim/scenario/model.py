"""The frozen scenario, resolved and validated; `sim.scenario.load` makes it from YAML."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, WithJsonSchema, model_validator

from sim.provider.auxiliary import AuxiliaryBehaviour
from sim.provider.limits import AccountLimits
from sim.units import parse_seconds, parse_share, parse_tokens


def _quantity(kind: str, pattern: str, unit: str) -> WithJsonSchema:
    return WithJsonSchema(
        {"anyOf": [{"type": kind, "minimum": 0}, {"type": "string", "pattern": pattern}], "unit": unit}
    )


Tokens = Annotated[int, BeforeValidator(parse_tokens), _quantity("integer", r"^[0-9]+(\.[0-9]+)?\s*[KkMm]?$", "tokens")]
Seconds = Annotated[
    float, BeforeValidator(parse_seconds), _quantity("number", r"^[0-9]+(\.[0-9]+)?\s*(s|m|min|h|d|w)?$", "seconds")
]
Share = Annotated[float, BeforeValidator(parse_share), _quantity("number", r"^[0-9]+(\.[0-9]+)?\s*%?$", "share")]


def _several(value: Any) -> Any:
    """A list, or one text that stands for a list of one."""
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


def _date(value: Any) -> Any:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str):
        try:
            if value == date.fromisoformat(value).isoformat():
                return value
        except ValueError:
            pass
    raise ValueError(f"{value!r} is not a date; write it as 2026-12-01")


Paths = Annotated[tuple[str, ...], BeforeValidator(_several), Field(min_length=1)]
Day = Annotated[str, BeforeValidator(_date), WithJsonSchema({"type": "string", "format": "date"})]


class Part(BaseModel):
    """Base of every scenario part: frozen, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ModelSpec(Part):
    """The main model: `name`, context `window`, output limit, and the date whose prices apply."""

    name: str = Field(min_length=1, description="the main model, as the price cards name it (`hermes-sim prices`)")
    window: Annotated[Tokens, Field(gt=0)] | None = Field(
        default=None, description="context window in tokens (230K, 1M); the model's own when unset"
    )
    max_tokens: Annotated[Tokens, Field(gt=0)] | None = Field(
        default=None, description="output limit in tokens; the engine takes it off the window before the threshold"
    )
    as_of: Day | None = Field(default=None, description="date whose prices apply, 2026-12-01")

    @property
    def at(self) -> datetime:
        """The start of the simulated span, UTC."""
        day = self.as_of or "2026-12-01"
        return datetime.fromisoformat(day).replace(tzinfo=UTC)


class Synthetic(Part):
    """Sessions drawn from a preset; `set` overrides single knobs of the preset."""

    kind: Literal["synthetic"] = "synthetic"
    auxiliary: AuxiliaryBehaviour = AuxiliaryBehaviour()
    preset: str = Field(description="name of a preset (coding-2h, long-haul, …) or path of a preset file")
    set: dict[str, Any] = Field(default_factory=dict, description="single knobs of the preset, overridden")
    forgetting: Annotated[Share, Field(ge=0, le=1)] = Field(
        default=0.0,
        description="probability that the agent repeats a tool call whose result it needs and no longer sees",
    )


class Replay(Part):
    """Real sessions."""

    kind: Literal["replay"] = "replay"
    auxiliary: AuxiliaryBehaviour = AuxiliaryBehaviour()
    transcripts: Paths = Field(description="files or folders; relative ones start at the scenario's folder")
    format: str = Field(default="auto", description="transcript format; auto recognises it")


class Curve(Part):
    """Token-only growth, by first and last context or by growth a call."""

    kind: Literal["curve"] = "curve"
    auxiliary: AuxiliaryBehaviour = AuxiliaryBehaviour()
    calls: int = Field(gt=0, le=1_000_000, description="model calls in the session")
    first: Tokens = Field(description="tokens of the first request")
    last: Tokens | None = Field(default=None, description="tokens of the last request")
    growth: Tokens | None = Field(default=None, description="tokens added a call, instead of `last`")
    output: Tokens = Field(default=0, description="output tokens a call")
    gap: Seconds = Field(default=0.0, description="pause before each turn (30s, 5m)")
    latency: Seconds = Field(default=0.0, description="time a call takes")
    calls_per_turn: int = Field(default=0, ge=0, description="calls in a turn; 0: the whole session is one turn")

    @model_validator(mode="after")
    def _one_growth(self) -> Self:
        if (self.last is None) == (self.growth is None):
            raise ValueError("a curve grows either up to `last` or by `growth` a call; give exactly one of the two")
        if self.last is not None and self.last < self.first:
            raise ValueError(f"the last request ({self.last} tokens) is smaller than the first ({self.first} tokens)")
        return self


Workload = Annotated[Synthetic | Replay | Curve, Field(discriminator="kind")]


def _form(value: Any) -> str:
    return "name" if isinstance(value, str) else "mapping"


Named = Annotated[
    Annotated[Annotated[str, Field(min_length=1)], Tag("name")] | Annotated[Synthetic, Tag("mapping")],
    Discriminator(_form),
]
"""A synthetic workload, or the name of its preset."""


class GroupModel(Part):
    """The model of one group."""

    name: str = Field(min_length=1, description="the group's main model")
    window: Annotated[Tokens, Field(gt=0)] | None = Field(default=None, description="context window in tokens")
    max_tokens: Annotated[Tokens, Field(gt=0)] | None = Field(default=None, description="output limit in tokens")


class Group(Part):
    """People or machines who work alike."""

    name: str | None = Field(default=None, min_length=1, max_length=60, description="the preset's name when unset")
    workload: Named | None = Field(
        default=None, description="a preset by name, or {kind: synthetic, preset, set}; the scenario's when unset"
    )
    sessions_per_day: float = Field(gt=0, le=100_000, description="sessions that one of them begins a day, on average")
    weight: float = Field(default=1.0, gt=0, le=100_000, description="how many of them there are")
    model: GroupModel | None = Field(default=None, description="their model, whatever the arm's is")

    @property
    def label(self) -> str:
        """Its name in tables."""
        preset = self.workload if isinstance(self.workload, str) else self.workload.preset if self.workload else "all"
        return self.name or preset.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".yaml")

    @property
    def per_day(self) -> float:
        """Sessions a day of the whole group."""
        return self.sessions_per_day * self.weight

    def drawn_from(self, default: Workload) -> Synthetic:
        """The workload its sessions are drawn from."""
        if isinstance(self.workload, str):
            return Synthetic(preset=self.workload)
        found = self.workload or default
        assert isinstance(found, Synthetic)  # checked when the scenario was resolved
        return found


class Fleet(Part):
    """Many sessions of several groups on one account; one replication is one span of `days`."""

    groups: Annotated[tuple[Group, ...], BeforeValidator(_several), Field(min_length=1)] = Field(
        description="who works on the account"
    )
    account: AccountLimits = Field(default=AccountLimits(), description="what the provider lets the account do")
    days: float = Field(default=7.0, gt=0, le=366, description="length of the simulated span")
    mode: Literal["tokens", "sample"] = Field(
        default="tokens",
        description="tokens: every session by its token counts; sample: some of each group as text, for real engines",
    )
    sample: int = Field(default=3, ge=2, le=1_000, description="sessions of each group that `sample` plays as text")

    @model_validator(mode="after")
    def _names(self) -> Self:
        names = [group.label for group in self.groups]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two groups are called '{name}'; give each a `name:` of its own")
        return self


class UntilHalfWidth(Part):
    """Replicate until the paired saving's half-width is small enough."""

    until_half_width: Share = Field(gt=0, description="of the paired saving, as a share of the baseline's cost (2%)")
    at_most: int = Field(gt=0, le=1_000_000, description="replications at which to stop in any case")


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
    fleet: Fleet | None = None
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

    def prices_of(self, arm: Arm) -> dict[str, Any]:
        """The arm's own prices, a price card's file found from the scenario's folder."""
        if "card" not in arm.prices:
            return arm.prices
        return {**arm.prices, "card": str(Path(self.base_dir) / Path(str(arm.prices["card"])).expanduser())}
