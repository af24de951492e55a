"""Our own dated price cards and additions (`cards/*.yaml`), where the package lacks a field or errs.

A file holds a list. An item with `spans` is a whole card and replaces the package's; an item with `add` fills in fields
of the package's card; `launched` maps `provider/model` to the first day of sale.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from sim.provider.clock import iso_day, seconds
from sim.provider.listed import pico
from sim.provider.rates import EVERY_DAY, Span, Tier, Window

_WRITE = "cache_write_"
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@cache
def items() -> tuple[Mapping[str, Any], ...]:
    """Everything in `cards/*.yaml`, in the order of file names."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: list[Mapping[str, Any]] = []
    for path in sorted((files("sim.provider") / "cards").iterdir(), key=lambda p: p.name):
        if path.name.endswith(".yaml"):
            found += yaml.load(path.read_text("utf-8"), Loader=loader)
    return tuple(found)


@cache
def _launch_days() -> Mapping[str, str]:
    return {
        _bare(key): iso_day(day)
        for item in items()
        if "launched" in item
        for key, day in sorted(item["launched"].items())
    }


def _bare(name: str) -> str:
    return name.split("/")[-1].lower().replace(".", "-")


def launch_day(model: str) -> str | None:
    """ISO date of a model's first sale by anyone, where known."""
    return _launch_days().get(_bare(model))


@cache
def own_models() -> tuple[tuple[str, str], ...]:
    """(provider, model) of every whole card of ours."""
    return tuple((item["provider"], item["model"]) for item in items() if "spans" in item)


def own_card(provider: str, model: str) -> Mapping[str, Any] | None:
    """The whole card of ours for that provider and model id (or alias), as written."""
    for item in items():
        if (
            "spans" in item
            and item["provider"] == provider
            and (item["model"] == model or model in item.get("also", ()))
        ):
            return item
    return None


def own_spans(item: Mapping[str, Any], currency: str = "usd") -> tuple[Span, ...]:
    """Compile a whole card; each span inherits what it does not name from the one before.

    Args:
        currency: `usd`, or `cny` for the provider's yuan list (empty when it has none).
    """
    spans: list[Span] = []
    fields: dict[str, Any] = {}
    for written in item["spans"]:
        prices = written.get("cny") if currency == "cny" else written
        fields = {**fields, **{k: v for k, v in (prices or {}).items() if k not in {"from", "cny", "peak"}}}
        peak = written["peak"] if "peak" in written else fields.get("peak")
        fields["peak"] = peak
        if currency == "cny" and prices is None:
            continue
        tiers = tiers_of(fields)
        spans.append(
            Span(
                since=seconds(written["from"]),
                day=iso_day(written["from"]),
                tiers=tiers,
                windows=_windows(peak, tiers),
                storage=storage_rate(fields.get("storage_per_mtok_hour", 0)),
                source=str(fields.get("source", item["source"])),
                confidence=str(fields.get("confidence", item.get("confidence", ""))),
            )
        )
    return tuple(spans)


def storage_rate(per_mtok_hour: Any) -> Fraction:
    """Pico-dollars a token-second of dollars per million tokens and hour."""
    return pico(per_mtok_hour) / 3_600


def tiers_of(fields: Mapping[str, Any]) -> tuple[Tier, ...]:
    """Tiers of written prices; `above: {272000: {…}}` names what differs in larger requests."""
    tiers = [_tier(0, fields)]
    for above, other in sorted((fields.get("above") or {}).items()):
        tiers.append(_tier(int(above), {**fields, **other}))
    return tuple(tiers)


def _tier(above: int, fields: Mapping[str, Any]) -> Tier:
    read = fields.get("cache_read")
    return Tier(
        above,
        pico(fields["input"]),
        pico(fields["output"]),
        None if read is None else pico(read),
        {k.removeprefix(_WRITE): pico(v) for k, v in sorted(fields.items()) if k.startswith(_WRITE)},
    )


def _windows(peak: Mapping[str, Any] | None, tiers: tuple[Tier, ...]) -> tuple[Window, ...]:
    if not peak:
        return ()
    other = tuple(t.scaled(Fraction(str(peak["factor"]))) for t in tiers) if "factor" in peak else tiers_of(peak)
    first, _, last = str(peak.get("days", "mon-sun")).partition("-")
    weekdays = frozenset(range(_DAYS.index(first), _DAYS.index(last) + 1)) if peak.get("days") else EVERY_DAY
    holidays = frozenset(_holidays()) if peak.get("holidays") == "china" else frozenset()
    found = []
    for hours in peak["hours"]:
        start, _, end = hours.partition("-")
        found.append(Window(_second(start), _second(end), other, weekdays, holidays))
    return tuple(found)


def _second(text: str) -> int:
    hour, _, minute = text.partition(":")
    return int(hour) * 3_600 + int(minute) * 60


@cache
def _holidays() -> tuple[int, ...]:
    days: list[int] = []
    for item in items():
        for written in item.get("china_holidays", ()):
            first, _, last = str(written).partition("..")
            start = date.fromisoformat(first)
            length = (date.fromisoformat(last or first) - start).days + 1
            days += [(start + timedelta(n) - date(1970, 1, 1)).days for n in range(length)]
    return tuple(days)


def added(provider: str, model: str, spans: Iterable[Span]) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """Spans with the fields of every `add` item that fits, and what was added from where."""
    done = list(spans)
    notes: list[str] = []
    for item in items():
        if "add" not in item or provider not in item["providers"] or not re.search(item["match"], model):
            continue
        since = seconds(item["from"]) if "from" in item else float("-inf")
        for i, span in enumerate(done):
            if span.since >= since or (since == float("-inf")):
                done[i] = _filled(span, item["add"])
        notes.append(f"{', '.join(sorted(item['add']))}: {item['source']} ({item.get('confidence', 'M')})")
    return tuple(done), tuple(notes)


def _filled(span: Span, fields: Mapping[str, Any]) -> Span:
    """`{times_input: 2.5}` is a multiple of each tier's input price; a number is dollars per million tokens."""
    storage = storage_rate(fields["storage_per_mtok_hour"]) if "storage_per_mtok_hour" in fields else span.storage
    writes = {k.removeprefix(_WRITE): v for k, v in fields.items() if k.startswith(_WRITE)}
    replaced = tuple(
        Tier(t.above, t.fresh, t.output, _read(t, fields), {**t.writes, **_write_rates(t, writes)}) for t in span.tiers
    )
    return replace(span, tiers=replaced, storage=storage)


def _read(tier: Tier, fields: Mapping[str, Any]) -> Fraction | None:
    return _rate(tier, fields["cache_read"]) if "cache_read" in fields and tier.read is None else tier.read


def _write_rates(tier: Tier, writes: Mapping[str, Any]) -> dict[str, Fraction]:
    return {ttl: _rate(tier, value) for ttl, value in writes.items() if ttl not in tier.writes}


def _rate(tier: Tier, value: Any) -> Fraction:
    return tier.fresh * Fraction(str(value["times_input"])) if isinstance(value, Mapping) else pico(value)
