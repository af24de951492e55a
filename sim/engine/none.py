"""Engine `none`: the history only ever grows; a request larger than the window ends the session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.engine.contract import EngineInfo, Hook, Ignored, Needs, Open, Outcome, Usage
from sim.history import Row


def settings_not_read(settings: Mapping[str, Any], engine: str, instead: str) -> tuple[Ignored, ...]:
    """Hermes's `compression` settings as an engine of our own sees them: none of them takes effect."""
    return tuple(
        Ignored(f"compression.{key}", str(value), f"engine {engine} {instead}")
        for key, value in dict(settings.get("compression") or {}).items()
    )


class NoneEngine:
    """Never rewrites anything."""

    name = "none"
    version = "1"
    needs: Needs = "tokens"

    def resolve(self, request: Open) -> EngineInfo:
        """It never fires, whatever the settings."""
        return EngineInfo(
            name=self.name,
            version=self.version,
            needs=self.needs,
            trigger_tokens=None,
            trigger_rule="none",
            ignored=settings_not_read(request.settings, "none", "never compacts"),
        )

    def open(self, request: Open) -> NoneSession:
        """A new session."""
        return NoneSession(self.resolve(request), sum(row.tokens for row in request.prefix))

    def close(self) -> None:
        """Nothing to stop."""


class NoneSession:
    """Knows the size of the request and changes nothing."""

    def __init__(self, info: EngineInfo, tokens: int) -> None:
        self.info = info
        self._tokens = tokens

    def _grown(self, rows: Sequence[Row]) -> Hook:
        self._tokens += sum(row.tokens for row in rows)
        return Outcome(estimate=self._tokens)
        yield  # makes this a generator

    def turn_start(self, rows: Sequence[Row], gap: float, now: float) -> Hook:
        """The message is noted."""
        return self._grown(rows)

    def before_call(self, now: float) -> Hook:
        """Nothing to do."""
        return self._grown(())

    def after_response(self, row: Row, usage: Usage | None, now: float) -> Hook:
        """The reply is noted."""
        return self._grown((row,))

    def after_tools(self, rows: Sequence[Row], now: float) -> Hook:
        """Results are noted."""
        return self._grown(rows)

    def on_overflow(self, error: str, now: float) -> Hook:
        """Nothing can be done: the session ends as *overflow*."""
        return self._grown(())

    def turn_end(self, now: float) -> Hook:
        """Nothing to do."""
        return self._grown(())

    def on_model_change(self, model: str, window: int, now: float) -> Hook:
        """Nothing to do."""
        return self._grown(())

    def close(self) -> None:
        """Nothing to free."""
