"""Working with a prompt cache: stable parts first, and what caching really saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sim.engine.contract import Rates

Stability: TypeAlias = Literal["fixed", "session", "task", "turn"]
_ORDER: dict[str, int] = {"fixed": 0, "session": 1, "task": 2, "turn": 3}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the system prompt and how long it stays the same.

    `fixed`: tool schemas, rules. `session`: memory. `task`: injected skills. `turn`: time, state of the moment.
    """

    name: str
    text: str
    stability: Stability


def stable_first(parts: Sequence[Part]) -> list[Part]:
    """Parts reordered so that what stays the same longest stands first; equals keep their order."""
    return sorted(parts, key=lambda part: _ORDER[part.stability])


@dataclass(frozen=True, slots=True)
class CacheUse:
    """Input of one call: tokens read from cache, written to it, and neither; their sum is the whole prompt."""

    read: int
    write: int
    fresh: int

    @property
    def prompt(self) -> int:
        """The whole prompt."""
        return self.read + self.write + self.fresh


def from_anthropic(usage: Mapping[str, Any]) -> CacheUse:
    """Usage as Anthropic reports it: `input_tokens` leaves the cached tokens out."""
    return CacheUse(
        read=int(usage.get("cache_read_input_tokens") or 0),
        write=int(usage.get("cache_creation_input_tokens") or 0),
        fresh=int(usage.get("input_tokens") or 0),
    )


@dataclass(frozen=True, slots=True)
class Effectiveness:
    """What caching did over some calls.

    Attributes:
        prompt, read, write, fresh: tokens; `read + write + fresh = prompt`.
        hit_rate: share of the prompt that was read; never above 1.
        saved_pico: input cost without a cache minus with it, integer pico-dollars; negative when writes cost more than
            reads saved.
        saving: that, as a share of the cost without a cache.
    """

    prompt: int
    read: int
    write: int
    fresh: int
    hit_rate: float
    saved_pico: int
    saving: float


def effectiveness(uses: Iterable[CacheUse], rates: Rates) -> Effectiveness:
    """Hit rate over the whole prompt, and savings with the write premium counted.

    The chapter divides reads by `input_tokens`, which on Anthropic excludes them (so its rate passes 100 %), and takes
    90 % of that as the saving, as if writes were free.
    """
    calls = list(uses)
    read, write = sum(u.read for u in calls), sum(u.write for u in calls)
    fresh = sum(u.fresh for u in calls)
    prompt = read + write + fresh
    without = prompt * rates.fresh
    with_cache = read * rates.read + write * rates.write + fresh * rates.fresh
    return Effectiveness(
        prompt=prompt,
        read=read,
        write=write,
        fresh=fresh,
        hit_rate=read / prompt if prompt else 0.0,
        saved_pico=without - with_cache,
        saving=(without - with_cache) / without if without else 0.0,
    )
