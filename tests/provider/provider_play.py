"""Random sessions for the cache tests: rows of characters, edits, rewrites, pauses, overlapping requests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sim.history import Message, Prompt, Row
from sim.provider.cache import (
    BlockCache,
    BlockRules,
    BreakpointCache,
    BreakpointRules,
    IntervalCache,
    IntervalRules,
    NoCache,
    ObjectCache,
    ObjectRules,
    UnitCache,
    UnitRules,
)
from sim.provider.seam import Mark, PromptCache
from sim.streams import digest64
from tests.provider import provider_brute as brute


def row(role: Any, text: str, calls: int = 0, has_text: bool = True) -> Row:
    """A row whose tokens are its characters; `|` marks its beginning, then come its shape, its text and its end."""
    content = f"|{calls}{'t' if has_text else '-'}{text}."
    message: Message = {"role": role, "content": content}
    return Row(role, digest64(role, content), len(content), message, has_text, calls)


@dataclass(frozen=True)
class Request:
    """One step: the prompt as it stands, its markers and times; then perhaps a reply to settle."""

    session: str
    prompt: Prompt
    marks: list[Mark]
    now: float
    first_byte: float
    done: float
    reply: Row | None


def requests(seed: int, calls: int, *, sessions: int = 3, ttls: tuple[str, ...] = ("5m", "1h")) -> Iterator[Request]:
    """Requests of several sessions that share their beginning; the prompt yielded is the live one."""
    rng = random.Random(seed)
    opening = [row("tools", _word(rng, 30)), row("system", _word(rng, 60))]
    prompts = {f"s{i}": Prompt(opening) for i in range(sessions)}
    now = 1_000.0
    for _ in range(calls):
        now += rng.choice([0.5, 3.0, 20.0, 90.0, 299.0, 300.0, 301.0, 700.0, 4_000.0])
        name = rng.choice(sorted(prompts))
        prompt = prompts[name]
        _change(rng, prompt, opening)
        first_byte = now + rng.choice([0.0, 0.5, 30.0])
        done = first_byte + rng.choice([0.0, 1.0, 60.0])
        reply = None
        if rng.random() < 0.7:
            reply = row("assistant", _word(rng, 25), rng.choice([0, 0, 1, 2]), rng.random() < 0.8)
        yield Request(name, prompt, _marks(rng, prompt, ttls), now, first_byte, done, reply)
        if reply is not None:
            prompt.append(reply)


def _word(rng: random.Random, longest: int) -> str:
    return "".join(rng.choice("ab") for _ in range(rng.randint(0, longest)))


def _change(rng: random.Random, prompt: Prompt, opening: list[Row]) -> None:
    """Append rows; now and then edit one row, cut the end, replace the middle, or start over."""
    draw = rng.random()
    if draw < 0.08 and len(prompt) > 3:
        place = rng.randint(1, len(prompt) - 1)
        tail = prompt.rows[place + 1 :]
        old = prompt.rows[place]
        text = old.text[3:-1]
        cut = rng.randint(0, len(text))
        prompt.truncate(place)
        prompt.append(row(old.role, text[:cut] + _word(rng, 10), old.calls, old.has_text))
        for item in tail:
            prompt.append(item)
    elif draw < 0.13 and len(prompt) > 4:
        keep = prompt.rows[-2:]
        prompt.truncate(min(len(opening), len(prompt)))
        prompt.append(row("user", "sum" + _word(rng, 20)))
        for item in keep:
            prompt.append(item)
    elif draw < 0.16:
        prompt.truncate(rng.randint(0, len(prompt)))
    elif draw < 0.18:
        prompt.truncate(0)
        for item in opening:
            prompt.append(item)
    for _ in range(rng.randint(0, 3)):
        kind = rng.choice(["user", "tool", "tool", "assistant"])
        prompt.append(row(kind, _word(rng, 20), rng.choice([0, 1]) if kind == "assistant" else 0, rng.random() < 0.9))
    if not len(prompt):
        prompt.append(row("user", "x"))


def _marks(rng: random.Random, prompt: Prompt, ttls: tuple[str, ...]) -> list[Mark]:
    count = rng.choice([0, 1, 2, 3, 4, 4, 4, 6])
    places = {len(prompt)} if rng.random() < 0.8 else set()
    places |= {rng.randint(1, len(prompt)) for _ in range(count)}
    ordered = sorted(places)
    long_until = rng.randint(0, len(ordered)) if len(ttls) > 1 else 0
    return [Mark(p, ttls[1] if i < long_until else ttls[0]) for i, p in enumerate(ordered)]


@dataclass(frozen=True)
class Case:
    """A cache and its slow twin."""

    name: str
    rules: Any

    def fast(self) -> PromptCache:
        kinds = {
            BreakpointRules: BreakpointCache,
            IntervalRules: IntervalCache,
            UnitRules: UnitCache,
            BlockRules: BlockCache,
            ObjectRules: ObjectCache,
        }
        return NoCache() if self.rules is None else kinds[type(self.rules)](self.rules)

    def slow(self) -> Any:
        kinds: dict[Any, Any] = {
            BreakpointRules: brute.BruteBreakpoint,
            IntervalRules: brute.BruteInterval,
            UnitRules: brute.BruteUnit,
            BlockRules: brute.BruteBlock,
            ObjectRules: brute.BruteObject,
        }
        return brute.BruteNone() if self.rules is None else kinds[type(self.rules)](self.rules)

    @property
    def ttls(self) -> tuple[str, ...]:
        """TTL classes of its markers."""
        return tuple(getattr(self.rules, "ttls", {"5m": 0, "1h": 0}))


CASES = (
    Case("anthropic", BreakpointRules(min_tokens=40)),
    Case("short-lookback", BreakpointRules(min_tokens=1, lookback=3)),
    Case("openai-5.6", BreakpointRules(min_tokens=30, positions="eligible", lookback=4, ttls={"30m": 1_800.0})),
    Case("qwen", BreakpointRules(min_tokens=20, ttls={"5m": 300.0}, visible="done", delay=2.0)),
    Case("no-refresh", BreakpointRules(min_tokens=1, refresh_on_read=False, p_hit=0.7, seed=3)),
    Case("openai-5", IntervalRules(min_tokens=32, step=16)),
    Case("implicit", IntervalRules(min_tokens=10, step=1, ttl=240, visible="done", delay=3.0, keep_output=True)),
    Case("routed", IntervalRules(min_tokens=8, step=8, ttl=1_800, routing_rpm=2, routing_key="prefix", p_hit=0.8)),
    Case("withheld", IntervalRules(min_tokens=8, step=8, withhold=1, ttl=86_400, keep_output=True)),
    Case("deepseek", UnitRules(interval=16, withhold=1, ttl=3_600, delay=2.0)),
    Case("units-only", UnitRules(interval=0, ttl=900, visible="first_byte", min_tokens=5)),
    Case("units-detected", UnitRules(interval=0, ends=False, ttl=86_400, p_hit=0.9)),
    Case("vllm", BlockRules(block=16, capacity_tokens=800)),
    Case("vllm-tiny", BlockRules(block=4, capacity_tokens=160, min_tokens=8)),
    Case("sglang", BlockRules(block=1, capacity_tokens=400)),
    Case("unbounded", BlockRules(block=8, keep_output=False)),
    Case("gemini-object", ObjectRules(min_tokens=30, ttls={"object": 3_600.0})),
    Case("object-renewed", ObjectRules(min_tokens=5, ttls={"object": 600.0}, refresh_on_read=True)),
    Case("none", None),
)
"""Every family, with parameters small enough that each rule bites on short rows."""
