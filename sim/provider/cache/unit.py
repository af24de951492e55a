"""Unit caches (DeepSeek): a stored prefix is an indivisible unit, read only when the request begins with all of it.

Units end where a request's input ends, where its output ends, where the system sees that several requests share a
beginning, and at fixed token intervals (api-docs.deepseek.com/guides/kv_cache). Best effort, no write price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.history import Prompt, Row
from sim.provider.cache.readiness import lucky, moment
from sim.provider.cache.trace import unchanged_tokens
from sim.provider.cache.tree import Path, RowTree
from sim.provider.seam import Mark, Served, Why


@dataclass(frozen=True, slots=True)
class UnitRules:
    """Parameters of the family.

    Attributes:
        min_tokens: shortest unit that is kept.
        ttl: seconds after the last use; unused units vanish after hours to days.
        ends: whether units end with each input and output.
        detect: whether a beginning that two requests share becomes a unit.
        interval: tokens between units inside a text; 0 for none (128 fitted 17 of 17 observations).
        withhold: interval units at the end of the match that are never served.
        visible, delay: when a unit can be read; construction takes seconds.
        p_hit: share of formally matching requests that are served.
        seed: of the draws for `p_hit`.
    """

    min_tokens: int = 1
    ttl: float = 86_400.0
    ends: bool = True
    detect: bool = True
    interval: int = 128
    withhold: int = 1
    visible: str = "done"
    delay: float = 0.0
    p_hit: float = 1.0
    seed: int = 0


@dataclass(slots=True)
class _Unit:
    used: float
    visible: float
    row: Row | None = None
    extra: int = 0


class UnitCache:
    """One scope; a request costs what changed, and a search back to the last unit."""

    def __init__(self, rules: UnitRules) -> None:
        self._rules = rules
        self._seen = RowTree(rules.ttl)
        self._paths: dict[str, Path] = {}
        self._units: dict[int, _Unit] = {}
        self._inside: dict[int, list[_Unit]] = {}

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, *, first_byte: float, done: float, session: str = ""
    ) -> Served:
        """Read the longest whole unit; store the units of this request."""
        rules = self._rules
        path = self._paths.setdefault(session, Path())
        common = path.common(prompt)
        served = lucky(rules.p_hit, rules.seed, session, path.count)
        unit, length = self._longest(prompt, now)
        stepped = self._stepped(prompt, now, common)
        read = max(min(max(length, stepped), prompt.tokens - 1), 0)
        read = read if served and read >= rules.min_tokens else 0
        if served and unit is not None and length >= stepped:
            unit.used = now
        why = self._why(prompt, path, common, read, served, now)
        visible = moment(rules.visible, rules.delay, now, first_byte, done)
        if rules.detect:
            self._detect(prompt, now, common, visible)
        if rules.ends:
            self._add(prompt.chain[-1], prompt.tokens, now, visible)
        self._seen.store(path, prompt, common, now, visible)
        path.sent, path.count = len(prompt), path.count + 1
        return Served(read, {}, prompt.tokens - read, why)

    def settle(self, prompt: Prompt, done: float, *, session: str = "") -> None:
        """A unit ends with the model's output."""
        path = self._paths.get(session)
        if path is None or not self._rules.ends:
            return
        visible = done + self._rules.delay
        self._add(prompt.chain[-1], prompt.tokens, path.used, visible)
        self._seen.store(path, prompt, path.common(prompt), path.used, visible)

    def _alive(self, unit: _Unit, now: float) -> bool:
        return now - unit.used <= self._rules.ttl

    def _add(self, key: int, tokens: int, now: float, visible: float) -> None:
        if tokens < self._rules.min_tokens:
            return
        old = self._units.get(key)
        if old is None or not self._alive(old, now):
            self._units[key] = _Unit(now, visible)
        else:
            old.used, old.visible = max(old.used, now), min(old.visible, visible)

    def _longest(self, prompt: Prompt, now: float) -> tuple[_Unit | None, int]:
        """The longest readable unit that the prompt begins with, and its tokens."""
        for index in range(len(prompt), 0, -1):
            if index < len(prompt):
                inside = self._longest_inside(prompt, index, now)
                if inside is not None:
                    return inside, prompt.sums[index] + inside.extra
            unit = self._units.get(prompt.chain[index])
            if unit is not None and self._alive(unit, now) and unit.visible <= now:
                return unit, prompt.sums[index]
        inside = self._longest_inside(prompt, 0, now) if len(prompt) else None
        return inside, 0 if inside is None else inside.extra

    def _longest_inside(self, prompt: Prompt, index: int, now: float) -> _Unit | None:
        best: _Unit | None = None
        for unit in self._inside.get(prompt.chain[index], ()):
            if (best is None or unit.extra > best.extra) and self._alive(unit, now) and unit.visible <= now:
                assert unit.row is not None
                if prompt.rows[index].shared_tokens(unit.row) >= unit.extra:
                    best = unit
        return best

    def _stepped(self, prompt: Prompt, now: float, common: int) -> int:
        rules = self._rules
        if not rules.interval:
            return 0
        _, shared = self._seen.longest(prompt, now, common)
        return max(shared // rules.interval - rules.withhold, 0) * rules.interval

    def _detect(self, prompt: Prompt, now: float, common: int, visible: float) -> None:
        """The beginning that this request shares with an earlier one becomes a unit."""
        rows, tokens = self._seen.longest(prompt, now, common, unseen=True)
        extra = tokens - prompt.sums[rows]
        if tokens < self._rules.min_tokens or not tokens:
            return
        if not extra:
            self._add(prompt.chain[rows], tokens, now, visible)
            return
        units = self._inside.setdefault(prompt.chain[rows], [])
        for unit in units:
            assert unit.row is not None
            if unit.extra == extra and prompt.rows[rows].shared_tokens(unit.row) >= extra:
                if self._alive(unit, now):
                    unit.used, unit.visible = max(unit.used, now), min(unit.visible, visible)
                else:
                    unit.used, unit.visible = now, visible
                return
        units.append(_Unit(now, visible, prompt.rows[rows], extra))

    def _why(self, prompt: Prompt, path: Path, common: int, read: int, served: bool, now: float) -> Why:
        if not path.count:
            return "first"
        unchanged = unchanged_tokens(path, prompt, common)
        if read >= unchanged:
            return ""
        if not served:
            return "best_effort"
        if now - path.used > self._rules.ttl:
            return "ttl"
        if unchanged < self._rules.min_tokens:
            return "minimum"
        unit = self._units.get(prompt.chain[min(common, path.sent)])
        return "visibility" if unit is not None and unit.visible > now else "granularity"
