"""Named distributions, as settings: what sizes, counts and times are drawn from.

Written in YAML as `{kind: lognormal, median: 293, sigma: 1.84, zero: 12%, tail_from: 2400, tail_alpha: 1.29,
max: 25K}`, or as a plain number for a fixed value. Every draw uses up the same number of random numbers whatever the
parameters are, so changing one never shifts what others see.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from sim.units import parse_seconds, parse_share, parse_tokens

Floats: TypeAlias = npt.NDArray[np.float64]


def _number(value: Any) -> float:
    """A plain number, tokens (`25K`), a duration (`5m`, `2h`) or a share (`12%`)."""
    if isinstance(value, str):
        text = value.strip()
        if text.endswith("%"):
            return parse_share(text)
        if text[-1:] in "KM":
            return float(parse_tokens(text))
        return parse_seconds(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is not a number")
    if not math.isfinite(value):
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)


Number = Annotated[float, BeforeValidator(_number)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Bounded(_Part):
    """What every random distribution has: a share of zeros, and limits that draws are cut to."""

    zero: Annotated[float, BeforeValidator(_number)] = Field(
        default=0.0, ge=0, le=1, description="share of exact zeros"
    )
    min: Number = Field(default=0.0, ge=0, description="smaller draws become this")
    max: Number | None = Field(default=None, ge=0, description="larger draws become this")

    @model_validator(mode="after")
    def _limits(self) -> _Bounded:
        if self.max is not None and self.max < self.min:
            raise ValueError(f"max {self.max:g} is below min {self.min:g}")
        return self

    def draws(self, rng: np.random.Generator, n: int) -> Floats:
        """`n` values, each 0 or more."""
        zero = rng.random(n) < self.zero
        values = np.clip(self._raw(rng, n), self.min, self.max if self.max is not None else np.inf)
        values[zero] = 0.0
        return values

    @abstractmethod
    def _raw(self, rng: np.random.Generator, n: int) -> Floats:
        """Values before limits and zeros."""


class Fixed(_Part):
    """Always the same value."""

    kind: Literal["fixed"] = "fixed"
    value: Number = Field(ge=0)

    def draws(self, rng: np.random.Generator, n: int) -> Floats:
        """`n` times the value."""
        return np.full(n, self.value)


class Lognormal(_Bounded):
    """Lognormal by median and sigma of the logarithm; optionally with a Pareto tail above `tail_from`."""

    kind: Literal["lognormal"] = "lognormal"
    median: Number = Field(gt=0)
    sigma: float = Field(ge=0, le=5)
    tail_from: Number | None = Field(default=None, gt=0, description="draws above this come from a Pareto tail instead")
    tail_alpha: float = Field(default=1.3, gt=0, description="exponent of the tail; at 1 or less the mean is infinite")

    @model_validator(mode="after")
    def _tail(self) -> Lognormal:
        if self.tail_from is not None and self.tail_alpha <= 1 and self.max is None:
            raise ValueError(f"a tail with alpha {self.tail_alpha:g} has no mean; set `max` or an alpha above 1")
        return self

    def _raw(self, rng: np.random.Generator, n: int) -> Floats:
        values = self.median * np.exp(self.sigma * rng.standard_normal(n))
        uniform = 1.0 - rng.random(n)
        if self.tail_from is None:
            return values
        beyond = values > self.tail_from
        return np.where(beyond, self.tail_from * uniform ** (-1.0 / self.tail_alpha), values)


class Exponential(_Bounded):
    """Exponential with a mean."""

    kind: Literal["exponential"] = "exponential"
    mean: Number = Field(gt=0)

    def _raw(self, rng: np.random.Generator, n: int) -> Floats:
        return self.mean * rng.exponential(size=n)


class Uniform(_Bounded):
    """Even between `low` and `high`."""

    kind: Literal["uniform"] = "uniform"
    low: Number = Field(ge=0)
    high: Number = Field(ge=0)

    @model_validator(mode="after")
    def _order(self) -> Uniform:
        if self.high < self.low:
            raise ValueError(f"high {self.high:g} is below low {self.low:g}")
        return self

    def _raw(self, rng: np.random.Generator, n: int) -> Floats:
        return self.low + (self.high - self.low) * rng.random(n)


class Quantiles(_Bounded):
    """Any shape, given by its quantiles; between them the logarithm is interpolated."""

    kind: Literal["quantiles"] = "quantiles"
    shares: tuple[Number, ...] = Field(min_length=2, description="rising, from 0 to 1")
    values: tuple[Number, ...] = Field(min_length=2, description="never falling, one a share")

    @model_validator(mode="after")
    def _rising(self) -> Quantiles:
        if len(self.shares) != len(self.values):
            raise ValueError(f"{len(self.shares)} shares for {len(self.values)} values")
        if self.shares[0] != 0 or self.shares[-1] != 1 or list(self.shares) != sorted(set(self.shares)):
            raise ValueError("shares must rise from 0 to 1")
        if self.values[0] < 0 or list(self.values) != sorted(self.values):
            raise ValueError("values must be 0 or more and must not fall")
        return self

    def _raw(self, rng: np.random.Generator, n: int) -> Floats:
        return np.expm1(np.interp(rng.random(n), self.shares, np.log1p(self.values)))


class Mixture(_Bounded):
    """One of several distributions, chosen by weight at each draw."""

    kind: Literal["mixture"] = "mixture"
    weights: tuple[float, ...] = Field(min_length=1)
    parts: tuple[Distribution, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _matching(self) -> Mixture:
        if len(self.weights) != len(self.parts):
            raise ValueError(f"{len(self.weights)} weights for {len(self.parts)} parts")
        if min(self.weights) < 0 or sum(self.weights) <= 0:
            raise ValueError("weights must be 0 or more, and not all 0")
        return self

    def _raw(self, rng: np.random.Generator, n: int) -> Floats:
        edges = np.cumsum(self.weights) / sum(self.weights)
        which = np.minimum(np.searchsorted(edges, rng.random(n), side="right"), len(self.parts) - 1)
        columns = np.stack([part.draws(rng, n) for part in self.parts])
        return np.asarray(columns[which, np.arange(n)], dtype=np.float64)


def _tag(value: Any) -> str:
    if isinstance(value, BaseModel):
        return str(getattr(value, "kind", ""))
    return str(value.get("kind", "")) if isinstance(value, dict) else "fixed"


def _fixed(value: Any) -> Any:
    """A plain number stands for a fixed value."""
    return value if isinstance(value, dict | BaseModel) else {"kind": "fixed", "value": value}


Distribution: TypeAlias = Annotated[
    Annotated[Fixed, Tag("fixed")]
    | Annotated[Lognormal, Tag("lognormal")]
    | Annotated[Exponential, Tag("exponential")]
    | Annotated[Uniform, Tag("uniform")]
    | Annotated[Quantiles, Tag("quantiles")]
    | Annotated[Mixture, Tag("mixture")],
    Discriminator(_tag),
    BeforeValidator(_fixed),
]
Mixture.model_rebuild()


class Draws:
    """Values of one distribution from one stream, one at a time, drawn in blocks.

    Args:
        distribution: what to draw from.
        rng: a stream used by nothing else.
        block: values drawn at once.
    """

    __slots__ = ("_at", "_block", "_distribution", "_rng", "_values")

    def __init__(self, distribution: Distribution, rng: np.random.Generator, block: int = 128) -> None:
        self._distribution, self._rng, self._block = distribution, rng, block
        self._values: list[float] = []
        self._at = 0

    def next(self) -> float:
        """The next value."""
        if self._at == len(self._values):
            self._values = self._distribution.draws(self._rng, self._block).tolist()
            self._at = 0
        self._at += 1
        return self._values[self._at - 1]

    def whole(self, least: int = 0) -> int:
        """The next value as a whole number of at least `least`."""
        return max(least, round(self.next()))
