"""The seams of the provider room: what the world asks of a prompt cache and of a price card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from sim.history import Prompt

Why: TypeAlias = Literal[
    "", "first", "ttl", "minimum", "lookback", "visibility", "best_effort", "routing", "evicted", "granularity"
]
"""Why tokens that an earlier request sent just so were not read now; empty when all of them were."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A cache breakpoint: the prefix `prompt.rows[:index]` is to be written to class `ttl`."""

    index: int
    ttl: str


@dataclass(frozen=True, slots=True)
class Served:
    """How a request met the cache; `read + sum(writes) + fresh` is the whole prompt.

    Attributes:
        writes: tokens written by TTL class (`5m`, `1h`, `30m`, …); empty for caches without write prices.
        why: why unchanged tokens beyond `read` were not read.
        storage: token-seconds of explicit-cache storage caused by this request.
    """

    read: int
    writes: Mapping[str, int]
    fresh: int
    why: Why = ""
    storage: int = 0


class PromptCache(Protocol):
    """The provider's cache of one scope; shared by the sessions of an account."""

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, *, first_byte: float, done: float, session: str = ""
    ) -> Served:
        """A request that starts at `now`; its entries become visible as the family says (`first_byte`, `done`)."""
        ...

    def settle(self, prompt: Prompt, done: float, *, session: str = "") -> None:
        """The response has been appended to `prompt` (families that keep generated tokens store them here)."""
        ...


@dataclass(frozen=True, slots=True)
class TokenUse:
    """Tokens of one call by price class; `output` includes reasoning."""

    read: int = 0
    writes: Mapping[str, int] = field(default_factory=dict)
    fresh: int = 0
    output: int = 0
    storage: int = 0

    @property
    def input(self) -> int:
        """The whole prompt."""
        return self.read + sum(self.writes.values()) + self.fresh


@dataclass(frozen=True, slots=True)
class Cost:
    """Integer pico-dollars of one call by class, each rounded half-even once."""

    read: int
    write: int
    fresh: int
    output: int
    storage: int = 0

    @property
    def total(self) -> int:
        """Sum of the classes."""
        return self.read + self.write + self.fresh + self.output + self.storage


class PriceCard(Protocol):
    """Prices of one model, compiled once."""

    @property
    def model(self) -> str:
        """Model id of the card."""
        ...

    @property
    def provider(self) -> str:
        """Provider id of the card."""
        ...

    @property
    def effective(self) -> str:
        """ISO date from which the rates hold, or `undated`."""
        ...

    @property
    def checked(self) -> str:
        """ISO date at which they were last checked against the provider."""
        ...

    @property
    def source(self) -> str:
        """Where the rates come from."""
        ...

    def cost(self, use: TokenUse, at: float) -> Cost:
        """Cost of a call that starts at `at` (seconds since the epoch, UTC)."""
        ...
