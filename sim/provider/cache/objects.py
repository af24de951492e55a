"""Explicit cache objects (Gemini `cachedContents`): a prefix is stored by name and pays rent for all its lifetime.

Creation is billed as input, reads at the read price, storage by token-hour whether read or not; a read does not extend
the lifetime (ai.google.dev/gemini-api/docs/caching).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sim.history import Prompt
from sim.provider.cache.trace import Trace, unchanged_tokens
from sim.provider.seam import Mark, Served, Why


@dataclass(frozen=True, slots=True)
class ObjectRules:
    """Parameters of the family.

    Attributes:
        min_tokens: shortest prefix that can be stored.
        ttls: lifetime of each class, seconds, fixed at creation.
        refresh_on_read: whether a read restarts it (Gemini: only an update does).
    """

    min_tokens: int = 4_096
    ttls: Mapping[str, float] = field(default_factory=lambda: {"object": 3_600.0})
    refresh_on_read: bool = False


class ObjectCache:
    """One project's objects; the last marker of a request names the object it uses, or creates it."""

    def __init__(self, rules: ObjectRules) -> None:
        self._rules = rules
        self._objects: dict[int, tuple[float, str]] = {}
        self._traces: dict[str, Trace] = {}

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, *, first_byte: float, done: float, session: str = ""
    ) -> Served:
        """Read the object at the last marker, or create it: `writes` are the creating request's input tokens."""
        rules = self._rules
        trace = self._traces.setdefault(session, Trace())
        common = trace.common(prompt)
        mark = max(marks, key=lambda m: m.index, default=None)
        read, writes, storage = 0, {}, 0
        expired = False
        if mark is not None and prompt.sums[mark.index] >= rules.min_tokens:
            key, tokens = prompt.chain[mark.index], prompt.sums[mark.index]
            found = self._objects.get(key)
            if found is not None and now - found[0] <= rules.ttls[found[1]]:
                read = tokens
                if rules.refresh_on_read:
                    self._objects[key] = (now, found[1])
            else:
                expired = found is not None
                self._objects[key] = (now, mark.ttl)
                writes = {mark.ttl: tokens}
                storage = round(tokens * rules.ttls[mark.ttl])
        why = self._why(prompt, trace, common, read, expired, bool(writes) or read > 0)
        trace.follow(prompt, common)
        trace.sent, trace.count = len(prompt), trace.count + 1
        return Served(read, writes, prompt.tokens - read - sum(writes.values()), why, storage)

    def settle(self, prompt: Prompt, done: float, *, session: str = "") -> None:
        """Objects hold what was stored in them, nothing else."""

    def _why(self, prompt: Prompt, trace: Trace, common: int, read: int, expired: bool, stored: bool) -> Why:
        if not trace.count:
            return "first"
        if read >= unchanged_tokens(trace, prompt, common):
            return ""
        if expired:
            return "ttl"
        return "granularity" if stored else "minimum"
