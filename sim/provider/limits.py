"""What a provider lets one account do: requests and tokens a minute, places at once, outages, a budget, free models.

Rates are kept as providers keep them, by a bucket that refills evenly and holds one minute's worth: a burst of a
minute's allowance passes at once, and in the long run the rate is never exceeded.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from sim.units import PICO, parse_seconds, parse_tokens

CACHED_COUNTS: dict[str, bool] = {
    # platform.claude.com, rate limits: cache reads do not count against input tokens a minute (most models).
    "anthropic": False,
    # developers.openai.com, prompt caching: cached tokens do count against tokens a minute.
    "openai": True,
}
"""Whether tokens read from cache count against tokens a minute, by provider; others are assumed to count them."""

FREE_SUFFIX = ":free"
FREE_PER_MINUTE = 20
FREE_PER_DAY = 1_000
"""OpenRouter's `:free` models: 20 requests a minute, and 1,000 a UTC day for the whole account (50 for an account that
never bought 10 credits); verified 2026-10-17."""

_MINUTE = 60.0
_DAY = 86_400.0


def parse_dollars(value: Any) -> Decimal:
    """Dollars from a number or text.

    Raises:
        ValueError: not a plain number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise ValueError("not an amount of dollars; write a plain number such as 250")
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        raise ValueError(f"{value!r} is not an amount of dollars; write a plain number such as 250") from None
    if not amount.is_finite():
        raise ValueError(f"{value!r} is not an amount of dollars; write a plain number such as 250")
    return amount


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _quantity(pattern: str, unit: str) -> WithJsonSchema:
    return WithJsonSchema(
        {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": pattern}], "unit": unit}
    )


_Tokens = Annotated[int, BeforeValidator(parse_tokens), _quantity(r"^[0-9]+(\.[0-9]+)?\s*[KkMm]?$", "tokens")]
_Seconds = Annotated[
    float, BeforeValidator(parse_seconds), _quantity(r"^[0-9]+(\.[0-9]+)?\s*(s|m|min|h|d|w)?$", "seconds")
]
_Dollars = Annotated[Decimal, BeforeValidator(parse_dollars), _quantity(r"^[0-9]+(\.[0-9]+)?$", "USD")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Outage(_Part):
    """A window in which the provider answers nothing."""

    at: Annotated[_Seconds, Field(ge=0)] = Field(description="when it begins, counted from the start of the span (2d)")
    lasts: Annotated[_Seconds, Field(gt=0)] = Field(description="how long it lasts (30m)")


class Retry(_Part):
    """What the client does about a refused request: exponential backoff with jitter, never before the provider's
    own `retry-after`."""

    first: Annotated[_Seconds, Field(gt=0)] = Field(default=2.0, description="first wait; each one after is twice it")
    most: Annotated[_Seconds, Field(gt=0)] = Field(default=60.0, description="longest wait")
    attempts: int = Field(
        default=20, ge=1, le=1_000_000, description="refusals in a row after which the session gives up"
    )

    @model_validator(mode="after")
    def _order(self) -> Retry:
        if self.most < self.first:
            raise ValueError(f"`most` ({self.most:g} s) is below `first` ({self.first:g} s); raise `most`")
        return self

    def wait(self, refusals: int, draw: float) -> float:
        """Seconds before the next attempt: between half and all of `first * 2**(refusals - 1)`, capped.

        Args:
            refusals: refusals so far, 1 or more.
            draw: a uniform number in [0, 1).
        """
        full = min(self.most, self.first * 2.0 ** min(refusals - 1, 60))
        return full * (0.5 + 0.5 * draw)


class AuxiliaryLimits(_Part):
    """Limits of the summarising model; models whose name ends in `:free` have OpenRouter's when nothing is set."""

    rpm: int | None = Field(default=None, gt=0, description="requests a minute (free models: 20)")
    per_day: int | None = Field(
        default=None, gt=0, description="requests a UTC day (free models: 1,000; 50 without credit)"
    )
    fallback: str | None = Field(
        default=None, min_length=1, description="model that summarises when a limit is reached; the main one when unset"
    )


class AccountLimits(_Part):
    """One account at the provider. Rates hold for each model by itself, as providers keep them."""

    rpm: int | None = Field(default=None, gt=0, description="requests a minute")
    tpm: Annotated[_Tokens, Field(gt=0)] | None = Field(default=None, description="input tokens a minute (400K, 2M)")
    cached_counts: bool | None = Field(
        default=None, description="whether cache reads count against `tpm`; as the provider does when unset"
    )
    concurrency: int | None = Field(
        default=None, gt=0, description="requests served at once; others wait in line (a server of one's own)"
    )
    budget: Annotated[_Dollars, Field(gt=0)] | None = Field(
        default=None, description="dollars for the whole span; a session whose next request would pass it ends"
    )
    retry: Retry = Retry()
    outages: Annotated[tuple[Outage, ...], BeforeValidator(_listed)] = Field(
        default=(), description="windows in which requests fail"
    )
    auxiliary: AuxiliaryLimits = AuxiliaryLimits()

    @property
    def budget_pico(self) -> int | None:
        """The budget in pico-dollars."""
        return None if self.budget is None else int(self.budget * PICO)

    def outage_at(self, since_start: float) -> bool:
        """Whether the provider is down."""
        return any(o.at <= since_start < o.at + o.lasts for o in self.outages)

    def counts_cached(self, provider: str) -> bool:
        """Whether tokens read from cache count against `tpm`."""
        return CACHED_COUNTS.get(provider, True) if self.cached_counts is None else self.cached_counts


class Bucket:
    """A rate kept by an evenly refilling bucket of one minute's worth.

    The amount of a request is known only once it was served (what was read from cache may not count), so a request
    passes while anything is left, and the bucket may go below zero, which later requests wait for.
    """

    def __init__(self, per_minute: float, *, whole: bool = False) -> None:
        """Args:
        per_minute: the rate, and how much the bucket holds.
        whole: a request needs a whole unit (requests), not only something (tokens).
        """
        self._rate = per_minute / _MINUTE
        self._most = self._level = float(per_minute)
        self._needs = 1.0 if whole else 0.0
        self._at = 0.0

    def wait(self, now: float) -> float:
        """Seconds until a request may pass; 0 when it may now."""
        self._level = min(self._most, self._level + (now - self._at) * self._rate)
        self._at = now
        # A billionth: the clock's own rounding must not refuse a client that waited just as long as it was told.
        if self._level >= self._needs - 1e-9 and self._level > 0:
            return 0.0
        return (max(self._needs, 1e-6) - self._level) / self._rate

    def take(self, amount: float) -> None:
        """A request passed."""
        self._level -= amount


class FreeQuota:
    """Requests a minute and a UTC day of an auxiliary model, for the whole account."""

    def __init__(self, per_minute: int | None, per_day: int | None) -> None:
        self._minute = None if per_minute is None else Bucket(per_minute, whole=True)
        self._per_day = per_day
        self._day, self._used = -1, 0

    @classmethod
    def of(cls, model: str, limits: AuxiliaryLimits) -> FreeQuota | None:
        """The quota of a model; None when it has none."""
        free = model.endswith(FREE_SUFFIX)
        rpm = limits.rpm if limits.rpm is not None else FREE_PER_MINUTE if free else None
        per_day = limits.per_day if limits.per_day is not None else FREE_PER_DAY if free else None
        return None if rpm is None and per_day is None else cls(rpm, per_day)

    def take(self, epoch: float, now: float) -> bool:
        """One request; False when a limit refuses it.

        Args:
            epoch: wall-clock seconds, UTC, for the day.
            now: simulated seconds.
        """
        day = int(epoch // _DAY)
        if day != self._day:
            self._day, self._used = day, 0
        if self._per_day is not None and self._used >= self._per_day:
            return False
        if self._minute is not None:
            if self._minute.wait(now) > 0:
                return False
            self._minute.take(1)
        self._used += 1
        return True
