"""Compiled prices: exact pico-dollars a token by class, in tiers, time windows and dated spans.

One pico-dollar a token is one millionth of a dollar per million tokens, so list prices are integers or short fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from sim.errors import PriceError
from sim.provider.seam import Cost, TokenUse
from sim.units import round_half_even

PER_MILLION = 10**6
"""Pico-dollars a token for one dollar per million tokens."""
EVERY_DAY = frozenset(range(7))
_ZERO = Fraction(0)
_CLASS_NAMES = {"read": "cache_read", "fresh": "input", "output": "output", "storage": "storage_per_mtok_hour"}


@dataclass(frozen=True, slots=True)
class Tier:
    """Rates in pico-dollars a token; they hold for the whole request when its prompt has more than `above` tokens.

    `writes` is by TTL class; `read` is None when the provider sells no cache reads.
    """

    above: int
    fresh: Fraction
    output: Fraction
    read: Fraction | None
    writes: Mapping[str, Fraction]
    _whole: tuple[int, int, int, dict[str, int]] | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        rates = [self.fresh, self.output, *self.writes.values(), *(() if self.read is None else (self.read,))]
        if all(rate.denominator == 1 for rate in rates):
            whole = (
                self.fresh.numerator,
                self.output.numerator,
                -1 if self.read is None else self.read.numerator,
                {ttl: rate.numerator for ttl, rate in self.writes.items()},
            )
            object.__setattr__(self, "_whole", whole)

    def scaled(self, factor: Fraction) -> Tier:
        """The same tier with every rate multiplied."""
        read = None if self.read is None else self.read * factor
        writes = {ttl: rate * factor for ttl, rate in self.writes.items()}
        return Tier(self.above, self.fresh * factor, self.output * factor, read, writes)


@dataclass(frozen=True, slots=True)
class Window:
    """Hours of the UTC day with other rates.

    Attributes:
        start, end: seconds of the UTC day, `start <= second < end`.
        weekdays: days on which it holds, Monday is 0.
        holidays: days since 1970-01-01 on which it does not.
    """

    start: int
    end: int
    tiers: tuple[Tier, ...]
    weekdays: frozenset[int] = EVERY_DAY
    holidays: frozenset[int] = frozenset()

    def active(self, at: float) -> bool:
        """Whether it holds at that moment (1970-01-01 was a Thursday)."""
        day, second = divmod(at, 86_400)
        return self.start <= second < self.end and int(day + 3) % 7 in self.weekdays and int(day) not in self.holidays


@dataclass(frozen=True, slots=True)
class Span:
    """Rates that hold from a moment on.

    Attributes:
        since: seconds since the epoch; minus infinity for prices without a date.
        day: ISO date of `since`, or `undated`.
        storage: explicit-cache storage, pico-dollars a token-second.
    """

    since: float
    day: str
    tiers: tuple[Tier, ...]
    windows: tuple[Window, ...] = ()
    storage: Fraction = _ZERO
    source: str = ""
    confidence: str = ""

    def scaled(self, factor: Fraction) -> Span:
        """The same span with every rate multiplied, storage apart."""
        windows = tuple(replace(w, tiers=tuple(t.scaled(factor) for t in w.tiers)) for w in self.windows)
        return replace(self, tiers=tuple(t.scaled(factor) for t in self.tiers), windows=windows)


@dataclass(frozen=True, slots=True)
class FreeTier:
    """Request limits of a model that costs nothing, and the priced model to fall back on."""

    requests_per_minute: int
    requests_per_day: int
    fallback: str


@dataclass(frozen=True, slots=True)
class Card:
    """Compiled prices of one model; implements `PriceCard`.

    Rates are those of the request's own moment, but never older than `as_of`: a price change inside the simulated span
    takes effect on its day, while a transcript older than `as_of` is billed at the prices of `as_of`.

    Attributes:
        spans: rates by date, oldest first; never empty.
        as_of: seconds since the epoch.
        checked: ISO date at which the rates were last checked.
        currency: `USD`, or `CNY` for a provider's own yuan list (then one unit is a pico-yuan).
        yuan: the provider's own list in yuan, if it has one.
        modifiers: what was multiplied in (`batch`, `us`, `fast`, …), for the stamp.
    """

    model: str
    provider: str
    spans: tuple[Span, ...]
    as_of: float
    checked: str
    notes: tuple[str, ...] = ()
    currency: str = "USD"
    yuan: tuple[Span, ...] = ()
    modifiers: tuple[str, ...] = ()
    free: FreeTier | None = None
    _only: Tier | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        later = [s for s in self.spans if s.since > self.as_of]
        now = self._span(self.as_of)
        if not later and not now.windows and len(now.tiers) == 1:
            object.__setattr__(self, "_only", now.tiers[0])

    @property
    def effective(self) -> str:
        """ISO date from which the rates of `as_of` hold, or `undated`."""
        return self._span(self.as_of).day

    @property
    def source(self) -> str:
        """Where the rates of `as_of` come from."""
        return self._span(self.as_of).source

    @property
    def confidence(self) -> str:
        """H, M or L; empty when the source does not say."""
        return self._span(self.as_of).confidence

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """Rates at `as_of` outside any time window."""
        return self._span(self.as_of).tiers

    @property
    def windows(self) -> tuple[Window, ...]:
        """Time windows at `as_of`."""
        return self._span(self.as_of).windows

    @property
    def storage(self) -> Fraction:
        """Explicit-cache storage at `as_of`, pico-dollars a token-second."""
        return self._span(self.as_of).storage

    def in_yuan(self) -> Card | None:
        """The provider's own list in yuan, None when it has none; money is then in pico-yuan."""
        if not self.yuan:
            return None
        return replace(self, spans=self.yuan, yuan=(), currency="CNY")

    def tier(self, prompt_tokens: int, at: float) -> Tier:
        """The rates of a request of that size that starts at `at`."""
        if self._only is not None:
            return self._only
        span = self._span(at)
        tiers = span.tiers
        for window in span.windows:
            if window.active(at):
                tiers = window.tiers
        for tier in reversed(tiers):
            if prompt_tokens > tier.above:
                return tier
        return tiers[0]

    def _span(self, at: float) -> Span:
        moment = max(at, self.as_of)
        found = self.spans[0]
        for span in self.spans:
            if span.since <= moment:
                found = span
        return found

    def cost(self, use: TokenUse, at: float) -> Cost:
        """Cost of a call by class, each rounded half-even once.

        Raises:
            PriceError: the card has no rate for a class that was used.
        """
        tier = self._only or self.tier(use.input, at)
        if tier._whole is not None and not use.storage:
            fresh, output, read, writes = tier._whole
            if read < 0 and use.read:
                raise self._missing("read")
            written = 0
            for ttl, tokens in use.writes.items():
                rate = writes.get(ttl)
                if rate is None:
                    if tokens:
                        raise self._missing(ttl)
                    continue
                written += tokens * rate
            return Cost(read * use.read, written, fresh * use.fresh, output * use.output)
        return self._exact(tier, use, at)

    def _exact(self, tier: Tier, use: TokenUse, at: float) -> Cost:
        if use.read and tier.read is None:
            raise self._missing("read")
        written = _ZERO
        for ttl, tokens in use.writes.items():
            if tokens and ttl not in tier.writes:
                raise self._missing(ttl)
            written += tokens * tier.writes.get(ttl, _ZERO)
        storage = self._span(at).storage
        if use.storage and not storage:
            raise self._missing("storage")
        return Cost(
            round_half_even((tier.read or _ZERO) * use.read),
            round_half_even(written),
            round_half_even(tier.fresh * use.fresh),
            round_half_even(tier.output * use.output),
            round_half_even(storage * use.storage),
        )

    def _missing(self, what: str) -> PriceError:
        name = _CLASS_NAMES.get(what, f"cache_write_{what}")
        return PriceError(
            f"the price card of {self.provider}/{self.model} has no {name}, which this run needs",
            rule=f"source: {self.source}",
            remedy=f"give it under `prices: {{{name}: …}}` in the scenario, dollars per million tokens",
        )
