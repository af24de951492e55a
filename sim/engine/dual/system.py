"""The library's front door: compress a list of chat messages, with nothing of the simulator running."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.engine.contract import AuxReply, AuxRequest
from sim.engine.dual.body import Body, Pass
from sim.engine.dual.compressor import answer, no_model
from sim.engine.dual.controller import Controller
from sim.engine.dual.item import Chat, Count, full_text, items_of
from sim.engine.dual.settings import DualSettings
from sim.engine.dual.statistics import LogEntry, Statistics, log_entry, statistics
from sim.engine.dual.zones import Zones


@dataclass(frozen=True, slots=True)
class CompressionResult:
    """What `maybe_compress` made of a message list.

    Attributes:
        messages: the new list; messages that did not change are the same objects.
        before, after: tokens of the whole request.
        passes: the rungs that fired.
        fits: whether the request is within the window now.
    """

    messages: list[Chat]
    before: int
    after: int
    passes: tuple[Pass, ...]
    fits: bool

    @property
    def ratio(self) -> float:
        """Share of the request that went away."""
        return (self.before - self.after) / self.before if self.before else 0.0


class DualCompressionSystem:
    """The dual system over plain chat messages.

    Args:
        window: context window in tokens.
        count: token count of a text.
        settings: the knobs.
        ask: calls the auxiliary model for summaries; without it summaries are extracts.
        prefix_tokens: tokens sent before the messages (tool schemas).
        clock: seconds; stamps the log and measures how long a compression took. Without it both are 0.

    >>> system = DualCompressionSystem(8_000, count=lambda text: len(text) // 4)
    >>> system.maybe_compress([{"role": "user", "content": "hello"}]) is None
    True
    """

    def __init__(
        self,
        window: int,
        count: Count,
        settings: DualSettings | None = None,
        *,
        ask: Callable[[AuxRequest], AuxReply] = no_model,
        prefix_tokens: int = 0,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.settings = settings or DualSettings()
        self.controller = Controller(self.settings, window, count)
        self.log: list[LogEntry] = []
        self._count, self._ask, self._clock = count, ask, clock
        self._prefix_tokens = prefix_tokens

    def _body(self, messages: Sequence[Chat]) -> Body:
        body = Body(self._prefix_tokens, lambda m: self._count(full_text(m)), items_of(messages, self._count))
        if self.controller.adaptive is not None:
            for item in body.items:
                self.controller.adaptive.see(item)
        return body

    def zones(self, messages: Sequence[Chat]) -> Zones:
        """The sacred zones of a message list."""
        return self.controller.zones(self._body(messages))

    def maybe_compress(self, messages: Sequence[Chat], *, force: bool = False) -> CompressionResult | None:
        """Compress if the request is over the trigger (or `force`); None when there was nothing to do."""
        body = self._body(messages)
        if not force and not self.controller.should_compress(body.tokens):
            return None
        started, before = self._clock(), body.tokens
        tried = answer(self.controller.compress(body, overflow=force), self._ask)
        passes = tuple(p for p in tried if p.changed)
        ended = self._clock()
        for done in passes:
            self.log.append(log_entry(done, ended, (ended - started) / len(passes)))
        new = [item.message for item in body.items if item.message is not None]
        return CompressionResult(new, before, body.tokens, passes, body.tokens <= self.controller.limits.window)

    def statistics(self) -> Statistics:
        """Statistics of everything compressed so far."""
        return statistics(self.log)

    def write_metrics(self, path: str | Path) -> None:
        """Write the Prometheus metrics of everything compressed so far, in exposition format."""
        from sim.engine.dual.metrics import write_metrics

        write_metrics(self.log, path)
