"""Cache rules from plain data: profiles and the scenario's `provider_cache:` block."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from sim.errors import InputError
from sim.provider.cache import BlockRules, BreakpointRules, IntervalRules, ObjectRules, UnitRules
from sim.provider.placement import check_markers
from sim.units import parse_seconds, parse_share, parse_tokens

Rules: TypeAlias = BreakpointRules | IntervalRules | UnitRules | BlockRules | ObjectRules | None
FAMILIES: Mapping[str, type[Any] | None] = {
    "breakpoint": BreakpointRules,
    "interval": IntervalRules,
    "unit": UnitRules,
    "block": BlockRules,
    "object": ObjectRules,
    "none": None,
}
LAYOUTS = ("hermes", "automatic", "prefix", "own", "none")
CLIENT_KEYS = ("keep_alive", "keep_alive_for", "prewarm")
"""Keys of the block that tell what the client does; the world reads them."""
_CHOICES = {
    "visible": ("immediate", "first_byte", "done"),
    "positions": ("blocks", "eligible"),
    "routing_key": ("session", "prefix"),
}
_TOKENS = {"min_tokens", "step", "block", "capacity_tokens", "interval"}
_POSITIVE = {"step", "block", "lookback", "max_writes"}
_DEFAULT_LAYOUT = {"breakpoint": "hermes", "object": "prefix"}


@dataclass(frozen=True, slots=True)
class Chosen:
    """Family, rules and marker layout after all overrides."""

    family: str
    rules: Rules
    layout: str
    markers: tuple[str, ...]
    ttl_class: str


def rules_of(family: str, given: Mapping[str, Any]) -> Rules:
    """Rules of a family with some parameters given."""
    kind = FAMILIES[family]
    return None if kind is None else _replaced(family, kind(), given)


def overridden(family: str, rules: Rules, layout: str, cache: Mapping[str, Any]) -> Chosen:
    """Apply a `provider_cache:` block.

    Raises:
        InputError: unknown family, layout or key, or a value that makes no sense.
    """
    changes = {key: value for key, value in cache.items() if key not in CLIENT_KEYS}
    wanted = str(changes.pop("family", family))
    if wanted != family:
        if wanted not in FAMILIES:
            raise InputError(f"unknown cache family {wanted!r}", remedy=f"there are {', '.join(FAMILIES)}")
        family, rules = wanted, rules_of(wanted, {})
        layout = _DEFAULT_LAYOUT.get(family, "none")
    markers: tuple[str, ...] = ()
    if "markers" in changes:
        listed = changes.pop("markers")
        markers, layout = check_markers(listed if isinstance(listed, list | tuple) else [listed]), "own"
    layout = str(changes.pop("layout", layout))
    if layout not in LAYOUTS:
        raise InputError(f"unknown provider_cache.layout {layout!r}", remedy=f"there are {', '.join(LAYOUTS)}")
    ttl_class = changes.pop("ttl_class", None)
    if rules is None:
        if changes:
            raise InputError(
                f"cache family none takes no {', '.join(map(str, changes))}",
                remedy="remove it, or name a `family` for this model",
            )
        return Chosen(family, None, "none", (), "5m")
    rules = _replaced(family, rules, changes)
    return Chosen(family, rules, layout, markers, _class(rules, ttl_class))


def _class(rules: Rules, wanted: object) -> str:
    if not isinstance(rules, BreakpointRules | ObjectRules):
        return "5m"
    if wanted is None:
        return next(iter(rules.ttls))
    if not isinstance(wanted, str) or wanted not in rules.ttls:
        raise InputError(f"provider_cache.ttl_class is {wanted!r}", remedy=f"this provider has {', '.join(rules.ttls)}")
    return str(wanted)


def _replaced(family: str, rules: Any, changes: Mapping[str, Any]) -> Any:
    known = {f.name: f for f in fields(rules)}
    values: dict[str, Any] = {}
    for key, value in changes.items():
        if key == "ttl" and "ttls" in known:
            # One lifetime for the default class; the others stay.
            values["ttls"] = {**rules.ttls, next(iter(rules.ttls)): _lifetime(key, value)}
        elif key not in known:
            near = difflib.get_close_matches(str(key), [*known, "family", "layout", "markers", "ttl_class"], n=1)
            raise InputError(
                f"provider_cache has no {key!r} for family {family}",
                remedy=f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}",
            )
        else:
            values[key] = _value(key, value, getattr(rules, key))
    return replace(rules, **values)


def _value(key: str, value: Any, old: Any) -> Any:
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            raise InputError(f"provider_cache.{key} is {value!r}", remedy=f"it is one of {', '.join(_CHOICES[key])}")
        return value
    if key == "ttls":
        if not isinstance(value, Mapping) or not value:
            raise InputError("provider_cache.ttls is no list of lifetimes", remedy="write `ttls: {5m: 5m, 1h: 1h}`")
        return {str(name): _lifetime(f"ttls.{name}", seconds) for name, seconds in value.items()}
    if key == "ttl":
        return _lifetime(key, value)
    if isinstance(old, bool):
        if not isinstance(value, bool):
            raise InputError(f"provider_cache.{key} is {value!r}", remedy="it is true or false")
        return value
    parse: Callable[[Any], Any] = parse_tokens
    if key == "delay":
        parse = parse_seconds
    elif key == "p_hit":
        parse = parse_share
    number = _parsed(key, value, parse)
    if key == "p_hit" and number > 1:
        raise InputError(f"provider_cache.p_hit is {value!r}", remedy="give a share between 0 and 1")
    if key in _POSITIVE and number < 1:
        raise InputError(f"provider_cache.{key} is {value!r}", remedy="give a number above 0")
    return number


def _lifetime(key: str, value: Any) -> float:
    seconds = float(_parsed(key, value, parse_seconds))
    if seconds <= 0:
        raise InputError(
            f"provider_cache.{key} is {value!r}",
            rule="an entry lives longer than 0 seconds",
            remedy="give a time such as 5m, or `family: none` for no cache",
        )
    return seconds


def _parsed(key: str, value: Any, parse: Callable[[Any], Any]) -> Any:
    try:
        return parse(value)
    except ValueError as error:
        raise InputError(f"provider_cache.{key}: {error}", remedy="see `hermes-sim schema`") from None
