"""Automatic prefix caches: any prefix another request sent can be read, down to whole steps of tokens.

OpenAI up to GPT-5.5, Kimi, Mistral, Grok and Gemini's implicit cache work this way (developers.openai.com prompt
caching guide and the providers' own pages). A rewritten row keeps the common text before the edit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from sim.history import Prompt
from sim.provider.cache.readiness import lucky, moment
from sim.provider.cache.trace import Trace, unchanged_tokens
from sim.provider.cache.tree import Path, RowTree
from sim.provider.seam import Mark, Served, Why


@dataclass(frozen=True, slots=True)
class IntervalRules:
    """Parameters of the family.

    Attributes:
        min_tokens: shortest prefix that is read.
        step: reads are whole multiples of this many tokens.
        withhold: steps at the end of the match that are never served.
        ttl: seconds after the last use.
        visible: when a prompt can be read by others: `immediate`, `first_byte` or `done`.
        delay: seconds after that moment.
        keep_output: whether generated tokens can be read later.
        p_hit: share of formally matching requests that are served (below 1 for best-effort caches).
        routing_rpm: requests a minute with one beginning that stay on one machine; 0 for no limit. More go to the
            next machine, whose cache is its own.
        routing_key: what a beginning is told by: `session` (clients that send a cache key) or `prefix`.
        seed: of the draws for `p_hit`.
    """

    min_tokens: int = 1_024
    step: int = 128
    withhold: int = 0
    ttl: float = 600.0
    visible: str = "first_byte"
    delay: float = 0.0
    keep_output: bool = False
    p_hit: float = 1.0
    routing_rpm: int = 0
    routing_key: str = "session"
    seed: int = 0


class Router:
    """Which machine answers: requests with the same beginning above the limit a minute overflow to the next one."""

    def __init__(self, rpm: int) -> None:
        self._rpm = rpm
        self._times: dict[tuple[int, str], deque[float]] = {}

    def machine(self, prompt: Prompt, now: float, key: str = "") -> int:
        """Number of the machine, 0 for the first."""
        if not self._rpm:
            return 0
        # Providers hash about the first 256 tokens; the first row is the nearest boundary there is.
        times = self._times.setdefault((prompt.chain[min(1, len(prompt))], key), deque())
        while times and now - times[0] >= 60:
            times.popleft()
        times.append(now)
        return (len(times) - 1) // self._rpm


class IntervalCache:
    """One scope; a request costs what changed since the session's last one."""

    def __init__(self, rules: IntervalRules) -> None:
        self._rules = rules
        self._router = Router(rules.routing_rpm)
        self._machines: list[RowTree] = []
        self._paths: dict[tuple[int, str], Path] = {}
        self._last: dict[str, tuple[int, Trace, float]] = {}

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, *, first_byte: float, done: float, session: str = ""
    ) -> Served:
        """Read the longest stored prefix, rounded down to a step; store the whole prompt."""
        rules = self._rules
        machine = self._router.machine(prompt, now, session if rules.routing_key == "session" else "")
        while machine >= len(self._machines):
            self._machines.append(RowTree(rules.ttl))
        tree = self._machines[machine]
        before = self._last.get(session)
        path = self._paths.setdefault((machine, session), Path())
        common = path.common(prompt)
        _, shared = tree.longest(prompt, now, common)
        count = before[1].count if before else 0
        served = lucky(rules.p_hit, rules.seed, session, count)
        # At least one token is always computed anew.
        steps = max(min(shared, prompt.tokens - 1) // rules.step - rules.withhold, 0)
        read = steps * rules.step if served and steps * rules.step >= rules.min_tokens else 0
        why = self._why(prompt, before, machine, read, shared, served, now)
        tree.store(path, prompt, common, now, moment(rules.visible, rules.delay, now, first_byte, done))
        path.sent, path.count = len(prompt), count + 1
        self._last[session] = (machine, path, now)
        return Served(read, {}, prompt.tokens - read, why)

    def settle(self, prompt: Prompt, done: float, *, session: str = "") -> None:
        """Generated tokens can be read as part of the next prompt, where the provider keeps them."""
        last = self._last.get(session)
        if last is None or not self._rules.keep_output:
            return
        machine, path, used = last
        assert isinstance(path, Path)
        self._machines[machine].store(path, prompt, path.common(prompt), used, done + self._rules.delay)

    def _why(
        self,
        prompt: Prompt,
        before: tuple[int, Trace, float] | None,
        machine: int,
        read: int,
        shared: int,
        served: bool,
        now: float,
    ) -> Why:
        if before is None:
            return "first"
        last_machine, trace, used = before
        unchanged = unchanged_tokens(trace, prompt, trace.common(prompt))
        if read >= unchanged:
            return ""
        if machine != last_machine:
            return "routing"
        if now - used > self._rules.ttl:
            return "ttl"
        if shared < unchanged:
            return "visibility"
        if unchanged < self._rules.min_tokens:
            return "minimum"
        return "granularity" if served else "best_effort"
