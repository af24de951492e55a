"""A model as its provider serves it: cache family and rules, marker layout, prices, context window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from sim.engine import Rates
from sim.errors import InputError
from sim.history import Prompt
from sim.provider.cache import BreakpointCache, BreakpointRules, IntervalCache, IntervalRules, NoCache
from sim.provider.placement import hermes_layout
from sim.provider.pricing import Card, find_card
from sim.provider.seam import Mark, PromptCache
from sim.units import parse_seconds

Rules = BreakpointRules | IntervalRules | None


@dataclass(frozen=True, slots=True)
class Profile:
    """What the world needs of a model's provider."""

    provider: str
    model: str
    window: int | None
    card: Card
    family: str
    rules: Rules

    def open_cache(self) -> PromptCache:
        """A fresh cache of one scope."""
        if isinstance(self.rules, BreakpointRules):
            return BreakpointCache(self.rules)
        if isinstance(self.rules, IntervalRules):
            return IntervalCache(self.rules)
        return NoCache()

    def place(self, prompt: Prompt, *, engine_version: str, cache_ttl: str) -> list[Mark]:
        """Markers of a request, as Hermes sets them on routes that take any."""
        if self.family != "breakpoint" or cache_ttl in {"off", "none", "false"}:
            return []
        return hermes_layout(prompt, engine_version=engine_version, ttl=cache_ttl)

    def rates(self, at: float) -> Rates:
        """Rates of a small request, integer pico-dollars a token."""
        tier = self.card.tier(0, at)
        write = tier.writes.get("5m", tier.fresh)
        read = tier.read if tier.read is not None else tier.fresh
        return Rates(round(tier.fresh), round(read), round(write), round(tier.output))


@cache
def _table() -> list[dict[str, Any]]:
    import yaml

    loaded: list[dict[str, Any]] = yaml.safe_load((files("sim.provider") / "profiles.yaml").read_text("utf-8"))
    return loaded


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
        as_of: date whose prices and rules apply.
        provider: provider id; guessed from the model when None.
        cache: overrides of the cache rules (`family`, `min_tokens`, `lookback`, `step`, `ttl`, …).
        prices: prices instead of a card's.

    Raises:
        PriceError: no price is known.
        InputError: an override that the family does not have.
    """
    card = find_card(model, as_of=as_of, provider=provider, prices=prices)
    family, rules = _rules(card, model)
    if cache:
        family, rules = _override(family, rules, cache)
    return Profile(card.provider, card.model, _window(model, card), card, family, rules)


def _rules(card: Card, model: str) -> tuple[str, Rules]:
    short = model.split("/")[-1]
    for entry in _table():
        if entry["provider"] == card.provider and any(short.startswith(m) for m in entry["models"]):
            given = entry.get("rules", {})
            if entry["family"] == "breakpoint":
                return "breakpoint", BreakpointRules(**given)
            if entry["family"] == "interval":
                return "interval", IntervalRules(**given)
            return "none", None
    return "none", None


def _override(family: str, rules: Rules, cache: Mapping[str, Any]) -> tuple[str, Rules]:
    changes = dict(cache)
    chosen = changes.pop("family", family)
    if chosen != family:
        kinds: dict[str, Rules] = {"breakpoint": BreakpointRules(), "interval": IntervalRules(), "none": None}
        if chosen not in kinds:
            raise InputError(f"unknown cache family {chosen!r}", remedy=f"there are {', '.join(kinds)}")
        family, rules = str(chosen), kinds[str(chosen)]
    if "ttl" in changes:
        changes["ttl"] = parse_seconds(changes["ttl"])
    if rules is None:
        if changes:
            raise InputError(f"cache family none takes no {', '.join(changes)}", remedy="remove it")
        return family, rules
    known = set(type(rules).__dataclass_fields__)
    for key in changes:
        if key not in known:
            raise InputError(
                f"provider_cache has no {key!r} for family {family}", remedy=f"there are {', '.join(sorted(known))}"
            )
    return family, replace(rules, **changes)


def _window(model: str, card: Card) -> int | None:
    from genai_prices.data import providers

    for owner in providers:
        if owner.id == card.provider:
            found = owner.find_model(card.model)
            if found is not None and found.context_window:
                return int(found.context_window)
    return None
