"""What one arm plays with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sim.engine import Engine, Rates
from sim.history import Prompt, RowMaker
from sim.provider.auxiliary import AuxiliaryBehaviour
from sim.provider.seam import Mark, PriceCard, PromptCache


class Provider(Protocol):
    """What the world needs of a model's provider profile."""

    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def window(self) -> int | None: ...

    @property
    def card(self) -> PriceCard: ...

    def open_cache(self) -> PromptCache: ...

    def place(self, prompt: Prompt, *, engine_version: str, cache_ttl: str) -> Sequence[Mark]: ...

    def rates(self, at: float) -> Rates: ...


@dataclass(frozen=True, slots=True)
class AuxiliaryRoute:
    """The model that summarises.

    Attributes:
        provider: its prices and window.
        maker: token counts of its family.
        behaviour: lengths, speed and failures.
        write: text of a wanted size: `(stream numbers, tokens) → text`.
    """

    provider: Provider
    maker: RowMaker
    behaviour: AuxiliaryBehaviour
    write: Callable[[int, int], str]

    @property
    def window(self) -> int | None:
        """Context window of the auxiliary model."""
        return self.behaviour.window or self.provider.window


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """Pings that keep the prompt cache warm while the person is away.

    Attributes:
        every_s: seconds between two pings; a ping re-sends the last request with `max_tokens: 0`.
        give_up_s: no ping later than this after the last activity.
    """

    every_s: float
    give_up_s: float


@dataclass(frozen=True, slots=True)
class Setup:
    """One arm, ready to play.

    Attributes:
        arm: its name.
        engine: the compression engine.
        engine_version: version whose breakpoint layout applies.
        window: context window, tokens.
        max_tokens: configured output limit, if any.
        settings: blocks handed to the engine.
        cache_ttl: Hermes's `prompt_caching.cache_ttl`.
        provider: the main model's provider profile.
        auxiliary_fallback: the priced model that summarises when a fleet's account has used up the first one's limits.
        other_models: profiles of models the script switches to, by name.
        maker: token counts of the main model's family.
        auxiliary: the summarising model, None when the engine never asks.
        keep_alive: pings during pauses, None for none.
        forgetting: probability that the agent repeats a tool call whose result it needs and no longer sees.
        prewarm: whether the fixed prefix is written to the cache before the first message.
        on_request: called with (session, call, prompt, marks) before each main request is served.
    """

    arm: str
    engine: Engine
    engine_version: str
    window: int
    max_tokens: int | None
    settings: Mapping[str, Any]
    cache_ttl: str
    provider: Provider
    maker: RowMaker
    auxiliary: AuxiliaryRoute | None = None
    auxiliary_fallback: AuxiliaryRoute | None = None
    other_models: Mapping[str, Provider] = field(default_factory=dict)
    keep_alive: KeepAlive | None = None
    forgetting: float = 0.0
    prewarm: bool = False
    on_request: Callable[[str, int, Prompt, Sequence[Mark]], None] | None = None
