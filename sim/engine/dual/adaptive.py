"""A recent zone that follows the session: how many tokens a step takes, and how far back the agent's references reach.

Two measures of the session so far decide. *Density*: `adaptive_steps` times the tokens of a mean step over the last
steps; many small tool calls need few tokens for as many steps. *Reach*: when the agent's replies and call arguments
name something (an identifier, number or path) that an earlier tool result brought, how many tokens lie between; the
zone reaches `adaptive_quantile` of these. The larger of the two counts, within the limits of the settings.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

from sim.engine.dual.item import Item, full_text
from sim.engine.dual.settings import DualSettings

_TERM = re.compile(
    r"[A-Za-z]\w{0,40}_\w{2,40}|[A-Za-z]{1,40}[a-z][A-Z]\w{2,40}|[\w.-]{0,80}/[\w./-]{4,80}|\b\d{4,12}\b|[A-Z]\w{1,40}Error\b"
)
_STEPS_SEEN = 40
_REFERENCES_SEEN = 200
_TERMS_A_ROW = 400
_CHARACTERS_A_ROW = 60_000


@dataclass(frozen=True, slots=True)
class AdaptiveSize:
    """A size and why: tokens by density, tokens by reach, and the larger of the two within the limits."""

    by_density: int
    by_reach: int
    tokens: int


class AdaptiveZone:
    """Watches rows as they are appended; each row's text is read once."""

    def __init__(self, settings: DualSettings) -> None:
        self._settings = settings
        self._position = 0
        self._sources: dict[str, int] = {}
        self._steps: deque[int] = deque(maxlen=_STEPS_SEEN)
        self._reaches: deque[int] = deque(maxlen=_REFERENCES_SEEN)

    def see(self, item: Item) -> None:
        """A row was appended."""
        terms = (
            [] if item.message is None else _TERM.findall(full_text(item.message)[:_CHARACTERS_A_ROW])[:_TERMS_A_ROW]
        )
        if item.role == "tool":
            for term in terms:
                # The first result that brought a term is the one to go back to, unless it was brought again.
                self._sources[term] = self._position
        elif item.role == "assistant":
            known = {self._sources[term] for term in set(terms) if term in self._sources}
            # A reply may name many things of one result; the farthest it needs is what counts.
            self._reaches.extend(sorted(self._position - at for at in known)[-3:])
        if item.role == "tool" and self._steps:
            self._steps[-1] += item.tokens
        else:
            self._steps.append(item.tokens)
        self._position += item.tokens

    def size(self) -> AdaptiveSize:
        """Tokens the recent zone should hold now."""
        s = self._settings
        density = s.adaptive_steps * sum(self._steps) // len(self._steps) if self._steps else s.recent_tokens
        reach = 0
        if self._reaches:
            ordered = sorted(self._reaches)
            reach = ordered[min(int(s.adaptive_quantile * len(ordered)), len(ordered) - 1)]
        tokens = min(max(density, reach, s.adaptive_min_tokens), s.adaptive_max_tokens)
        return AdaptiveSize(density, reach, tokens)
