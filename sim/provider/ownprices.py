"""Prices that a person gives: under `prices:` in a scenario, or as a card file of their own."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

from sim.errors import PriceError, Where
from sim.provider.clock import iso_day
from sim.provider.modifiers import FEE, VALUES
from sim.provider.rates import Span, Tier
from sim.units import PICO

PRICE_KEYS = (
    "input",
    "output",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
    "cache_write_30m",
    "cache_write_12h",
    "cache_write_object",
    "storage_per_mtok_hour",
)
"""Dollars per million tokens (storage: and hour)."""
MAX_PRICE = 10_000
"""Dollars per million tokens; the dearest model there has been cost 600."""
HOSTED_KEYS = ("gpu_hour", "gpus", "prefill_tokens_per_s", "decode_tokens_per_s")
"""A model of one's own: dollars a GPU-hour, number of GPUs, tokens a second computed while reading and writing."""
CARD_KEY = "card"
_FILE_KEYS = ("model", "provider", "window", "source", "effective", "checked", "prices", "self_hosted")


def price_keys() -> list[str]:
    """Every key a `prices:` block may have."""
    return [*PRICE_KEYS, *HOSTED_KEYS, *VALUES, FEE, CARD_KEY]


def check_keys(prices: Mapping[str, Any], known: list[str], what: str, where: Where | None = None) -> None:
    """Refuse misspelt keys.

    Raises:
        PriceError: an unknown key, with the nearest right one.
    """
    for key in prices:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            raise PriceError(
                f"unknown key {key!r} in {what}",
                where=where,
                remedy=f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}",
            )


def rates_of(model: str, prices: Mapping[str, Any], where: Where | None = None) -> dict[str, Fraction]:
    """Pico-dollars a token by price key.

    Raises:
        PriceError: a price that is no number of dollars, or below 0.
    """
    rates = {key: _number(model, key, prices[key], where) * 10**6 for key in PRICE_KEYS if key in prices}
    for key, rate in rates.items():
        if rate > MAX_PRICE * 10**6:
            raise PriceError(
                f"price {key} of {model} is more than {MAX_PRICE:,} dollars",
                where=where,
                remedy="give dollars per million tokens, such as 2.50",
            )
    return rates


def _number(model: str, key: str, value: Any, where: Where | None) -> Fraction:
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
            raise InvalidOperation
        number = Decimal(str(value))
        if not number.is_finite():
            raise InvalidOperation
    except InvalidOperation:
        number = Decimal(-1)
    if number < 0:
        raise PriceError(
            f"price {key} of {model} is {value!r}",
            where=where,
            rule="prices are dollars, 0 or more",
            remedy="give dollars per million tokens, such as 2.50",
        )
    return Fraction(number)


def check_alone(model: str, prices: Mapping[str, Any], chosen: Mapping[str, str]) -> None:
    """Refuse what a card file, GPU figures or prices of one's own would leave without effect.

    Raises:
        PriceError: a key that would change nothing.
    """
    hosted = [key for key in HOSTED_KEYS if key in prices]
    if CARD_KEY in prices:
        kind, idle = "a card file", [key for key in (*PRICE_KEYS, *HOSTED_KEYS) if key in prices]
    elif hosted:
        kind, idle = "GPU figures", [key for key in PRICE_KEYS if key in prices]
    else:
        kind, idle = "prices of one's own", []
    idle += list(chosen)
    if idle:
        raise PriceError(
            f"{', '.join(idle)} would change nothing beside {kind} for {model}",
            rule="a price that is given is never passed over",
            remedy=f"remove {', '.join(idle)}, or write the prices that result from it",
        )


def card_day(data: Mapping[str, Any], key: str, default: str, path: str) -> str:
    """The ISO day of a card's `effective` or `checked`.

    Raises:
        PriceError: not a date.
    """
    if key not in data:
        return default
    try:
        return iso_day(data[key])
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise PriceError(
            f"`{key}` of the price card is {data[key]!r}", where=Where(path), remedy="write a date such as 2026-12-01"
        ) from None


def own_tier(model: str, prices: Mapping[str, Any], where: Where | None = None) -> tuple[Tier, Fraction]:
    """One tier and the storage rate of a whole card that a person gives.

    Raises:
        PriceError: an essential price is missing or malformed.
    """
    if any(key in prices for key in HOSTED_KEYS):
        return hosted_tier(model, prices, where), Fraction(0)
    rates = rates_of(model, prices, where)
    for key in ("input", "output"):
        if key not in rates:
            raise PriceError(
                f"prices of {model} lack {key!r}", where=where, remedy=f"add `{key}`, dollars per million tokens"
            )
    writes = {k.removeprefix("cache_write_"): v for k, v in rates.items() if k.startswith("cache_write_")}
    storage = rates.get("storage_per_mtok_hour", Fraction(0)) / 3_600
    return Tier(0, rates["input"], rates["output"], rates.get("cache_read"), writes), storage


def hosted_tier(model: str, prices: Mapping[str, Any], where: Where | None = None) -> Tier:
    """Token rates of a self-hosted model: GPU time of the tokens that are really computed; reads cost nothing.

    Raises:
        PriceError: a figure is missing or not above 0.
    """
    values = {}
    for key in HOSTED_KEYS:
        value = prices.get(key, 1 if key == "gpus" else None)
        if value is None:
            raise PriceError(f"self-hosted {model} lacks {key!r}", where=where, remedy=f"add `{key}`")
        number = _number(model, key, value, where)
        if number == 0:
            raise PriceError(f"{key} of {model} is 0", where=where, remedy="give a number above 0")
        values[key] = number
    a_second = values["gpu_hour"] * values["gpus"] * PICO / 3_600
    fresh = a_second / values["prefill_tokens_per_s"]
    return Tier(0, fresh, a_second / values["decode_tokens_per_s"], Fraction(0), {})


def patched(tier: Tier, rates: Mapping[str, Fraction]) -> Tier:
    """A listed tier with single prices replaced; in larger tiers the same replacement holds."""
    writes = {k.removeprefix("cache_write_"): v for k, v in rates.items() if k.startswith("cache_write_")}
    return Tier(
        tier.above,
        rates.get("input", tier.fresh),
        rates.get("output", tier.output),
        rates.get("cache_read", tier.read),
        {**tier.writes, **writes},
    )


def patched_span(span: Span, rates: Mapping[str, Fraction]) -> Span:
    """A listed span with single prices replaced."""
    from dataclasses import replace

    windows = tuple(replace(w, tiers=tuple(patched(t, rates) for t in w.tiers)) for w in span.windows)
    storage = rates["storage_per_mtok_hour"] / 3_600 if "storage_per_mtok_hour" in rates else span.storage
    tiers = tuple(patched(t, rates) for t in span.tiers)
    return replace(
        span, tiers=tiers, windows=windows, storage=storage, source=f"{span.source}, changed by the scenario"
    )


def read_card_file(path: str) -> Mapping[str, Any]:
    """A person's own card file.

    Raises:
        PriceError: the file is missing, is no YAML mapping, or has unknown or missing keys.
    """
    import yaml

    where = Where(path)
    try:
        data = yaml.safe_load(Path(path).expanduser().read_text("utf-8"))
    except OSError as error:
        raise PriceError(
            f"cannot read the price card: {error.strerror}", where=where, remedy="check `prices.card`"
        ) from None
    except (RecursionError, ValueError) as error:
        said = "too deeply nested" if isinstance(error, RecursionError) else "not readable text"
        raise PriceError(f"the price card is {said}", where=where, remedy="use a UTF-8 text file") from None
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", -1) + 1
        raise PriceError("the price card is not valid YAML", where=Where(path, line), remedy="mend the file") from None
    if not isinstance(data, dict):
        raise PriceError("the price card is empty or not a mapping", where=where, remedy="give `model:` and `prices:`")
    check_keys(data, list(_FILE_KEYS), "a price card", where)
    if ("prices" in data) == ("self_hosted" in data):
        raise PriceError(
            "a price card has either `prices:` or `self_hosted:`", where=where, remedy="give exactly one of the two"
        )
    inner = data.get("prices", data.get("self_hosted"))
    if not isinstance(inner, dict):
        raise PriceError("the prices of the card are not a mapping", where=where, remedy="give `input:`, `output:`, …")
    check_keys(inner, list(PRICE_KEYS if "prices" in data else HOSTED_KEYS), "the prices of a card", where)
    return data
