"""Prompt caches written a second time, slowly: whole token lists are compared, nothing is hashed or remembered by row.

In these tests a token is a character with its role, and every row begins with `|`, so equal token lists are equal rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sim.history import Prompt, Row
from sim.provider.cache import BlockRules, BreakpointRules, IntervalRules, ObjectRules, UnitRules
from sim.provider.cache.readiness import lucky
from sim.provider.seam import Mark

Token = tuple[str, str]


def tokens_of(prompt: Prompt, rows: int | None = None) -> list[Token]:
    """The prompt as one token list."""
    return [(row.role, c) for row in prompt.rows[:rows] for c in row.text]


def common(a: Sequence[Token], b: Sequence[Token]) -> int:
    """Tokens at the start that two lists share."""
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n


def ready(rules: Any, now: float, first_byte: float, done: float) -> float:
    """When an entry can be read."""
    if rules.visible == "immediate":
        return now + rules.delay
    return (first_byte if rules.visible == "first_byte" else done) + rules.delay


@dataclass
class Answer:
    read: int
    writes: dict[str, int] = field(default_factory=dict)
    storage: int = 0


class BruteBreakpoint:
    def __init__(self, rules: BreakpointRules) -> None:
        self.rules = rules
        self.entries: list[list[Any]] = []  # [tokens, start, ttl, visible]
        self.counts: dict[str, int] = {}

    def find(self, tokens: list[Token]) -> list[Any] | None:
        for entry in self.entries:
            if entry[0] == tokens:
                return entry
        return None

    def reachable(self, rows: list[Row], mark: int, boundary: int) -> bool:
        if self.rules.positions == "eligible":
            ends = [
                i
                for i in range(1, len(rows) + 1)
                if rows[i - 1].role == "user"
                or (rows[i - 1].role == "tool" and (i == len(rows) or rows[i].role != "tool"))
            ]
            opening = 0
            for row in rows:
                if row.role not in {"tools", "system"}:
                    break
                opening += 1
            before = [i for i in ends if i < mark]
            return boundary == mark or boundary in before[-self.rules.lookback :] or 0 < boundary == opening < mark
        weight = 0
        for i in range(boundary, mark):
            row = rows[i]
            if row.role == "tool" and i > 0 and rows[i - 1].role == "tool":
                continue
            weight += 2 if row.role == "assistant" and row.calls and row.has_text else 1
        return weight + 1 <= self.rules.lookback

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, first_byte: float, done: float, session: str
    ) -> Answer:
        rules, rows = self.rules, prompt.rows
        count = self.counts.get(session, 0)
        self.counts[session] = count + 1
        used = sorted(marks, key=lambda m: m.index)[-rules.max_writes :]
        hit = 0
        if lucky(rules.p_hit, rules.seed, session, count):
            for boundary in range(1, len(rows) + 1):
                tokens = tokens_of(prompt, boundary)
                entry = self.find(tokens)
                if entry is None or len(tokens) < rules.min_tokens:
                    continue
                fits = any(boundary <= m.index and self.reachable(rows, m.index, boundary) for m in used)
                if fits and now - entry[1] <= rules.ttls[entry[2]] and entry[3] <= now:
                    hit = boundary
        writes: dict[str, int] = {}
        reached = len(tokens_of(prompt, hit))
        read = reached
        for ttl in sorted(rules.ttls, key=lambda t: -rules.ttls[t]):
            ends = [len(tokens_of(prompt, m.index)) for m in used if m.ttl == ttl]
            if ends and max(ends) > reached and max(ends) >= rules.min_tokens:
                writes[ttl] = max(ends) - reached
                reached = max(ends)
        visible = ready(rules, now, first_byte, done)
        for mark in [Mark(hit, "")] if hit and rules.refresh_on_read else []:
            entry = self.find(tokens_of(prompt, mark.index))
            assert entry is not None
            entry[1] = now
        for mark in used:
            tokens = tokens_of(prompt, mark.index)
            if len(tokens) < rules.min_tokens:
                continue
            entry = self.find(tokens)
            if entry is not None and now - entry[1] <= rules.ttls[entry[2]]:
                entry[1] = max(entry[1], now) if rules.refresh_on_read else entry[1]
                entry[3] = min(entry[3], visible)
            else:
                if entry is not None:
                    self.entries.remove(entry)
                self.entries.append([tokens, now, mark.ttl, visible])
        return Answer(read, writes)

    def settle(self, prompt: Prompt, done: float, session: str) -> None:
        return


@dataclass
class Stored:
    tokens: list[Token]
    used: float
    visible: float


class BruteInterval:
    def __init__(self, rules: IntervalRules) -> None:
        self.rules = rules
        self.machines: dict[int, list[Stored]] = {}
        self.requests: list[tuple[float, list[Token], str]] = []
        self.counts: dict[str, int] = {}
        self.last: dict[str, tuple[int, float]] = {}

    def best(self, stored: list[Stored], tokens: list[Token], now: float, unseen: bool = False) -> int:
        alive = [s for s in stored if now - s.used <= self.rules.ttl and (unseen or s.visible <= now)]
        return max((common(s.tokens, tokens) for s in alive), default=0)

    def machine(self, prompt: Prompt, now: float, session: str) -> int:
        if not self.rules.routing_rpm:
            return 0
        first = tokens_of(prompt, 1)
        key = session if self.rules.routing_key == "session" else ""
        same = [t for t, f, k in self.requests if now - t < 60 and f == first and k == key]
        self.requests.append((now, first, key))
        return len(same) // self.rules.routing_rpm

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, first_byte: float, done: float, session: str
    ) -> Answer:
        rules, tokens = self.rules, tokens_of(prompt)
        count = self.counts.get(session, 0)
        self.counts[session] = count + 1
        machine = self.machine(prompt, now, session)
        stored = self.machines.setdefault(machine, [])
        best = self.best(stored, tokens, now)
        steps = max(min(best, len(tokens) - 1) // rules.step - rules.withhold, 0)
        read = steps * rules.step
        if read < rules.min_tokens or not lucky(rules.p_hit, rules.seed, session, count):
            read = 0
        # What was read is in use again, in whole rows; the rest becomes readable later.
        for rows in range(len(prompt), 0, -1):
            if len(tokens_of(prompt, rows)) <= best:
                stored.append(Stored(tokens_of(prompt, rows), now, now))
                break
        stored.append(Stored(tokens, now, ready(rules, now, first_byte, done)))
        self.last[session] = (machine, now)
        return Answer(read)

    def settle(self, prompt: Prompt, done: float, session: str) -> None:
        if self.rules.keep_output:
            machine, used = self.last[session]
            self.machines[machine].append(Stored(tokens_of(prompt), used, done + self.rules.delay))


class BruteUnit(BruteInterval):
    def __init__(self, rules: UnitRules) -> None:
        self.unit_rules = rules
        plain = IntervalRules(ttl=rules.ttl, visible=rules.visible, delay=rules.delay)
        super().__init__(plain)
        self.units: list[Stored] = []

    def add(self, tokens: list[Token], used: float, visible: float) -> None:
        if not tokens or len(tokens) < self.unit_rules.min_tokens:
            return
        for unit in self.units:
            if unit.tokens == tokens:
                if used - unit.used <= self.unit_rules.ttl:
                    unit.used, unit.visible = max(unit.used, used), min(unit.visible, visible)
                else:
                    unit.used, unit.visible = used, visible
                return
        self.units.append(Stored(tokens, used, visible))

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, first_byte: float, done: float, session: str
    ) -> Answer:
        rules, tokens = self.unit_rules, tokens_of(prompt)
        count = self.counts.get(session, 0)
        self.counts[session] = count + 1
        stored = self.machines.setdefault(0, [])
        whole = [
            u
            for u in self.units
            if now - u.used <= rules.ttl and u.visible <= now and tokens[: len(u.tokens)] == u.tokens
        ]
        unit = max(whole, key=lambda u: len(u.tokens), default=None)
        length = len(unit.tokens) if unit else 0
        best = self.best(stored, tokens, now)
        stepped = max(best // rules.interval - rules.withhold, 0) * rules.interval if rules.interval else 0
        fortunate = lucky(rules.p_hit, rules.seed, session, count)
        read = min(max(length, stepped), len(tokens) - 1) if fortunate else 0
        read = read if read >= rules.min_tokens else 0
        if fortunate and unit is not None and length >= stepped:
            unit.used = now
        visible = ready(rules, now, first_byte, done)
        if rules.detect:
            self.add(tokens[: self.best(stored, tokens, now, unseen=True)], now, visible)
        if rules.ends:
            self.add(tokens, now, visible)
        for rows in range(len(prompt), 0, -1):
            if len(tokens_of(prompt, rows)) <= best:
                stored.append(Stored(tokens_of(prompt, rows), now, now))
                break
        stored.append(Stored(tokens, now, visible))
        self.last[session] = (0, now)
        return Answer(read)

    def settle(self, prompt: Prompt, done: float, session: str) -> None:
        if self.unit_rules.ends:
            used, visible = self.last[session][1], done + self.unit_rules.delay
            self.add(tokens_of(prompt), used, visible)
            self.machines[0].append(Stored(tokens_of(prompt), used, visible))


class BruteBlock:
    """Every stored block is one node of a tree of token lists; the oldest block goes first, tails before heads."""

    def __init__(self, rules: BlockRules) -> None:
        self.rules = rules
        self.root: list[Any] = [[], 0, [], None, 0]  # [tokens, stamp, children, parent, depth]
        self.nodes: list[list[Any]] = []
        self.clock = 0
        self.sent: set[str] = set()

    def walk(self, tokens: list[Token]) -> list[list[Any]]:
        b, path, node = self.rules.block, [], self.root
        for start in range(0, len(tokens) // b * b, b):
            piece = tokens[start : start + b]
            node = next((c for c in node[2] if c[0] == piece), None)
            if node is None:
                break
            path.append(node)
        return path

    def store(self, tokens: list[Token]) -> None:
        self.clock += 1
        b, node = self.rules.block, self.root
        for start in range(0, len(tokens) // b * b, b):
            piece = tokens[start : start + b]
            child = next((c for c in node[2] if c[0] == piece), None)
            if child is None:
                child = [piece, 0, [], node, node[4] + 1]
                node[2].append(child)
                self.nodes.append(child)
            child[1] = self.clock
            node = child
        while self.rules.capacity_tokens and len(self.nodes) > self.rules.capacity_tokens // b:
            victim = min(self.nodes, key=lambda n: (n[1], -n[4]))
            victim[3][2].remove(victim)
            self.nodes.remove(victim)

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, first_byte: float, done: float, session: str
    ) -> Answer:
        tokens, b = tokens_of(prompt), self.rules.block
        read = min(len(self.walk(tokens)) * b, (len(tokens) - 1) // b * b)
        self.store(tokens)
        self.sent.add(session)
        return Answer(read if read >= self.rules.min_tokens else 0)

    def settle(self, prompt: Prompt, done: float, session: str) -> None:
        if self.rules.keep_output and session in self.sent:
            self.store(tokens_of(prompt))


class BruteObject:
    def __init__(self, rules: ObjectRules) -> None:
        self.rules = rules
        self.objects: list[list[Any]] = []

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, first_byte: float, done: float, session: str
    ) -> Answer:
        if not marks:
            return Answer(0)
        mark = max(marks, key=lambda m: m.index)
        tokens = tokens_of(prompt, mark.index)
        if len(tokens) < self.rules.min_tokens:
            return Answer(0)
        for item in self.objects:
            if item[0] == tokens and now - item[1] <= self.rules.ttls[item[2]]:
                if self.rules.refresh_on_read:
                    item[1] = now
                return Answer(len(tokens))
        self.objects.append([tokens, now, mark.ttl])
        return Answer(0, {mark.ttl: len(tokens)}, round(len(tokens) * self.rules.ttls[mark.ttl]))

    def settle(self, prompt: Prompt, done: float, session: str) -> None:
        return


class BruteNone:
    def serve(self, *args: Any, **kwargs: Any) -> Answer:
        return Answer(0)

    def settle(self, *args: Any, **kwargs: Any) -> None:
        return
