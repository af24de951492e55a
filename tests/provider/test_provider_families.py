"""One suite for every cache family: what must hold whatever the provider."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.history import Prompt
from sim.provider import TokenUse
from sim.provider.cache import UnitRules
from sim.provider.pricing import find_card
from sim.provider.seam import Mark, Served
from tests.provider.provider_play import CASES, Case, requests, row

AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
WHY = {"", "first", "ttl", "minimum", "lookback", "visibility", "best_effort", "routing", "evicted", "granularity"}
every_family = pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
seeds = st.integers(0, 10**6)


def play(case: Case, seed: int, calls: int, ttls: tuple[str, ...] = ()) -> list[Served]:
    cache, served = case.fast(), []
    for r in requests(seed, calls, sessions=2, ttls=ttls or case.ttls):
        got = cache.serve(r.prompt, r.marks, r.now, first_byte=r.first_byte, done=r.done, session=r.session)
        assert got.read + sum(got.writes.values()) + got.fresh == r.prompt.tokens
        assert min(got.read, got.fresh, got.storage, *got.writes.values(), 0) == 0
        assert got.why in WHY
        served.append(got)
        if r.reply is not None:
            r.prompt.append(r.reply)
            cache.settle(r.prompt, r.done, session=r.session)
            r.prompt.truncate(len(r.prompt) - 1)
    return served


@every_family
@given(seed=seeds)
def test_conservation_and_same_seed_same_answers(case: Case, seed: int) -> None:
    assert play(case, seed, 15) == play(case, seed, 15)


def longer(rules: Any, times: float) -> Any:
    if hasattr(rules, "ttls"):
        return replace(rules, ttls={name: seconds * times for name, seconds in rules.ttls.items()})
    return replace(rules, ttl=rules.ttl * times)


@pytest.mark.parametrize(
    "case", [c for c in CASES if hasattr(c.rules, "ttl") or hasattr(c.rules, "ttls")], ids=lambda c: c.name
)
@given(seed=seeds)
def test_longer_lifetime_never_raises_misses(case: Case, seed: int) -> None:
    """With one class of markers. Where a read renews nothing, or only the longest unit, an entry that ends earlier may
    have been written again later, so only an endless lifetime is surely no worse."""
    renewed = getattr(case.rules, "refresh_on_read", not isinstance(case.rules, UnitRules))
    times = 4 if renewed else 10**9
    one = case.ttls[:1]
    short, long = play(case, seed, 25, one), play(Case("", longer(case.rules, times)), seed, 25, one)
    assert all(a.read <= b.read for a, b in zip(short, long, strict=True))


@pytest.mark.parametrize("capacity", [80, 160, 400])
@given(seed=seeds)
def test_unlimited_memory_never_reads_less(capacity: int, seed: int) -> None:
    case = next(c for c in CASES if c.name == "vllm-tiny")
    small = play(Case("", replace(case.rules, capacity_tokens=capacity)), seed, 25)
    large = play(Case("", replace(case.rules, capacity_tokens=0)), seed, 25)
    assert all(a.read <= b.read for a, b in zip(small, large, strict=True))


REPEATS = [c for c in CASES if c.rules is not None and c.name != "units-detected"]
"""Cases in which a repeated request reads; units that are only detected exist after the second."""


@pytest.mark.parametrize("case", REPEATS, ids=lambda c: c.name)
def test_second_identical_request_reads(case: Case) -> None:
    # Best-effort caches draw their luck; here it is good.
    rules = replace(case.rules, p_hit=1.0) if hasattr(case.rules, "p_hit") else case.rules
    cache = Case("", rules).fast()
    prompt = Prompt([row("system", "a" * 60), row("user", "b" * 60)])
    marks = [Mark(2, case.ttls[0])]
    first = cache.serve(prompt, marks, 0.0, first_byte=1.0, done=2.0)
    second = cache.serve(prompt, marks, 10.0, first_byte=11.0, done=12.0)
    assert first.read == 0
    assert first.why == "first"
    assert second.read > 0
    assert sum(second.writes.values()) == 0


@pytest.mark.parametrize("case", [c for c in CASES if getattr(c.rules, "routing_rpm", 0) == 0], ids=lambda c: c.name)
def test_order_of_concurrent_requests_does_not_matter(case: Case) -> None:
    """Requests that start together see the same past; a server's blocks alone are there at once."""
    shared = [row("system", "a" * 50)]
    prompts = {name: Prompt([*shared, row("user", name * 40)]) for name in "xyz"}
    answers = set()
    for order in itertools.permutations("xyz"):
        cache = case.fast()
        got = {}
        for name in order:
            marks = [Mark(1, case.ttls[-1]), Mark(2, case.ttls[-1])]
            s = cache.serve(prompts[name], marks, 5.0, first_byte=9.0, done=20.0, session=name)
            got[name] = (s.read, tuple(s.writes.items()), s.fresh)
        per_session = tuple(got[n] for n in "xyz")
        blocks = hasattr(case.rules, "capacity_tokens") or (hasattr(case.rules, "ttls") and "object" in case.ttls)
        answers.add(tuple(sorted(per_session)) if blocks else per_session)
    assert len(answers) == 1


@every_family
@given(seed=seeds, factor=st.integers(2, 9))
def test_scaling_prices_scales_cost(case: Case, seed: int, factor: int) -> None:
    prices = {
        "input": 3,
        "output": 15,
        "cache_read": 0.3,
        **{f"cache_write_{ttl}": 3.75 for ttl in ("5m", "1h", "30m", "object")},
        "storage_per_mtok_hour": 3.6,
    }
    one = find_card("m", as_of=AS_OF, prices=prices)
    many = find_card("m", as_of=AS_OF, prices={k: v * factor for k, v in prices.items()})
    at = AS_OF.timestamp()
    for s in play(case, seed, 8):
        use = TokenUse(s.read, s.writes, s.fresh, 100, s.storage)
        a, b = one.cost(use, at), many.cost(use, at)
        assert b.total == factor * a.total
        assert a.total == a.read + a.write + a.fresh + a.output + a.storage


@every_family
@given(seed=seeds, read=st.decimals(0, 3, places=3))
def test_without_a_premium_caching_never_costs_more(case: Case, seed: int, read: Any) -> None:
    prices = {"input": 3, "output": 15, "cache_read": read}
    prices |= {f"cache_write_{ttl}": 3 for ttl in ("5m", "1h", "30m", "object")}
    card = find_card("m", as_of=AS_OF, prices=prices)
    at = AS_OF.timestamp()
    for s in play(case, seed, 8):
        whole = s.read + sum(s.writes.values()) + s.fresh
        cached = card.cost(TokenUse(s.read, s.writes, s.fresh), at).total
        assert cached <= card.cost(TokenUse(fresh=whole), at).total


@pytest.mark.parametrize("case", REPEATS, ids=lambda c: c.name)
def test_a_pause_within_the_lifetime_costs_nothing_and_beyond_it_all(case: Case) -> None:
    ttls = getattr(case.rules, "ttls", None)
    ttl = ttls[case.ttls[0]] if ttls else getattr(case.rules, "ttl", None)
    if ttl is None:
        assert case.name in {"vllm", "vllm-tiny", "sglang", "unbounded"}
        return
    prompt = Prompt([row("system", "a" * 60), row("user", "b" * 60)])
    rules = replace(case.rules, p_hit=1.0) if hasattr(case.rules, "p_hit") else case.rules

    def reads(pause: float) -> Served:
        cache = Case("", rules).fast()
        for now in (0.0, pause):
            s = cache.serve(prompt, [Mark(2, case.ttls[0])], now, first_byte=now, done=now)
        return s

    assert reads(ttl).read > 0
    late = reads(ttl + 1)
    assert late.read == 0
    assert late.why == "ttl"
