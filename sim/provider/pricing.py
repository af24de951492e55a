"""Price cards: dated list prices compiled once for each model and date.

Prices come from the genai-prices package, our own cards and additions (`cards/*.yaml`) where it lacks or errs, a card
file of the user, or the scenario. An unknown price is an error, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from sim.errors import PriceError, Where
from sim.provider import lookup, modifiers, owncards, ownprices
from sim.provider.listed import CHECKED, listed_spans
from sim.provider.rates import Card, FreeTier, Span, Tier, Window

__all__ = ["CHECKED", "Card", "FreeTier", "Span", "Tier", "Window", "find_card", "stale_days"]

FREE_PER_MINUTE = 20
FREE_PER_DAY = 50
FREE_PER_DAY_PAID = 1_000
"""OpenRouter `:free` models: requests a minute; a day; a day once 10 credits were ever bought (verified 2026-10-17)."""
STALE_AFTER_DAYS = 30


def find_card(model: str, *, as_of: datetime, provider: str | None = None, prices: Mapping[str, Any] = {}) -> Card:
    """The card of a model at a date.

    Args:
        model: model name, also as `vendor/name` or with a `:free` suffix.
        as_of: date whose prices apply.
        provider: provider id, guessed from the model when None.
        prices: the scenario's `prices:` block: whole or single prices in dollars per million tokens, a self-hosted
            model's GPU figures, a card file (`card: PATH`), modifiers (`processing: batch`, `speed: fast`,
            `inference_geo: us`, `service_tier`, `region`) or a purchase `fee`.

    Raises:
        PriceError: unknown model, a date before the first sale, or a price that is no price.
    """
    ownprices.check_keys(prices, ownprices.price_keys(), f"the prices of {model}")
    chosen = modifiers.chosen_modifiers(prices)
    if ownprices.CARD_KEY in prices:
        ownprices.check_alone(model, prices, chosen)
        card = _file_card(model, as_of, str(prices[ownprices.CARD_KEY]))
        fee = modifiers.fee_factor(prices)
        return replace(card, spans=tuple(s.scaled(fee) for s in card.spans)) if fee != 1 else card
    if any(key in prices for key in ownprices.HOSTED_KEYS) or {"input", "output"} <= prices.keys():
        return _own_card(model, provider, as_of, prices)
    try:
        card = _known_card(model, provider, as_of, chosen)
    except PriceError:
        if any(key in prices for key in ownprices.PRICE_KEYS):
            return _own_card(model, provider, as_of, prices)  # says what else the card needs
        raise
    rates = ownprices.rates_of(model, prices)
    if rates:
        card = replace(card, spans=tuple(ownprices.patched_span(s, rates) for s in card.spans))
    fee = modifiers.fee_factor(prices)
    if fee != 1:
        card = replace(card, spans=tuple(s.scaled(fee) for s in card.spans), modifiers=(*card.modifiers, "fee"))
    return card


def stale_days(card: Card, today: datetime) -> int | None:
    """Age in days of a card last checked more than 30 days before `today`, else None."""
    age = (today.date() - datetime.fromisoformat(card.checked).date()).days
    return age if age > STALE_AFTER_DAYS else None


def _known_card(model: str, provider: str | None, as_of: datetime, chosen: Mapping[str, str]) -> Card:
    if model.strip().lower().endswith(lookup.FREE):
        return _free_card(model.strip(), provider, as_of)
    owner, name, entry = lookup.find_entry(model, provider)
    own = owncards.own_card(owner, name)
    checked, factor = CHECKED, Fraction(1)
    yuan: tuple[Span, ...] = ()
    if own is not None:
        spans, checked, yuan = owncards.own_spans(own), str(own["checked"]), owncards.own_spans(own, "cny")
        name = str(own["model"])
        answered: set[str] = set()
    else:
        answered = {key for key, value in chosen.items() if listed_spans(owner, entry, {key: value})[1]}
        spans, _ = listed_spans(owner, entry, {key: chosen[key] for key in sorted(answered)})
    spans, notes = owncards.added(owner, name, spans)
    for key, value in chosen.items():
        if key not in answered:
            factor *= modifiers.factor(owner, name, key, value)
    if factor != 1:
        spans = tuple(s.scaled(factor) for s in spans)
        yuan = tuple(s.scaled(factor) for s in yuan)
    moment = as_of.astimezone(UTC).timestamp()
    spans = _launched(owner, name, spans, moment)
    return Card(name, owner, spans, moment, checked, notes, "USD", yuan, tuple(sorted(chosen.values())))


def _launched(owner: str, name: str, spans: tuple[Span, ...], moment: float) -> tuple[Span, ...]:
    """Spans with the first sale as their first date.

    Raises:
        PriceError: the date lies before it.
    """
    from sim.provider.clock import seconds

    launch = owncards.launch_day(name)
    first = spans[0]
    if launch is not None and first.since == float("-inf"):
        first = replace(first, since=seconds(launch), day=launch)
    if moment < first.since:
        day = datetime.fromtimestamp(moment, tz=UTC).date().isoformat()
        raise PriceError(
            f"{owner}/{name} has no price on {day}: its first card is of {first.day}",
            rule=f"field effective, source: {first.source}",
            remedy="choose a later `as_of`, another model, or give its prices under `prices:`",
        )
    return (first, *spans[1:])


def _free_card(model: str, provider: str | None, as_of: datetime) -> Card:
    """A model that costs nothing within OpenRouter's request limits, with its priced twin named."""
    owner = provider or "openrouter"
    base = model[: -len(lookup.FREE)]
    try:
        twin = _known_card(base, owner, as_of, {})
        fallback = f"{twin.provider}/{twin.model}"
    except PriceError:
        # The twin may have gone; a free entry of the package is still a known free model.
        _, found, entry = lookup.find_entry(model, owner)
        if entry is None or not found.endswith(lookup.FREE):
            raise
        fallback = ""
    moment = as_of.astimezone(UTC).timestamp()
    zero = Fraction(0)
    tier = Tier(0, zero, zero, zero, {"5m": zero, "1h": zero, "30m": zero})
    span = Span(float("-inf"), "undated", (tier,), (), zero, "openrouter.ai, `:free` models", "H")
    limits = f"{FREE_PER_MINUTE} requests a minute, {FREE_PER_DAY} a day ({FREE_PER_DAY_PAID} with 10 credits bought)"
    note = f"free within {limits}; beyond: {fallback or 'no priced twin is listed'}"
    free = FreeTier(FREE_PER_MINUTE, FREE_PER_DAY, fallback)
    return Card(model, owner, (span,), moment, CHECKED, (note,), free=free)


def _own_card(model: str, provider: str | None, as_of: datetime, prices: Mapping[str, Any]) -> Card:
    ownprices.check_alone(model, prices, modifiers.chosen_modifiers(prices))
    tier, storage = ownprices.own_tier(model, prices)
    fee = modifiers.fee_factor(prices)
    day = as_of.date().isoformat()
    span = Span(float("-inf"), day, (tier,), (), storage, "the scenario's own prices", "")
    return Card(model, provider or "scenario", (span.scaled(fee),), as_of.timestamp(), day)


def _file_card(model: str, as_of: datetime, path: str) -> Card:
    data = ownprices.read_card_file(path)
    inner = data.get("prices", data.get("self_hosted"))
    tier, storage = ownprices.own_tier(model, inner, Where(path))
    today = as_of.date().isoformat()
    day = ownprices.card_day(data, "effective", today, path)
    if day > today:
        raise PriceError(
            f"the price card has no price on {today}: it is effective from {day}",
            where=Where(path),
            remedy="choose a later `as_of`, or give the card an earlier `effective`",
        )
    source = str(data.get("source", f"card file {path.rsplit('/', 1)[-1]}"))
    provider = str(data.get("provider", "self-hosted" if "self_hosted" in data else "own"))
    span = Span(float("-inf"), day, (tier,), (), storage, source, "")
    return Card(
        str(data.get("model", model)),
        provider,
        (span,),
        as_of.timestamp(),
        ownprices.card_day(data, "checked", day, path),
    )
