"""Prices of the genai-prices package, compiled; the package's own calculator is never used in a run."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sim.errors import PriceError
from sim.provider.clock import seconds
from sim.provider.rates import PER_MILLION, Span, Tier, Window

CHECKED = "2026-12-01"
"""Date of the pinned price data."""
_FIELDS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")


def pico(value: Decimal | int | float | str) -> Fraction:
    """Pico-dollars a token of dollars per million tokens, exactly as written."""
    return Fraction(Decimal(str(value))) * PER_MILLION


def package_version() -> str:
    """Version of the pinned price data."""
    from importlib.metadata import version

    return version("genai-prices")


def write_class(provider: str, model: str) -> str:
    """TTL class of the plain cache-write price: OpenAI sells 30-minute entries, all others 5-minute ones."""
    name = model.split("/")[-1]
    return "30m" if provider in {"openai", "azure"} or name.startswith(("gpt-", "o3", "o4")) else "5m"


def listed_spans(provider: str, entry: Any, context: Mapping[str, str]) -> tuple[tuple[Span, ...], bool]:
    """Dated rates of a model in the package, and whether a price variant of the package answers `context`.

    Time-of-day prices of the package hold in every span that follows their first date.

    Raises:
        PriceError: the package knows the model but not what it costs.
    """
    source = f"genai-prices {package_version()}"
    ttl = write_class(provider, entry.id)
    items = entry.prices if isinstance(entry.prices, list) else None
    dated: list[tuple[float, str, Any]] = []
    hours: list[tuple[float, Any]] = []
    if items is None:
        dated.append((float("-inf"), "undated", entry.prices))
    for item in items or ():
        rule = item.constraint
        if getattr(rule, "start_date", None) is not None:
            dated.append((seconds(rule.start_date), rule.start_date.isoformat(), item.prices))
        elif getattr(rule, "start_time", None) is not None:
            hours.append((dated[-1][0] if dated else float("-inf"), item))
        else:
            dated.append((float("-inf"), "undated", item.prices))
    hit = False
    spans = []
    for since, day, price in dated:
        variant, answered = _variant(entry, since, context)
        hit = hit or answered
        windows = []
        for first, item in hours:
            if since >= first:
                start, end = _second(item.constraint.start_time), _second(item.constraint.end_time)
                windows.append(Window(start, end, _tiers(provider, entry.id, item.prices, variant, ttl)))
        tiers = _tiers(provider, entry.id, price, variant, ttl)
        spans.append(Span(since, day, tiers, tuple(windows), Fraction(0), source, "M"))
    return tuple(sorted(spans, key=lambda s: s.since)), hit


def _variant(entry: Any, since: float, context: Mapping[str, str]) -> tuple[Mapping[str, Any], bool]:
    """Price fields that a request context overrides; the latest variant that has begun by then, else the earliest."""
    if not context:
        return {}, False
    fitting = []
    for variant in getattr(entry, "price_variants", None) or ():
        if all(context.get(k) == v for k, v in variant.when.items()):
            start = getattr(variant.constraint, "start_date", None)
            fitting.append((float("-inf") if start is None else seconds(start), variant.prices))
    if not fitting:
        return {}, False
    fitting.sort(key=lambda item: item[0])
    chosen = fitting[0][1]
    for start, prices in fitting:
        if start <= since:
            chosen = prices
    return {k: v for k, v in vars(chosen).items() if v is not None}, True


def _at(value: Any, above: int) -> Fraction | None:
    """A field's rate for prompts above a size; plain or tiered."""
    if value is None:
        return None
    if isinstance(value, Decimal | int):
        return pico(value)
    price = value.base
    for tier in value.tiers:
        if above >= tier.start:
            price = tier.price
    return pico(price)


def _tiers(provider: str, model: str, price: Any, variant: Mapping[str, Any], ttl: str) -> tuple[Tier, ...]:
    fields = {name: variant.get(name, getattr(price, name, None)) for name in _FIELDS}
    for name in ("input_mtok", "output_mtok"):
        if fields[name] is None:
            raise PriceError(
                f"the price data knows {provider}/{model} but has no {name.removesuffix('_mtok')} price",
                remedy="give its prices under `prices:` in the scenario",
            )
    edges = {0}
    for value in fields.values():
        edges |= {tier.start for tier in getattr(value, "tiers", ())}
    tiers = []
    for above in sorted(edges):
        writes = {ttl: _at(fields["cache_write_mtok"], above), "1h": _at(fields["cache_write_1h_mtok"], above)}
        tiers.append(
            Tier(
                above=above,
                fresh=_at(fields["input_mtok"], above) or Fraction(0),
                output=_at(fields["output_mtok"], above) or Fraction(0),
                read=_at(fields["cache_read_mtok"], above),
                writes={k: v for k, v in writes.items() if v is not None},
            )
        )
    return tuple(tiers)


def _second(time: Any) -> int:
    return int(time.hour * 3_600 + time.minute * 60 + time.second)
