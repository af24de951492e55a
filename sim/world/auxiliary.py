"""The auxiliary model as a SimPy process: how long a call takes, what it answers, how it fails, what it costs."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sim.engine import AuxReply, AuxRequest
from sim.provider.seam import Cost, TokenUse
from sim.streams import Streams

if TYPE_CHECKING:
    import simpy

    from sim.world.setup import AuxiliaryRoute

_STATUS = {
    "rate_limit": 429,
    "overloaded": 503,
    "auth": 401,
    "bad_request": 400,
    "budget": 402,
}
_BILLED_FAILURES = {"empty", "cut_off", "refusal"}
"""Failures in which the model did answer, so the provider bills the call."""


@dataclass(frozen=True, slots=True)
class AuxiliaryCall:
    """A finished auxiliary call, for the ledger."""

    request: AuxRequest
    reply: AuxReply
    input_tokens: int
    output_tokens: int
    cost: Cost
    started: float
    model: str


class Auxiliary:
    """The auxiliary model as one session meets it.

    Args:
        route: the model.
        streams: one family per session; call number n draws the same in every arm.
    """

    def __init__(self, route: AuxiliaryRoute, streams: Streams) -> None:
        self._route = route
        self._streams = streams
        self._count = 0

    @property
    def model(self) -> str:
        """Model id."""
        return self._route.provider.model

    def refused(
        self, env: simpy.Environment, request: AuxRequest, epoch: float, failure: str
    ) -> Generator[Any, Any, AuxiliaryCall]:
        """A call that the account's limits turn away: it takes the overhead and costs nothing."""
        started, provider = env.now, self._route.provider
        yield env.timeout(self._route.behaviour.overhead_s)
        reply = AuxReply(
            text=None,
            tokens=0,
            finished_at=epoch + env.now,
            failure=failure,  # type: ignore[arg-type]  # the account names kinds of AuxFailure
            status=_STATUS[failure],
            provider=provider.provider,
            model=provider.model,
        )
        return AuxiliaryCall(request, reply, 0, 0, Cost(0, 0, 0, 0), started, provider.model)

    def call(self, env: simpy.Environment, request: AuxRequest, epoch: float) -> Generator[Any, Any, AuxiliaryCall]:
        """Run one call; takes simulated time."""
        route, behaviour = self._route, self._route.behaviour
        self._count += 1
        rng = self._streams.rng("auxiliary", self._count)
        failure_draw, length_draw = float(rng.random()), float(rng.standard_normal())
        started = env.now
        size = request.tokens if request.text is None else self._size(request.text)
        failure = self._failure(failure_draw, size)
        answer = self._length(length_draw, request, size)
        output = 0 if failure and failure not in _BILLED_FAILURES else answer
        if failure in {"empty", "refusal"}:
            output = min(output, 50)
        seconds = behaviour.overhead_s
        if failure == "timeout":
            seconds = behaviour.timeout_s
        elif failure is None or failure in _BILLED_FAILURES:
            seconds += size / behaviour.input_tokens_per_s + output / behaviour.output_tokens_per_s
        yield env.timeout(seconds)
        text = None
        if failure is None or failure == "cut_off":
            text = route.write(int(rng.integers(1 << 62)), output) if request.text is not None else None
            if text is not None:
                output = self._size(text)
        billed = failure is None or failure in _BILLED_FAILURES
        use = TokenUse(fresh=size if billed else 0, output=output if billed else 0)
        card = route.provider.card
        reply = AuxReply(
            text=text,
            tokens=output,
            finished_at=epoch + env.now,
            failure=failure,  # type: ignore[arg-type]  # kinds are validated by AuxiliaryBehaviour
            status=_STATUS.get(failure or ""),
            provider=route.provider.provider,
            model=route.provider.model,
        )
        return AuxiliaryCall(
            request, reply, use.fresh, use.output, card.cost(use, epoch + started), started, route.provider.model
        )

    def _size(self, text: str) -> int:
        maker = self._route.maker
        return maker.count(text, maker.tokens.classify(text))

    def _failure(self, draw: float, size: int) -> str | None:
        window = self._route.window
        if window is not None and size > window:
            return "bad_request"
        edge = 0.0
        for kind, share in sorted(self._route.behaviour.failures.items()):
            edge += share
            if draw < edge:
                return kind
        return None

    def _length(self, draw: float, request: AuxRequest, size: int) -> int:
        import math

        behaviour = self._route.behaviour
        wanted = request.target_tokens or behaviour.summary_tokens
        middle = min(wanted, behaviour.summary_tokens)
        length = round(middle * math.exp(behaviour.summary_sigma * draw))
        if request.max_tokens is not None:
            length = min(length, request.max_tokens)
        # A summary is not longer than what it summarises.
        return max(1, min(length, size))
