"""When to compress, how far, and what to do when that is not enough."""

from __future__ import annotations

from dataclasses import dataclass

from sim.engine.dual.adaptive import AdaptiveZone
from sim.engine.dual.body import Body, Pass
from sim.engine.dual.compressor import Asking, ToolOutputCompressor
from sim.engine.dual.focus import NO_FOCUS, focus_of
from sim.engine.dual.item import Count
from sim.engine.dual.orders import Order
from sim.engine.dual.passes import aggressive_pass, normal_pass
from sim.engine.dual.restart import restart_pass
from sim.engine.dual.settings import DualSettings
from sim.engine.dual.truncate import truncate_pass
from sim.engine.dual.zones import Zones, find_zones


@dataclass(frozen=True, slots=True)
class Limits:
    """Settings resolved against a window, in tokens.

    Attributes:
        window: the context window.
        trigger: compress when the request is larger.
        target: compress down to this.
        recent: budget of the recent zone (of a fixed zone; an adaptive one moves below `recent_most`).
        recent_most: most the recent zone may ever take on this window.
        aggressive, truncate, restart: marks above which each rung fires.
        least: a pass that would free fewer tokens is left out.
    """

    window: int
    trigger: int
    target: int
    recent: int
    recent_most: int
    aggressive: int
    truncate: int
    restart: int
    least: int


def resolve_limits(settings: DualSettings, window: int) -> Limits:
    """Marks in tokens for a window."""
    most = int(settings.recent_share * window)
    return Limits(
        window=window,
        trigger=int(settings.trigger * window),
        target=int(settings.target * window),
        recent=min(settings.recent_tokens, most),
        recent_most=most,
        aggressive=int(settings.aggressive_above * window),
        truncate=int(settings.truncate_above * window),
        restart=int(settings.restart_above * window),
        least=int(settings.min_reclaim * window),
    )


class Controller:
    """Decides for one session.

    Args:
        settings: the knobs.
        window: context window in tokens.
        count: token count of a text.
        cached: whether cache writes cost more than reads, so that `cache-aware` has something to save.
    """

    def __init__(self, settings: DualSettings, window: int, count: Count, *, cached: bool = True) -> None:
        self.settings = settings
        self.limits = resolve_limits(settings, window)
        self.compressor = ToolOutputCompressor(settings, count)
        self.adaptive = AdaptiveZone(settings) if settings.recent == "adaptive" else None
        self._cached = cached

    @property
    def order(self) -> Order:
        """The order in use: without a price on cache writes `cache-aware` is `largest-first`."""
        chosen = self.settings.order
        return "largest-first" if chosen == "cache-aware" and not self._cached else chosen

    def resize(self, window: int) -> None:
        """The session goes on with another window."""
        self.limits = resolve_limits(self.settings, window)

    def should_compress(self, tokens: int) -> bool:
        """Whether a request of this size is over the trigger."""
        return tokens > self.limits.trigger

    def recent_budget(self) -> int:
        """Tokens the recent zone may hold now."""
        if self.adaptive is None:
            return self.limits.recent
        return min(self.adaptive.size().tokens, self.limits.recent_most)

    def zones(self, body: Body) -> Zones:
        """Zones of the session as it stands."""
        return find_zones(body.items, self.recent_budget(), keep_first=self.settings.first_exchange)

    def compress(self, body: Body, *, overflow: bool = False) -> Asking[list[Pass]]:
        """Compress now, climbing the ladder while a rung leaves the request above the next rung's mark.

        Args:
            body: the session; changed in place.
            overflow: the provider refused the request: every rung may fire until the request is under the trigger.

        Returns:
            The passes that were tried, those without effect included. At most four, so it always ends.
        """
        limits = self.limits
        focus = focus_of(body.items) if self.settings.context_aware else NO_FOCUS
        goal, work = limits.target, self.compressor
        least = 0 if overflow or body.tokens > limits.restart else limits.least
        passes = [(yield from normal_pass(body, self.zones(body), goal, work, self.order, focus, least))]

        def above(mark: int) -> bool:
            return body.tokens > (min(mark, limits.trigger) if overflow else mark)

        if above(limits.aggressive):
            passes.append((yield from aggressive_pass(body, self.zones(body), goal, work, least)))
        if above(limits.truncate):
            passes.append(truncate_pass(body, self.zones(body), goal, self.settings, least))
        if above(limits.restart):
            passes.append((yield from restart_pass(body, limits.restart, work)))
        return passes
