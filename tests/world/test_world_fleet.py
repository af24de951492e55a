"""Fleets in one world: closed forms, limits, and directions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from world_parts import MAKER, TTL, Obedient, PlainProvider, row, script, setup

from sim.engine import AuxReply, AuxRequest, Outcome
from sim.engine.none import NoneEngine
from sim.engine.parametric import ParametricEngine
from sim.ledger import Ledger
from sim.provider import AuxiliaryBehaviour
from sim.provider.limits import AccountLimits, AuxiliaryLimits, Outage, Retry
from sim.streams import Streams
from sim.workload import draw_curve
from sim.workload.arrivals import DAY_S, arrival_times
from sim.workload.script import Reply, Script, Turn
from sim.world import AuxiliaryRoute, Member, Setup, play, play_fleet

FREE = AccountLimits()


def short(name: str, at: float, seconds: float, *, prefix: str = "system", tokens: int = 100) -> Script:
    """A session of one call."""
    reply = Reply(row("assistant", 10, f"{name}-a"), seconds)
    first = (row("system", 1_000, prefix),)
    return Script(name, first, (Turn(0.0, (row("user", tokens, f"{name}-u"),), (reply,)),), False, started_at=at)


def played(scripts: Sequence[Script], limits: AccountLimits = FREE, arm: Setup | None = None, seed: int = 1) -> Ledger:
    own = arm or setup(NoneEngine())
    members = [Member(own, s, "group") for s in scripts]
    return play_fleet(members, limits, started_at=0.0, replication=0, streams=Streams(seed))


def arrivals(per_second: float, count: int, seed: int = 3) -> list[float]:
    per_day = per_second * DAY_S
    return arrival_times(Streams(seed), "group", per_day, 1.2 * count / per_day)[:count]


# closed forms -------------------------------------------------------------------------------------------------------


def erlang_c(servers: int, load: float) -> float:
    """Share of customers who wait in M/M/c."""
    last = load**servers / math.factorial(servers) / (1 - load / servers)
    return last / (sum(load**k / math.factorial(k) for k in range(servers)) + last)


@pytest.mark.parametrize(("servers", "load"), [(1, 0.5), (3, 2.1)])
def test_waiting_for_a_place_is_that_of_mmc(servers: int, load: float) -> None:
    mean, count = 4.0, 10_000
    rng = np.random.default_rng(5)
    service = rng.exponential(mean, count)
    starts = arrivals(load / mean, count)
    ledger = played(
        [short(f"s{i}", at, float(service[i])) for i, at in enumerate(starts)], AccountLimits(concurrency=servers)
    )
    waits = [s.waited_s for s in ledger.sessions]
    expected = erlang_c(servers, load) * mean / (servers - load)
    assert np.mean(waits) == pytest.approx(expected, rel=0.12)
    assert np.mean([w > 1e-9 for w in waits]) == pytest.approx(erlang_c(servers, load), rel=0.06)


@pytest.mark.parametrize("mean_gap", [150.0, 300.0, 900.0])
def test_sessions_find_the_shared_prefix_by_the_poisson_formula(mean_gap: float) -> None:
    starts = arrivals(1 / mean_gap, 4_000)
    ledger = played([short(f"s{i}", at, 1.0) for i, at in enumerate(starts)])
    hits = np.mean([c.cache_read_tokens > 0 for c in ledger.calls])
    assert hits == pytest.approx(1 - math.exp(-TTL / mean_gap), abs=0.02)


def test_pauses_within_a_session_miss_by_the_exponential_formula() -> None:
    rng, mean = np.random.default_rng(2), 400.0
    one = script(turns=3_000, calls=1)
    turns = tuple(replace(t, gap=float(rng.exponential(mean))) for t in one.turns)
    calls = played([replace(one, turns=turns)]).calls[1:]
    # The lifetime runs from the last request's start, and an answer takes five seconds of it.
    misses = np.mean([c.lost_ttl_tokens > 0 for c in calls])
    assert misses == pytest.approx(math.exp(-(TTL - 5.0) / mean), abs=0.025)


def test_a_steady_sawtooth_has_the_mean_of_its_edges() -> None:
    trigger, landing, growth = 100_000, 40_000, 1_000
    arm = replace(
        setup(ParametricEngine()),
        settings={"parametric": {"trigger": trigger, "landing": landing, "auxiliary_tokens": 0}},
    )
    ledger = played([draw_curve(calls=700, first=20_000, growth=growth, output=100)], arm=arm)
    sizes = [c.input_tokens for c in ledger.calls]
    drops = [i for i in range(1, len(sizes)) if sizes[i] < sizes[i - 1]]
    steady = sizes[drops[0] : drops[-1]]
    assert len(drops) >= 8
    assert np.mean(steady) == pytest.approx((landing + trigger - growth) / 2, rel=1e-3)


def test_requests_pass_at_the_rate_of_the_limit() -> None:
    rpm, many = 60, 40
    limits = AccountLimits(rpm=rpm, retry=Retry(first=1.0, most=4.0, attempts=10_000))
    ledger = played([script(turns=1, calls=30, session=f"s{i}") for i in range(many)], limits)
    starts = sorted(c.started_s for c in ledger.calls if c.outcome == "ok")
    assert len(starts) == many * 30
    # One minute's worth passes at once, the rest at the rate, as long as enough sessions ask.
    for passed in (300, 600, 900):
        assert starts[passed - 1] == pytest.approx((passed - rpm) * 60 / rpm, rel=0.02)
    for i in range(len(starts) - rpm * 2):
        assert starts[i + rpm * 2] - starts[i] >= 60 - 1e-6


@pytest.mark.parametrize("cached_counts", [True, False])
def test_tokens_pass_at_the_rate_of_the_limit(cached_counts: bool) -> None:
    tpm = 20_000
    limits = AccountLimits(tpm=tpm, cached_counts=cached_counts, retry=Retry(first=1.0, most=4.0, attempts=10_000))
    ledger = played([script(turns=1, calls=20, session=f"s{i}") for i in range(20)], limits)
    calls = [c for c in ledger.calls if c.outcome == "ok"]
    counted = sum(c.input_tokens - (0 if cached_counts else c.cache_read_tokens) for c in calls)
    last = max(calls, key=lambda c: c.started_s)
    final = last.input_tokens - (0 if cached_counts else last.cache_read_tokens)
    # All but the bucket's first minute was waited for; the last request may leave a debt.
    assert last.started_s >= (counted - final - tpm) * 60 / tpm - 1
    assert last.started_s <= counted * 60 / tpm
    assert any(c.outcome == "rate_limit" for c in ledger.calls)


# directions ---------------------------------------------------------------------------------------------------------


def test_a_larger_limit_never_raises_waiting() -> None:
    scripts = [script(turns=2, calls=6, session=f"s{i}") for i in range(25)]
    for key, values in (("rpm", (10, 20, 40, 80, 2_000)), ("tpm", (20_000, 40_000, 80_000, 10_000_000))):
        waited = [
            sum(s.waited_s for s in played(scripts, AccountLimits(**{key: v}, retry=Retry(attempts=10_000))).sessions)
            for v in values
        ]
        assert waited == sorted(waited, reverse=True)
        assert waited[0] > waited[-1] == 0


def test_a_shared_prefix_never_raises_the_cost() -> None:
    starts = arrivals(1 / 200, 300)
    shared = played([short(f"s{i}", at, 1.0) for i, at in enumerate(starts)])
    apart = played([short(f"s{i}", at, 1.0, prefix=f"own-{i}") for i, at in enumerate(starts)])
    assert all(a.cost_pico <= b.cost_pico for a, b in zip(shared.sessions, apart.sessions, strict=True))
    assert sum(s.cost_pico for s in shared.sessions) < sum(s.cost_pico for s in apart.sessions)


def test_other_models_have_caches_and_limits_of_their_own() -> None:
    other = replace(setup(NoneEngine()), provider=PlainProvider(model="other"))
    members = [
        Member(setup(NoneEngine()), short("a", 0.0, 1.0), "x"),
        Member(other, short("b", 10.0, 1.0), "y"),
        Member(other, short("c", 20.0, 1.0), "y"),
    ]
    ledger = play_fleet(members, AccountLimits(rpm=1), started_at=0.0, replication=0, streams=Streams(1))
    served = {c.session: c for c in ledger.calls if c.outcome == "ok"}
    assert [served[s].cache_read_tokens for s in "abc"] == [0, 0, 1_000]
    assert [c.session for c in ledger.calls if c.outcome == "rate_limit"][:1] == ["c"]
    assert {s.session: s.group for s in ledger.sessions} == {"a": "x", "b": "y", "c": "y"}


# the account --------------------------------------------------------------------------------------------------------


def test_without_limits_a_session_plays_as_it_does_alone() -> None:
    one = replace(script(turns=3, calls=4), started_at=500.0)
    alone = play(setup(NoneEngine()), [one], replication=0, streams=Streams(1))
    fleet = play_fleet(
        [Member(setup(NoneEngine()), one, "")], FREE, started_at=500.0, replication=0, streams=Streams(1)
    )
    assert fleet == alone


def test_requests_of_an_outage_are_refused_and_come_back() -> None:
    limits = AccountLimits(outages=(Outage(at=4.0, lasts=60.0),))
    ledger = played([script(turns=1, calls=3)], limits)
    refused = [c for c in ledger.calls if c.outcome == "overloaded"]
    assert refused
    assert all(4.0 <= c.started_s < 64.0 and c.ended_s > c.started_s for c in refused)
    assert all(c.input_tokens == c.cost_fresh_pico == c.cost_write_pico == c.cost_read_pico == 0 for c in refused)
    [session] = ledger.sessions
    assert (session.end, session.calls, session.refused_requests) == ("finished", 3, len(refused))
    assert session.waited_s == pytest.approx(sum(c.ended_s - c.started_s for c in refused))
    # Waits grow twofold between half and all of 2, 4, 8, … seconds.
    for n, c in enumerate(refused):
        assert 2**n <= c.ended_s - c.started_s <= 2 ** (n + 1)


def test_a_session_refused_too_often_fails() -> None:
    limits = AccountLimits(outages=(Outage(at=4.0, lasts=1e6),), retry=Retry(attempts=3))
    ledger = played([script(turns=1, calls=3)], limits)
    [session] = ledger.sessions
    assert (session.end, session.calls, session.refused_requests) == ("failed", 1, 3)


@pytest.mark.parametrize("budget", [Decimal("0.00000004"), Decimal("0.0000001"), Decimal("0.000001")])
def test_the_budget_is_never_passed(budget: Decimal) -> None:
    ledger = played([script(turns=2, calls=5, session=f"s{i}") for i in range(6)], AccountLimits(budget=budget))
    spent = sum(s.cost_pico for s in ledger.sessions)
    assert 0 < spent <= int(budget * 10**12)
    ends = {s.end for s in ledger.sessions}
    assert ends == ({"finished"} if budget > Decimal("0.0000009") else ends & {"finished", "budget"})
    assert ("budget" in ends) == (budget < Decimal("0.0000009"))
    assert sum(s.calls for s in ledger.sessions) == sum(c.outcome == "ok" for c in ledger.calls)


def test_places_are_given_back_when_the_budget_ends_a_session() -> None:
    limits = AccountLimits(budget=Decimal("0.00000003"), concurrency=1)
    ledger = played([script(turns=1, calls=3, session=f"s{i}") for i in range(4)], limits)
    assert len(ledger.sessions) == 4


def test_unrecorded_sessions_load_the_account_and_leave_no_row() -> None:
    arm = setup(NoneEngine())
    members = [
        Member(arm, short("crowd", 0.0, 1.0), "g", recorded=False),
        Member(arm, short("seen", 5.0, 1.0), "g"),
    ]
    ledger = play_fleet(members, AccountLimits(rpm=1), started_at=0.0, replication=0, streams=Streams(1))
    assert {c.session for c in ledger.calls} == {"seen"} == {s.session for s in ledger.sessions}
    assert ledger.calls[0].outcome == "rate_limit"
    assert ledger.calls[-1].cache_read_tokens == 1_000


# the summarising model ----------------------------------------------------------------------------------------------


def route(model: str) -> AuxiliaryRoute:
    return AuxiliaryRoute(PlainProvider(model=model), MAKER, AuxiliaryBehaviour(), lambda seed, tokens: "x")


def summaries(
    limits: AccountLimits, sessions: int = 4, fallback: str | None = "priced"
) -> tuple[Ledger, list[AuxReply]]:
    """Sessions that ask for one summary each, one a minute."""
    replies: list[AuxReply] = []

    class Asking(Obedient):
        def turn_start(self, rows, gap, now):  # type: ignore[no-untyped-def]
            replies.append((yield AuxRequest("compression", None, 5_000, max_tokens=500)))
            return Outcome()

    arm = replace(
        setup(Asking(), auxiliary=route("small:free")), auxiliary_fallback=route(fallback) if fallback else None
    )
    return played([short(f"s{i}", 60.0 * i, 1.0) for i in range(sessions)], limits, arm), replies


def test_a_used_up_free_model_gives_way_to_a_priced_one() -> None:
    ledger, replies = summaries(AccountLimits(auxiliary=AuxiliaryLimits(per_day=2)))
    rows = [(c.session, c.model, c.outcome) for c in ledger.calls if c.kind == "auxiliary"]
    assert rows[:2] == [("s0", "small:free", "ok"), ("s1", "small:free", "ok")]
    assert rows[2:4] == [("s2", "small:free", "rate_limit"), ("s2", "priced", "ok")]
    assert [r.model for r in replies] == ["small:free", "small:free", "priced", "priced"]
    assert all(r.failure is None for r in replies)


def test_without_a_fallback_the_engine_hears_of_the_limit() -> None:
    ledger, replies = summaries(AccountLimits(auxiliary=AuxiliaryLimits(per_day=2)), fallback=None)
    assert [r.failure for r in replies] == [None, None, "rate_limit", "rate_limit"]
    refused = [c for c in ledger.calls if c.kind == "auxiliary" and c.outcome == "rate_limit"]
    assert len(refused) == 2
    assert all(c.input_tokens == 0 == c.cost_fresh_pico for c in refused)


def test_free_models_have_the_published_limits_unasked() -> None:
    _, replies = summaries(FREE, sessions=1_002)
    assert [r.model for r in replies].count("priced") == 2
    assert [r.model for r in replies][-2:] == ["priced", "priced"]
