"""A model as its provider serves it: cache family and rules, marker layout, prices, context window."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from sim.engine import Rates
from sim.errors import PriceError, Where
from sim.history import Prompt
from sim.provider import owncards, ownprices, placement
from sim.provider.cache import (
    BlockCache,
    BlockRules,
    BreakpointCache,
    BreakpointRules,
    IntervalCache,
    IntervalRules,
    NoCache,
    ObjectCache,
    ObjectRules,
    UnitCache,
    UnitRules,
)
from sim.provider.pricing import Card, find_card
from sim.provider.rates import Tier
from sim.provider.rules import FAMILIES, Rules, overridden, rules_of
from sim.provider.seam import Mark, PromptCache
from sim.units import parse_tokens

_OFF = {"off", "none", "false", "no", "disabled"}


@dataclass(frozen=True, slots=True)
class Profile:
    """What the world needs of a model's provider.

    Attributes:
        window: context window in tokens, None when unknown.
        family: `breakpoint`, `interval`, `unit`, `block`, `object` or `none`.
        rules: parameters of the family, None for `none`.
        layout: who places markers: `hermes`, `automatic`, `prefix`, `own` or `none`.
        markers: the user's own list for `own`.
        ttl_class: class of markers that the client does not choose.
        source, confidence: where the cache rules come from.
        notes: what a reader of results should know.
    """

    provider: str
    model: str
    window: int | None
    card: Card
    family: str
    rules: Rules
    layout: str = "none"
    markers: tuple[str, ...] = ()
    ttl_class: str = "5m"
    source: str = ""
    confidence: str = ""
    notes: tuple[str, ...] = ()

    def open_cache(self) -> PromptCache:
        """A fresh cache of one scope."""
        rules = self.rules
        if isinstance(rules, BreakpointRules):
            return BreakpointCache(rules)
        if isinstance(rules, IntervalRules):
            return IntervalCache(rules)
        if isinstance(rules, UnitRules):
            return UnitCache(rules)
        if isinstance(rules, BlockRules):
            return BlockCache(rules)
        if isinstance(rules, ObjectRules):
            return ObjectCache(rules)
        return NoCache()

    def place(self, prompt: Prompt, *, engine_version: str, cache_ttl: str) -> list[Mark]:
        """Markers of a request.

        Args:
            engine_version: Hermes version whose layout applies.
            cache_ttl: Hermes's `prompt_caching.cache_ttl`; `off` removes the client's markers, and a class that the
                route does not sell becomes its shortest, as Hermes itself clamps it.
        """
        if not isinstance(self.rules, BreakpointRules | ObjectRules):
            return []
        ttls = self.rules.ttls
        ttl = cache_ttl if cache_ttl in ttls else self.ttl_class
        if self.layout == "automatic":
            eligible = isinstance(self.rules, BreakpointRules) and self.rules.positions == "eligible"
            return placement.automatic_layout(prompt, ttl=ttl, eligible=eligible)
        if self.layout == "prefix":
            return placement.prefix_layout(prompt, ttl=ttl)
        if self.layout == "none" or cache_ttl in _OFF:
            return []
        if self.layout == "own":
            return placement.own_layout(prompt, self.markers, ttl=ttl, ttls=ttls)
        native = self.provider == "anthropic"
        return placement.hermes_layout(prompt, engine_version=engine_version, ttl=ttl, native=native)

    def rates(self, at: float) -> Rates:
        """Rates of a small request at a moment (seconds since the epoch), integer pico-dollars a token."""
        tier = self.card.tier(0, at)
        write = tier.writes.get(self.ttl_class, tier.fresh)
        read = tier.read if tier.read is not None else tier.fresh
        return Rates(round(tier.fresh), round(read), round(write), round(tier.output))

    def read_rate_pico(self, at: float) -> int:
        """Pico-dollars a cached token costs at a moment."""
        return self.rates(at).read


@cache
def _table() -> tuple[Mapping[str, Any], ...]:
    import yaml

    loaded = yaml.safe_load((files("sim.provider") / "profiles.yaml").read_text("utf-8"))
    return tuple(loaded["profiles"])


def profile(
    model: str,
    *,
    as_of: datetime,
    provider: str | None = None,
    cache: Mapping[str, Any] = {},
    prices: Mapping[str, Any] = {},
) -> Profile:
    """The profile of a model.

    Args:
        model: model name.
        as_of: date whose prices apply.
        provider: provider id; guessed from the model when None.
        cache: the scenario's `provider_cache:` block: `family`, `layout`, `markers`, `ttl_class`, and the parameters of
            the family (`min_tokens`, `lookback`, `step`, `ttl`, `ttls`, `block`, `capacity_tokens`, `p_hit`, …).
        prices: the scenario's `prices:` block (see `find_card`).

    Raises:
        PriceError: no price is known, or one is malformed.
        InputError: an override that the family does not have.
    """
    card = find_card(model, as_of=as_of, provider=provider, prices=prices)
    entry = _entry(card.provider, card.model if card.provider not in {"scenario", "own"} else model)
    family = str(entry.get("family", "none"))
    hosted = card.provider == "self-hosted" or any(key in prices for key in ownprices.HOSTED_KEYS)
    if hosted:
        family = "block"
    layout = str(entry.get("layout", "none"))
    notes = list(card.notes)
    rules = rules_of(family, {} if hosted else entry.get("rules", {}))
    if family not in {"none", "block"} and card.tiers[0].read is None and not prices:
        # The package lists no cached price: the provider sells none for this model.
        family, rules, layout = "none", None, "none"
        notes.append("the price list has no cached price: nothing is read from a cache")
    chosen = overridden(family, rules, layout, cache)
    if "read_times_input" in entry and chosen.family == family and "cache_read" not in prices:
        card = _with_read(card, Fraction(str(entry["read_times_input"])))
    return Profile(
        provider=card.provider,
        model=card.model,
        window=_window(card, prices),
        card=card,
        family=chosen.family,
        rules=chosen.rules,
        layout=chosen.layout,
        markers=chosen.markers,
        ttl_class=chosen.ttl_class,
        source=str(entry.get("source", "")),
        confidence=str(entry.get("confidence", "")),
        notes=tuple(notes),
    )


def _entry(provider: str, model: str) -> Mapping[str, Any]:
    name = model.split("/")[-1].lower()
    known = provider in {"scenario", "own"}
    for entry in _table():
        places = entry.get("providers")
        if re.search(entry["match"], name) and (places is None or known or provider in places):
            return entry
    return {}


def _with_read(card: Card, share: Fraction) -> Card:
    """The card with the explicit cache's read price, a share of input (lists give the implicit one)."""

    def changed(tier: Tier) -> Tier:
        return Tier(tier.above, tier.fresh, tier.output, tier.fresh * share, tier.writes)

    return replace(card, spans=tuple(replace(s, tiers=tuple(changed(t) for t in s.tiers)) for s in card.spans))


def _window(card: Card, prices: Mapping[str, Any]) -> int | None:
    if ownprices.CARD_KEY in prices:
        path = str(prices[ownprices.CARD_KEY])
        written = ownprices.read_card_file(path).get("window")
        try:
            return None if written is None else parse_tokens(written)
        except ValueError as error:
            raise PriceError(f"`window`: {error}", where=Where(path), remedy="write it in tokens, as 200K") from None
    own = owncards.own_card(card.provider, card.model)
    if own is not None:
        return int(own["window"])
    from genai_prices.data import providers

    name = card.model.removesuffix(":free")
    for owner in providers:
        if owner.id == card.provider or card.provider == "scenario":
            found = owner.find_model(card.model) or owner.find_model(name)
            if found is not None and found.context_window:
                return int(found.context_window)
    return None


__all__ = ["FAMILIES", "Profile", "profile"]
