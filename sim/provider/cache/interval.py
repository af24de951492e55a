"""Automatic prefix caches: any prefix another request sent can be read, down to whole steps of tokens.

OpenAI up to GPT-5.5 and DeepSeek work this way (developers.openai.com prompt-caching guide; api-docs.deepseek.com
kv_cache guide). A rewritten row keeps the common text before the edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.history import Prompt, Row
from sim.provider.seam import Mark, Served, Why


@dataclass(frozen=True, slots=True)
class IntervalRules:
    """Parameters of the family.

    Attributes:
        min_tokens: shortest prefix that is read.
        step: reads are whole multiples of this many tokens.
        ttl: seconds after the last use.
        longest: seconds after the first write beyond which an entry is gone whatever its use.
        withhold_last: whether the last full step of a request is not stored.
        keep_output: whether generated tokens can be read later.
    """

    min_tokens: int = 1_024
    step: int = 128
    ttl: float = 600.0
    longest: float = 3_600.0
    withhold_last: bool = False
    keep_output: bool = True


@dataclass(slots=True)
class _Trace:
    """The last prompt of one session: enough to find how far a new one agrees with it."""

    chain: list[int]
    rows: list[Row]
    length: int
    stored: int
    used: float
    born: float


class IntervalCache:
    """One scope; entries are the row boundaries of earlier prompts, found by their prefix hash."""

    def __init__(self, rules: IntervalRules) -> None:
        self._rules = rules
        self._boundaries: dict[int, tuple[float, float]] = {}
        self._traces: dict[str, _Trace] = {}

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, *, first_byte: float, done: float, session: str = ""
    ) -> Served:
        """Read the longest stored prefix, rounded down to a step; store the whole prompt."""
        rules = self._rules
        shared, alive, born = self._shared(prompt, session, now)
        read, why = 0, "first"
        if shared and not alive:
            why = "ttl"
        elif shared < rules.min_tokens:
            why = "minimum" if shared else "first"
        else:
            # At least one token is always computed anew.
            read = min(shared, prompt.tokens - 1) // rules.step * rules.step
            why = "granularity"
            read = read if read >= rules.min_tokens else 0
        stored = prompt.tokens - (rules.step if rules.withhold_last else 0)
        start = born if read else now
        self._remember(prompt, session, max(stored, 0), now, start)
        reason: Why = why  # type: ignore[assignment]  # every value above is one of Why's
        return Served(read, {}, prompt.tokens - read, reason)

    def settle(self, prompt: Prompt, done: float, *, session: str = "") -> None:
        """Generated tokens can be read as part of the next prompt."""
        trace = self._traces.get(session)
        if trace is None or not self._rules.keep_output:
            return
        self._remember(prompt, session, prompt.tokens, trace.used, trace.born)

    def _alive(self, used: float, born: float, now: float) -> bool:
        return now - used <= self._rules.ttl and now - born <= self._rules.longest

    def _shared(self, prompt: Prompt, session: str, now: float) -> tuple[int, bool, float]:
        """Tokens at the start that a stored prompt has too; whether it is alive; when it was first written."""
        trace = self._traces.get(session)
        best, alive, born = 0, False, now
        if trace is not None:
            same = _common(trace.chain, prompt.chain, trace.length, len(prompt))
            tokens = prompt.sums[same]
            if same < min(trace.length, len(prompt)):
                tokens += prompt.rows[same].shared_tokens(trace.rows[same])
            best, alive, born = min(tokens, trace.stored), self._alive(trace.used, trace.born, now), trace.born
            if alive and best:
                return best, True, born
        # Another session of the scope: boundaries are checked from the end, as far as this prompt differs from ours.
        for index in range(len(prompt), 0, -1):
            found = self._boundaries.get(prompt.chain[index])
            if found is not None and self._alive(found[0], found[1], now):
                return prompt.sums[index], True, found[1]
            if trace is not None and index < trace.length - 64:
                break
        return best, alive, born

    def _remember(self, prompt: Prompt, session: str, stored: int, used: float, born: float) -> None:
        old = self._traces.get(session)
        length = len(prompt)
        start = 0
        if old is not None:
            start = _common(old.chain, prompt.chain, old.length, length)
            del old.chain[start + 1 :], old.rows[start:]
            old.chain.extend(prompt.chain[start + 1 :])
            old.rows.extend(prompt.rows[start:])
            old.length, old.stored, old.used, old.born = length, stored, used, born
        else:
            self._traces[session] = _Trace(list(prompt.chain), list(prompt.rows), length, stored, used, born)
        for index in range(start + 1, length + 1):
            self._boundaries[prompt.chain[index]] = (used, born)


def _common(a: Sequence[int], b: Sequence[int], length_a: int, length_b: int) -> int:
    """Rows at the start that two prompts share: equal hashes are equal prefixes, so a bisection finds the end."""
    low, high = 0, min(length_a, length_b)
    while low < high:
        middle = (low + high + 1) // 2
        if a[middle] == b[middle]:
            low = middle
        else:
            high = middle - 1
    return low
