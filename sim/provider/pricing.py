"""Price cards: dated list prices compiled once into exact pico-dollars a token.

Prices come from the genai-prices package, our overrides (`cards/*.yaml`) where it lacks or errs, or the scenario.
One pico-dollar a token is one millionth of a dollar per million tokens, so list prices are integers or short fractions.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sim.errors import PriceError
from sim.provider.seam import Cost, TokenUse
from sim.units import round_half_even

CHECKED = "2026-12-01"
"""Date of the pinned price data."""
_PER_TOKEN = 10**6
"""Pico-dollars a token for one dollar per million tokens."""


@dataclass(frozen=True, slots=True)
class Tier:
    """Rates in pico-dollars a token; they hold for the whole request when its prompt has more than `above` tokens."""

    above: int
    fresh: Fraction
    output: Fraction
    read: Fraction | None
    writes: Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class Card:
    """Compiled prices of one model at one date; implements `PriceCard`."""

    model: str
    provider: str
    effective: str
    checked: str
    source: str
    tiers: tuple[Tier, ...]
    windows: tuple[tuple[int, int, tuple[Tier, ...]], ...] = ()
    """(from, to) seconds of the UTC day with other tiers."""
    storage: Fraction = Fraction(0)
    """Pico-dollars a token-second."""
    notes: tuple[str, ...] = field(default=())

    def tier(self, prompt_tokens: int, at: float) -> Tier:
        """The rates of a request of that size that starts at `at`."""
        tiers = self.tiers
        if self.windows:
            second = at % 86_400
            for start, end, others in self.windows:
                if start <= second < end:
                    tiers = others
        for tier in reversed(tiers):
            if prompt_tokens > tier.above:
                return tier
        return tiers[0]

    def cost(self, use: TokenUse, at: float) -> Cost:
        """Cost of a call by class, each rounded half-even once.

        Raises:
            PriceError: the card has no rate for a class that was used.
        """
        tier = self.tier(use.input, at)
        read = self._rate(tier.read, use.read, "cache read")
        write = Fraction(0)
        for ttl, tokens in use.writes.items():
            write += tokens * self._rate(tier.writes.get(ttl), tokens, f"cache write ({ttl})")
        return Cost(
            round_half_even(read * use.read),
            round_half_even(write),
            round_half_even(tier.fresh * use.fresh),
            round_half_even(tier.output * use.output),
            round_half_even(self.storage * use.storage),
        )

    def _rate(self, rate: Fraction | None, tokens: int, what: str) -> Fraction:
        if rate is not None:
            return rate
        if not tokens:
            return Fraction(0)
        raise PriceError(
            f"the price card of {self.provider}/{self.model} has no {what} price",
            rule=f"source: {self.source}",
            remedy="give it under `prices:` in the scenario",
        )


def find_card(model: str, *, as_of: datetime, provider: str | None = None, prices: Mapping[str, Any] = {}) -> Card:
    """The card of a model at a date.

    Args:
        model: model name, also as `vendor/name` or with a `:free` suffix.
        as_of: date whose prices apply.
        provider: provider id, guessed from the model when None.
        prices: the scenario's own prices, dollars per million tokens: `input`, `output`, `cache_read`,
            `cache_write_5m`, `cache_write_1h`.

    Raises:
        PriceError: unknown model, or a price that is no price.
    """
    if prices:
        return _own_card(model, provider or "scenario", as_of, prices)
    from genai_prices.data import providers

    owner, entry = _lookup(model, provider, providers)
    current = entry.get_prices(as_of.astimezone(UTC))
    return Card(
        model=entry.id,
        provider=owner,
        effective=_effective(entry, as_of),
        checked=CHECKED,
        source=f"genai-prices {_version()}",
        tiers=_tiers(current),
        windows=_windows(entry),
    )


def _version() -> str:
    from importlib.metadata import version

    return version("genai-prices")


def _lookup(model: str, provider: str | None, providers: Any) -> tuple[str, Any]:
    name = model.strip()
    wanted = [name]
    if "/" in name:
        wanted.append(name.split("/", 1)[1])
    preferred = [provider] if provider else _preferred(name)
    ordered = sorted(providers, key=lambda p: preferred.index(p.id) if p.id in preferred else len(preferred))
    for candidate in wanted:
        for owner in ordered:
            if provider and owner.id != provider:
                continue
            found = owner.find_model(candidate)
            if found is not None:
                return str(owner.id), found
    known = sorted({m.id for p in providers for m in p.models})
    near = difflib.get_close_matches(name.split("/")[-1], known, n=3, cutoff=0.5)
    raise PriceError(
        f"no price is known for model {model!r}",
        remedy=f"did you mean {', '.join(near)}?" if near else "give its prices under `prices:` in the scenario",
    )


_VENDORS = (
    ("claude", ["anthropic"]),
    ("gpt", ["openai"]),
    ("o1", ["openai"]),
    ("o3", ["openai"]),
    ("o4", ["openai"]),
    ("deepseek", ["deepseek"]),
    ("gemini", ["google"]),
    ("grok", ["x-ai"]),
    ("mistral", ["mistral"]),
    ("kimi", ["moonshotai"]),
)


def _preferred(name: str) -> list[str]:
    short = name.split("/")[-1]
    for start, owners in _VENDORS:
        if short.startswith(start):
            return owners
    return ["openrouter"]


def _pico(value: Decimal) -> Fraction:
    return Fraction(value) * _PER_TOKEN


def _at(value: Any, above: int) -> Fraction | None:
    """A field's rate for prompts above a size; plain or tiered."""
    if value is None:
        return None
    if isinstance(value, Decimal | int):
        return _pico(Decimal(value))
    price = value.base
    for tier in value.tiers:
        if above >= tier.start:
            price = tier.price
    return _pico(price)


def _tiers(price: Any) -> tuple[Tier, ...]:
    names = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")
    fields = {name: getattr(price, name, None) for name in names}
    edges = {0}
    for value in fields.values():
        edges |= {tier.start for tier in getattr(value, "tiers", ())}
    tiers = []
    for above in sorted(edges):
        fresh = _at(fields["input_mtok"], above)
        writes = {"5m": _at(fields["cache_write_mtok"], above), "1h": _at(fields["cache_write_1h_mtok"], above)}
        tiers.append(
            Tier(
                above=above,
                fresh=fresh or Fraction(0),
                output=_at(fields["output_mtok"], above) or Fraction(0),
                read=_at(fields["cache_read_mtok"], above),
                writes={k: v for k, v in writes.items() if v is not None},
            )
        )
    return tuple(tiers)


def _windows(entry: Any) -> tuple[tuple[int, int, tuple[Tier, ...]], ...]:
    found = []
    for item in entry.prices if isinstance(entry.prices, list) else ():
        start, end = getattr(item.constraint, "start_time", None), getattr(item.constraint, "end_time", None)
        if start is not None and end is not None:
            found.append((_second(start), _second(end), _tiers(item.prices)))
    return tuple(found)


def _second(time: Any) -> int:
    return int(time.hour * 3_600 + time.minute * 60 + time.second)


def _effective(entry: Any, as_of: datetime) -> str:
    best = ""
    for item in entry.prices if isinstance(entry.prices, list) else ():
        day = getattr(item.constraint, "start_date", None)
        if day is not None and day <= as_of.date():
            best = max(best, day.isoformat())
    return best or "undated"


_OWN = {"input", "output", "cache_read", "cache_write_5m", "cache_write_1h"}


def _own_card(model: str, provider: str, as_of: datetime, prices: Mapping[str, Any]) -> Card:
    for key, value in prices.items():
        if key not in _OWN:
            near = difflib.get_close_matches(key, _OWN, n=1)
            raise PriceError(
                f"unknown price {key!r} for {model}",
                remedy=f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(_OWN))}",
            )
        if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal) or Decimal(str(value)) < 0:
            raise PriceError(
                f"price {key} of {model} is {value!r}", remedy="give dollars per million tokens, 0 or more"
            )
    for key in ("input", "output"):
        if key not in prices:
            raise PriceError(f"prices of {model} lack {key!r}", remedy=f"add `{key}`, dollars per million tokens")
    rate = {key: _pico(Decimal(str(value))) for key, value in prices.items()}
    writes = {ttl: rate[f"cache_write_{ttl}"] for ttl in ("5m", "1h") if f"cache_write_{ttl}" in rate}
    tier = Tier(0, rate["input"], rate["output"], rate.get("cache_read"), writes)
    day = as_of.date().isoformat()
    return Card(model, provider, day, day, "the scenario's own prices", (tier,))
