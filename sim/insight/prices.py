"""What `prices` shows: rates of a card with their dates, sources and age, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sim.errors import InputError
from sim.provider import Profile, profile
from sim.provider.pricing import stale_days
from sim.provider.rates import Card, Tier

VENDORS = ("anthropic", "deepseek", "openai", "google", "moonshotai", "x-ai")
"""Providers whose own models are listed when none is named; others are found by name."""


def price_row(
    model: str,
    *,
    as_of: datetime,
    today: datetime | None = None,
    provider: str | None = None,
    prices: Mapping[str, Any] = {},
) -> dict[str, Any]:
    """The card of one model as JSON-safe data; money as exact decimal strings, dollars per million tokens.

    Args:
        as_of: date whose prices apply.
        today: date from which the age of the card is counted; `as_of` when None.

    Raises:
        PriceError: no price is known; the message names near ones.
    """
    found = profile(model, as_of=as_of, provider=provider, prices=prices)
    return row_of(found, today or as_of)


def listed_rows(*, as_of: datetime, today: datetime | None = None) -> list[dict[str, Any]]:
    """The cards of the vendors' own current chat models, by vendor and name."""
    from genai_prices.data import providers

    from sim.provider.owncards import own_models

    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for vendor in VENDORS:
        owner = next(p for p in providers if p.id == vendor)
        names = {str(m.id) for m in owner.models if not m.deprecated and m.context_window}
        names |= {model for provider, model in own_models() if provider == vendor}
        for name in sorted(names):
            try:
                found = profile(name, as_of=as_of, provider=vendor)
            except InputError:
                continue  # not sold on that day, or no chat model
            rows[(vendor, found.model)] = row_of(found, today or as_of)
    return list(rows.values())


def row_of(found: Profile, today: datetime) -> dict[str, Any]:
    """A profile's card and cache as plain data; `stale_days` is set when it was checked over 30 days ago."""
    card = found.card
    yuan = card.in_yuan()
    return {
        "model": card.model,
        "provider": card.provider,
        "window": found.window,
        "effective": card.effective,
        "checked": card.checked,
        "stale_days": stale_days(card, today),
        "source": card.source,
        "confidence": card.confidence,
        "cache": found.family,
        "cache_source": found.source,
        "cache_confidence": found.confidence,
        "min_tokens": getattr(found.rules, "min_tokens", None),
        "tiers": [tier_row(tier) for tier in card.tiers],
        "windows": [
            {
                "utc": f"{_hour(w.start)}-{_hour(w.end)}",
                "weekdays": sorted(w.weekdays),
                "holidays_excepted": bool(w.holidays),
                **tier_row(w.tiers[0]),
            }
            for w in card.windows
        ],
        "time_windows": len(card.windows),
        "storage_per_mtok_hour_usd": per_million(card.storage * 3_600) if card.storage else None,
        "changes": changes(card),
        "yuan": [tier_row(tier, "cny") for tier in yuan.tiers] if yuan else [],
        "free": None
        if card.free is None
        else {
            "requests_per_minute": card.free.requests_per_minute,
            "requests_per_day": card.free.requests_per_day,
            "fallback": card.free.fallback,
        },
        "notes": list(found.notes),
    }


def stale_warning(row: Mapping[str, Any]) -> str | None:
    """The warning for an old card, None when it is fresh."""
    if row["stale_days"] is None:
        return None
    return (
        f"the prices of {row['provider']}/{row['model']} were last checked on {row['checked']}, "
        f"{row['stale_days']} days ago; compare them with the provider's page or give your own under `prices:`"
    )


def changes(card: Card) -> list[dict[str, Any]]:
    """Dated spans of a card after the one in force: price changes that are already known."""
    return [
        {"from": datetime.fromtimestamp(s.since, tz=UTC).date().isoformat(), **tier_row(s.tiers[0])}
        for s in card.spans
        if s.since > card.as_of
    ]


def tier_row(tier: Tier, currency: str = "usd") -> dict[str, Any]:
    """Rates of a tier; `above_tokens` is the prompt size beyond which it holds for the whole request."""
    return {
        "above_tokens": tier.above,
        f"input_{currency}": per_million(tier.fresh),
        f"cache_read_{currency}": per_million(tier.read),
        **{f"cache_write_{ttl}_{currency}": per_million(rate) for ttl, rate in sorted(tier.writes.items())},
        f"output_{currency}": per_million(tier.output),
    }


def per_million(rate: Fraction | None) -> str | None:
    """Dollars per million tokens of a rate in pico-dollars a token, exact; None when there is no such price."""
    if rate is None:
        return None
    value = Decimal(rate.numerator) / Decimal(rate.denominator) / 1_000_000
    whole, _, cents = f"{value:f}".partition(".")
    return f"{whole}.{cents.rstrip('0').ljust(2, '0')}"


def _hour(second: int) -> str:
    return f"{second // 3_600:02}:{second % 3_600 // 60:02}"
