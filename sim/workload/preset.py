"""What a synthetic session is like, as settings: one `Preset` is one YAML file in `presets/` that anyone can copy."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sim.units import parse_seconds, parse_share, parse_tokens
from sim.workload.distributions import Distribution, Fixed, Lognormal
from sim.workload.script import Origin

Tokens = Annotated[int, BeforeValidator(parse_tokens)]
Seconds = Annotated[float, BeforeValidator(parse_seconds)]
Share = Annotated[float, BeforeValidator(parse_share), Field(ge=0, le=1)]

RESULT_TEXTS = (
    "build",
    "chat_history",
    "csv",
    "dataframe",
    "diff",
    "edit_report",
    "file",
    "json_api",
    "listing",
    "log",
    "packages",
    "prose_zh",
    "pytest",
    "report",
    "search_hits",
    "short",
    "stack_trace",
    "status",
    "web_page",
    "web_search",
)
"""Kinds of text a tool result can be."""

ARGUMENT_TEXTS = ("command", "document", "edit", "file", "path", "prompt", "python", "query", "todo")
"""Kinds of arguments a tool call can carry."""


def _figure(value: Any) -> float:
    """A plain number, or one with a token suffix or `%`."""
    text = str(value).strip()
    if text.endswith("%"):
        return parse_share(text)
    return float(parse_tokens(text)) if text[-1:] in "KM" else float(text)


class Part(BaseModel):
    """Base of all settings here: frozen, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Prefix(Part):
    """What every request starts with. Sizes are billed tokens of the scenario's model.

    The memory and the user profile are written to the character limits of the arm (`memory_char_limit`,
    `user_char_limit`), unless `memory_tokens` fixes the size of the whole changing part (memory, profile and skills).
    """

    system_tokens: Tokens = Field(default=3_000, ge=0, description="instructions, without skills and memory")
    tools: int = Field(default=28, ge=0, description="built-in tool definitions")
    tools_tokens: Tokens = Field(default=8_000, ge=0, description="their size; 0 sends no definitions")
    mcp_tools: int = Field(default=0, ge=0, description="tool definitions of MCP servers")
    mcp_tokens: Tokens = Field(default=0, ge=0, description="their size")
    skills: int = Field(default=0, ge=0, description="skills listed in the system prompt")
    skills_tokens: Tokens = Field(default=0, ge=0, description="their size")
    memory: Share = Field(
        default=1.0, description="how full the memory and the profile are, as a share of their limits"
    )
    memory_tokens: Tokens | None = Field(
        default=None, ge=0, description="fixed size of memory, profile and skills together"
    )


class Tool(Part):
    """One kind of tool: how often it is called, with what, what comes back, how long it takes.

    Either every tool has a `count` (exactly so many calls a session) or every one a `weight`.
    """

    weight: float = Field(default=1.0, ge=0, description="relative frequency")
    count: int | None = Field(default=None, ge=0, description="exact number of calls a session")
    arguments: Distribution = Field(description="tokens of name and arguments")
    argument_text: Literal[ARGUMENT_TEXTS] = "command"  # type: ignore[valid-type]
    result: Distribution = Field(description="tokens of the result")
    result_text: dict[Literal[RESULT_TEXTS], float] = Field(  # type: ignore[valid-type]
        default_factory=lambda: {"short": 1.0}, min_length=1, description="kinds of text by weight"
    )
    seconds: Distribution = Field(description="how long it takes, permission waits included")
    fails: Share = Field(default=0.0, description="share of calls that return an error")
    repeats: Share = Field(default=0.0, description="share of calls that read again what an earlier call read")
    changed: Share = Field(default=0.4, description="share of those repeats whose text has changed a little")

    @model_validator(mode="after")
    def _weights(self) -> Tool:
        if min(self.result_text.values()) < 0 or sum(self.result_text.values()) <= 0:
            raise ValueError("weights of `result_text` must be 0 or more, and not all 0")
        return self


class Total(Part):
    """A session total that draws are scaled to; it varies between replications by `spread` (lognormal sigma)."""

    target: Annotated[float, BeforeValidator(lambda v: v if isinstance(v, float | int) else parse_seconds(v))] = Field(
        gt=0
    )
    spread: Share = 0.02


class TokenTotal(Part):
    """A total of tokens, as `Total`."""

    target: Tokens = Field(gt=0)
    spread: Share = 0.0


class Totals(Part):
    """Totals of a session; a missing one leaves the draws as they are."""

    user: TokenTotal | None = None
    thinking: TokenTotal | None = None
    text: TokenTotal | None = None
    arguments: TokenTotal | None = None
    results: TokenTotal | None = None
    growth: TokenTotal | None = Field(
        default=None, description="from the first prompt to the last one; scales all of the above"
    )
    span: Total | None = Field(
        default=None, description="seconds from first message to last answer; scales think times"
    )

    @model_validator(mode="after")
    def _either(self) -> Totals:
        if self.growth and any((self.user, self.thinking, self.text, self.arguments, self.results)):
            raise ValueError("`growth` scales everything, so it excludes totals of single parts")
        return self


class Rhythm(Part):
    """When the person is awake: a message that would come in the night or on a free day waits for the next morning."""

    days: Literal["all", "weekdays"] = "all"
    from_hour: float = Field(default=0.0, ge=0, le=24)
    to_hour: float = Field(default=24.0, ge=0, le=24)

    @model_validator(mode="after")
    def _order(self) -> Rhythm:
        if self.to_hour <= self.from_hour:
            raise ValueError(f"to_hour {self.to_hour:g} is not after from_hour {self.from_hour:g}")
        return self

    @property
    def always(self) -> bool:
        """Whether messages may come at any time."""
        return self.days == "all" and self.to_hour - self.from_hour >= 24


class Facts(Part):
    """Facts planted in tool results and needed again later."""

    share: Share = Field(default=0.0, description="share of results of 60 tokens or more that hold a fact")
    needed_after: Distribution = Field(
        default_factory=lambda: Lognormal(median=12, sigma=1.2, min=1), description="calls until it is needed"
    )
    needed_times: int = Field(default=1, ge=1, le=10)


QUANTITIES = (
    "calls",
    "calls_per_turn",
    "first_prompt",
    "last_prompt",
    "latency_s",
    "loop_gap_s",
    "output_per_call",
    "results_of_growth",
    "results_per_call",
    "span_s",
    "think_over_1h",
    "think_over_5m",
    "think_time_s",
    "total_tokens",
    "user_tokens",
)
"""What `workload check` measures."""

Figure = Annotated[float, BeforeValidator(_figure)]


class Target(Part):
    """Measured figures that a preset should meet; a missing one is not compared."""

    p10: Figure | None = None
    p50: Figure | None = None
    p90: Figure | None = None
    p99: Figure | None = None
    mean: Figure | None = None
    share: Figure | None = None


class Preset(Part):
    """A kind of session."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    name: str
    title: str = ""
    note: str = Field(default="", description="where the numbers come from")
    origin: Origin = "terminal"
    language: Literal["english", "chinese", "mixed"] = "english"

    prefix: Prefix = Field(default_factory=Prefix)
    turns: Distribution = Field(default_factory=lambda: Fixed(value=10))
    calls: Distribution | None = Field(
        default=None, description="model calls a session; turns are added until it is reached"
    )
    calls_per_turn: Distribution = Field(default_factory=lambda: Lognormal(median=2, sigma=1.2, min=1, max=400))
    tools: dict[str, Tool] = Field(default_factory=dict)
    parallel: Share = Field(default=0.0, description="share of tool calls that are made together with the one before")
    sticky: Share = Field(default=0.3, description="share of tool calls of the same kind as the one before")

    user: Distribution = Field(description="tokens of a user message")
    first_user: Distribution | None = Field(
        default=None, description="tokens of the first message; as `user` when missing"
    )
    thinking: Distribution = Field(default_factory=lambda: Fixed(value=0), description="thinking tokens a call")
    hidden_thinking: bool = Field(
        default=False, description="billed but not kept in the history, instead of `<think>` text"
    )
    remark: Distribution = Field(
        default_factory=lambda: Lognormal(median=40, sigma=0.9, zero=0.6), description="text beside tool calls, tokens"
    )
    answer: Distribution = Field(description="text of a final answer, tokens")

    latency: Distribution = Field(description="seconds of a response, all included")
    think_time: Distribution = Field(description="seconds from an answer to the next message")
    rhythm: Rhythm = Field(default_factory=Rhythm)
    totals: Totals = Field(default_factory=Totals)
    facts: Facts = Field(default_factory=Facts)
    cut_off: Share = Field(default=0.0, description="share of sessions that end in the middle of a turn")
    targets: dict[Literal[QUANTITIES], Target] = Field(  # type: ignore[valid-type]
        default_factory=dict, description="measured figures for `workload check`"
    )
    other_model: str | None = Field(default=None, description="model that some turns use instead of the session's own")
    switches: Share = Field(default=0.0, description="share of turns that use `other_model`")

    @model_validator(mode="after")
    def _whole(self) -> Preset:
        counted = [t.count is not None for t in self.tools.values()]
        if any(counted) and not all(counted):
            raise ValueError("either every tool has a `count` or none has")
        if self.tools and not any(counted) and sum(t.weight for t in self.tools.values()) <= 0:
            raise ValueError("the weights of all tools are 0")
        if any(counted) and self.calls is not None:
            raise ValueError("`calls` and tool counts exclude each other; with counts, set `turns`")
        if self.switches and not self.other_model:
            raise ValueError("`switches` needs `other_model`")
        return self

    @property
    def counted(self) -> bool:
        """Whether the number of calls of each tool is exact."""
        return any(t.count is not None for t in self.tools.values())


def merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`over` laid over `base`, mapping by mapping; a mapping with another `kind` replaces the old one whole."""
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict) and value.get("kind") in (None, old.get("kind")):
            merged[key] = merge(old, value)
        else:
            merged[key] = value
    return merged
