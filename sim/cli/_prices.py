"""Rows of `prices`: cards as plain data, dollars per million tokens as exact decimal strings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sim.provider import Profile, profile
from sim.provider.pricing import Tier
from sim.units import format_tokens, parse_seconds

VENDORS = ("anthropic", "deepseek", "openai", "google", "moonshotai", "x-ai")
"""Providers whose own models are listed when none is named; others are found by name."""


def card_row(model: str, as_of: datetime) -> dict[str, Any]:
    """The card of one model.

    Raises:
        PriceError: no price is known; the message names near ones.
    """
    return _row(profile(model, as_of=as_of))


def listed(as_of: datetime) -> list[dict[str, Any]]:
    """The cards of the vendors' own current chat models, by vendor and name."""
    from genai_prices.data import providers

    from sim.errors import InputError

    rows = []
    for owner in sorted((p for p in providers if p.id in VENDORS), key=lambda p: VENDORS.index(p.id)):
        for entry in sorted(owner.models, key=lambda m: str(m.id)):
            if entry.deprecated or not entry.context_window:
                continue
            try:
                rows.append(_row(profile(entry.id, as_of=as_of, provider=owner.id)))
            except InputError:
                continue
    return rows


def _row(found: Profile) -> dict[str, Any]:
    card = found.card
    return {
        "model": card.model,
        "provider": card.provider,
        "window": found.window,
        "effective": card.effective,
        "checked": card.checked,
        "source": card.source,
        "confidence": card.confidence,
        "cache": found.family,
        "tiers": [_tier(tier) for tier in card.tiers],
        "time_windows": [
            {"from_s": w.start, "to_s": w.end, "weekdays": sorted(w.weekdays), "tiers": [_tier(t) for t in w.tiers]}
            for w in card.windows
        ],
        "changes": [span.day for span in card.spans if span.since > card.as_of],
        "notes": list(card.notes),
    }


def _tier(tier: Tier) -> dict[str, Any]:
    return {
        "above_tokens": tier.above,
        "input_usd": per_million(tier.fresh),
        "cache_read_usd": per_million(tier.read),
        **{f"cache_write_{ttl}_usd": per_million(rate) for ttl, rate in sorted(tier.writes.items())},
        "output_usd": per_million(tier.output),
    }


def per_million(rate: Fraction | None) -> str | None:
    """Dollars per million tokens of a rate in pico-dollars a token, exact; None when there is no such price."""
    if rate is None:
        return None
    value = Decimal(rate.numerator) / Decimal(rate.denominator) / 1_000_000
    text = f"{value:f}".rstrip("0") if "." in f"{value:f}" else f"{value:f}"
    whole, _, cents = text.partition(".")
    return f"{whole}.{cents.ljust(2, '0')}"


def table_rows(cards: list[dict[str, Any]]) -> list[Mapping[str, Any]]:
    """One row for each tier of each card; rates with at most four decimals."""
    rows: list[Mapping[str, Any]] = []
    for card in cards:
        for tier in card["tiers"]:
            first = tier["above_tokens"] == 0
            writes = {
                key.removeprefix("cache_write_").removesuffix("_usd"): value
                for key, value in tier.items()
                if key.startswith("cache_write_")
            }
            rows.append(
                {
                    "model": card["model"] if first else f"  above {tier['above_tokens']:,} tokens",
                    "provider": card["provider"] if first else "",
                    "window": format_tokens(card["window"]) if first and card["window"] else "",
                    "effective": card["effective"] if first else "",
                    "input": _short(tier["input_usd"]),
                    "read": _short(tier["cache_read_usd"]),
                    "writes": "\n".join(f"{ttl} {_short(writes[ttl])}" for ttl in sorted(writes, key=_length)),
                    "output": _short(tier["output_usd"]),
                }
            )
    return rows


def _short(value: str | None) -> str:
    if value is None:
        return ""
    whole, _, part = f"{Decimal(value):.4f}".partition(".")
    return f"{whole}.{part.rstrip('0').ljust(2, '0')}"


def _length(name: str) -> tuple[float, str]:
    """TTL classes by their length; named ones (`object`) after them."""
    try:
        return parse_seconds(name), name
    except ValueError:
        return float("inf"), name
