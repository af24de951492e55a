"""One account at the provider, shared by all sessions of a fleet: limits, refusals, the money spent."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import simpy

from sim.provider.limits import AccountLimits, Bucket, FreeQuota
from sim.provider.seam import Served, TokenUse

if TYPE_CHECKING:
    import numpy as np

    from sim.world.setup import Provider


class SessionEnded(Exception):  # noqa: N818 - not an error: unwinds the agent's process
    """The session cannot go on."""

    def __init__(self, end: str) -> None:
        self.end = end
        super().__init__(end)


class Account:
    """What the provider keeps for one account while a span is played.

    Args:
        env: the world's clock.
        base: wall-clock seconds (UTC) at the clock's zero, the start of the span.
        limits: the account's limits.
    """

    def __init__(self, env: simpy.Environment, base: float, limits: AccountLimits) -> None:
        self._env, self._base, self.limits = env, base, limits
        self.spent = 0
        """Pico-dollars so far; requests under way are counted when they start."""
        self._requests: dict[str, Bucket] = {}
        self._tokens: dict[str, Bucket] = {}
        self._quotas: dict[str, FreeQuota | None] = {}
        self._places = simpy.Resource(env, limits.concurrency) if limits.concurrency else None

    # main requests ----------------------------------------------------------------------------------------------

    def admit(
        self, provider: Provider, rng: Callable[[], np.random.Generator], refused: Callable[[str, float], None]
    ) -> Generator[Any, Any, simpy.resources.resource.Request | None]:
        """Wait until a request may be sent; takes simulated time.

        Args:
            provider: of the request's model.
            rng: of the backoff's jitter; made at the first refusal.
            refused: told of each refusal: its outcome and the wait before the next attempt.

        Returns:
            The place taken, to be given to `leave`; None when places are not counted.

        Raises:
            SessionEnded: refused too many times in a row.
        """
        retry, refusals, draws = self.limits.retry, 0, None
        while (refusal := self._refusal(provider.model)) is not None:
            outcome, after = refusal
            refusals += 1
            if refusals > retry.attempts:
                raise SessionEnded("failed")
            draws = draws or rng()
            wait = max(after, retry.wait(refusals, float(draws.random())))
            refused(outcome, wait)
            yield self._env.timeout(wait)
        if self.limits.rpm is not None:
            self._bucket(self._requests, provider.model, self.limits.rpm, whole=True).take(1)
        if self._places is None:
            return None
        place = self._places.request()
        yield place
        return place

    def leave(self, place: simpy.resources.resource.Request | None) -> None:
        """The request was answered."""
        if place is not None and self._places is not None:
            self._places.release(place)

    def charge(self, provider: Provider, served: Served, output: int, total: int) -> None:
        """Count a request that starts now.

        Args:
            served: how it met the cache.
            output: its output tokens.
            total: tokens of the prompt.

        Raises:
            SessionEnded: its price would pass the budget.
        """
        budget = self.limits.budget_pico
        if budget is not None:
            use = TokenUse(served.read, served.writes, served.fresh, output, served.storage)
            cost = provider.card.cost(use, self._base + self._env.now).total
            if self.spent + cost > budget:
                raise SessionEnded("budget")
            self.spent += cost
        if self.limits.tpm is not None:
            counted = total if self.limits.counts_cached(provider.provider) else total - served.read
            self._bucket(self._tokens, provider.model, self.limits.tpm, whole=False).take(counted)

    def _refusal(self, model: str) -> tuple[str, float] | None:
        now, limits = self._env.now, self.limits
        if limits.outages and limits.outage_at(now):
            return "overloaded", 0.0
        after = 0.0
        if limits.rpm is not None:
            after = self._bucket(self._requests, model, limits.rpm, whole=True).wait(now)
        if limits.tpm is not None:
            after = max(after, self._bucket(self._tokens, model, limits.tpm, whole=False).wait(now))
        return ("rate_limit", after) if after > 0 else None

    def _bucket(self, buckets: dict[str, Bucket], model: str, rate: int, *, whole: bool) -> Bucket:
        if model not in buckets:
            buckets[model] = Bucket(rate, whole=whole)
        return buckets[model]

    # auxiliary requests -----------------------------------------------------------------------------------------

    def auxiliary_refusal(self, model: str) -> str | None:
        """How an auxiliary request of the model would fail now (`rate_limit`, `overloaded`, `budget`), or None.

        A request that is not refused counts against the model's quota.
        """
        now, budget = self._env.now, self.limits.budget_pico
        if budget is not None and self.spent >= budget:
            return "budget"
        if self.limits.outages and self.limits.outage_at(now):
            return "overloaded"
        if model not in self._quotas:
            self._quotas[model] = FreeQuota.of(model, self.limits.auxiliary)
        quota = self._quotas[model]
        return "rate_limit" if quota is not None and not quota.take(self._base + now, now) else None
