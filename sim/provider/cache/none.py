"""A provider without a prompt cache."""

from __future__ import annotations

from collections.abc import Sequence

from sim.history import Prompt
from sim.provider.seam import Mark, Served


class NoCache:
    """Every token is fresh on every request."""

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, *, first_byte: float, done: float, session: str = ""
    ) -> Served:
        """All fresh; unchanged tokens are unread because nothing is kept."""
        return Served(0, {}, prompt.tokens, "evicted")

    def settle(self, prompt: Prompt, done: float, *, session: str = "") -> None:
        """Nothing is kept."""
