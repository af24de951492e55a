"""Sessions played with parts whose results can be worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from world_parts import MAKER, Obedient, PlainProvider, once, script, setup

from sim.engine import Attempt, AuxReply, AuxRequest, Hook, Outcome, Rewrite
from sim.errors import EngineError, SimulationError
from sim.history import Blank, Splice
from sim.ledger import Ledger
from sim.provider.auxiliary import AuxiliaryBehaviour
from sim.streams import Streams
from sim.world import AuxiliaryRoute, KeepAlive, play


def run(engine: Obedient, *, streams: int = 1, sessions: Any = None, **options: Any) -> Ledger:
    return play(setup(engine, **options), sessions or [script()], replication=0, streams=Streams(streams))


def rewrite(start: int, stop: int, tokens: int, kind: str = "compaction", site: str = "after_tools") -> Outcome:
    splice = Splice(start, stop, (Blank("user", tokens, "summary"),))
    return Outcome((Rewrite(kind, site, (splice,), 1_300, 1_000),), estimate=1_000)  # type: ignore[arg-type]


def test_hooks_come_in_the_order_of_the_contract() -> None:
    engine = Obedient()
    run(engine)
    call = ["before_call", "after_response"]
    turn = ["turn_start", *call, "after_tools", *call, "after_tools", *call, "turn_end"]
    assert engine.seen == turn * 2
    assert engine.closed == 1


def test_prompts_grow_by_what_was_appended_and_usage_is_the_whole_prompt() -> None:
    engine = Obedient()
    ledger = run(engine)
    assert [c.input_tokens for c in ledger.calls] == [1_100, 1_300, 1_500, 1_700, 1_900, 2_100]
    assert [u.prompt for u in engine.usages if u] == [c.input_tokens for c in ledger.calls]
    assert [c.started_by for c in ledger.calls] == ["user", "tool", "tool"] * 2
    assert [c.started_s for c in ledger.calls] == [0, 7, 14, 79, 86, 93]
    assert all(c.first_write_tokens == c.input_tokens - c.cache_read_tokens for c in ledger.calls)
    assert not ledger.breaks
    session = ledger.sessions[0]
    assert (session.calls, session.turns, session.tool_calls, session.end) == (6, 2, 4, "finished")
    assert session.cost_pico == sum(c.cost_read_pico + c.cost_write_pico + c.cost_output_pico for c in ledger.calls)


def test_a_long_pause_goes_cold_and_says_so() -> None:
    ledger = run(Obedient(), sessions=[script(gap=301)])
    cold = ledger.calls[3]
    assert (cold.cache_read_tokens, cold.lost_ttl_tokens, cold.first_write_tokens) == (0, 1_500, 200)
    assert cold.penalty_pico == 1_500 * (12 - 1)
    assert [(b.cause, b.tokens, b.call) for b in ledger.breaks] == [("ttl", 1_500, 4)]
    # The call before started 5 s before its answer, so a gap of 295 s is the last one that still reads.
    assert not run(Obedient(), sessions=[script(gap=295)]).breaks


def test_a_compaction_loses_what_follows_it() -> None:
    ledger = run(Obedient(after_tools=once(rewrite(0, 2, 50))))
    second = ledger.calls[1]
    # system 1,000 + summary 50 + the tool result that was new anyway
    assert (second.input_tokens, second.cache_read_tokens) == (1_150, 1_000)
    assert (second.lost_compaction_tokens, second.first_write_tokens) == (50, 100)
    made = ledger.rewrites[0]
    assert (made.tokens_before, made.tokens_after, made.kept_prefix_tokens, made.call) == (1_300, 1_150, 1_000, 2)
    assert ledger.sessions[0].first_fire_estimate == 1_300


def test_an_attempt_changes_nothing_but_is_kept() -> None:
    ledger = run(Obedient(before_call=once(Outcome((Attempt("before_call", "aborted", 900),)))))
    assert [(r.kind, r.note, r.call) for r in ledger.rewrites] == [("attempt", "aborted", 1)]
    assert [c.input_tokens for c in ledger.calls] == [1_100, 1_300, 1_500, 1_700, 1_900, 2_100]


def test_a_request_over_the_window_ends_the_session_unless_the_engine_helps() -> None:
    ledger = run(Obedient(), window=1_600)
    session = ledger.sessions[0]
    assert (session.end, session.calls) == ("overflow", 3)
    refused = ledger.calls[-1]
    assert (refused.outcome, refused.input_tokens, refused.estimate_tokens) == ("overflow", 0, 1_700)

    def shrink(error: str, now: float) -> Hook:
        return rewrite(0, 5, 10, site="overflow")
        yield

    helped = run(Obedient(on_overflow=shrink), window=1_600)
    assert helped.sessions[0].end == "finished"
    assert [c.outcome for c in helped.calls].count("overflow") == 2
    assert max(c.input_tokens for c in helped.calls) <= 1_600


def test_a_view_is_refused_by_name() -> None:
    event = Rewrite("mask", "before_call", (), 0, 0, stored=False)
    with pytest.raises(SimulationError, match="view"):
        run(Obedient(before_call=once(Outcome((event,)))))


def asks(answers: list[AuxReply]) -> Any:
    left = [1]

    def hook(*_: object) -> Hook:
        if not left:
            return Outcome()
        left.pop()
        answers.append((yield AuxRequest("compression", None, tokens=400)))
        return rewrite(0, 2, 20)

    return hook


def route(**behaviour: Any) -> AuxiliaryRoute:
    return AuxiliaryRoute(PlainProvider(model="small"), MAKER, AuxiliaryBehaviour(**behaviour), lambda s, n: "x" * n)


def test_an_auxiliary_call_takes_time_is_billed_and_answers() -> None:
    answers: list[AuxReply] = []
    behaviour = {"summary_sigma": 0.0, "summary_tokens": 80, "overhead_s": 2.0, "input_tokens_per_s": 100.0}
    ledger = run(Obedient(after_tools=asks(answers)), auxiliary=route(**behaviour, output_tokens_per_s=80.0))
    helper = next(c for c in ledger.calls if c.kind == "auxiliary")
    assert (helper.input_tokens, helper.fresh_tokens, helper.output_tokens, helper.model) == (400, 400, 80, "small")
    assert (helper.cost_fresh_pico, helper.cost_output_pico) == (4_000, 4_000)
    assert helper.ended_s - helper.started_s == pytest.approx(2 + 4 + 1)
    assert answers[0].failure is None
    assert answers[0].tokens == 80
    # The next main call starts when the auxiliary call is over: 5 s answer, 2 s tool, 7 s summary.
    assert ledger.calls[2].started_s == pytest.approx(14)
    assert ledger.rewrites[0].auxiliary_calls == 1


@pytest.mark.parametrize(
    ("kind", "status", "billed"),
    [("rate_limit", 429, 0), ("timeout", None, 0), ("refusal", None, 400), ("auth", 401, 0), ("cut_off", None, 400)],
)
def test_failures_are_decided_in_the_world(kind: str, status: int | None, billed: int) -> None:
    answers: list[AuxReply] = []
    ledger = run(Obedient(after_tools=asks(answers)), auxiliary=route(failures={kind: 1.0}, timeout_s=90.0))
    helper = next(c for c in ledger.calls if c.kind == "auxiliary")
    assert (answers[0].failure, answers[0].status, helper.outcome) == (kind, status, kind)
    assert helper.input_tokens == billed
    if kind == "timeout":
        assert helper.ended_s - helper.started_s == 90


def test_a_prompt_larger_than_the_auxiliary_window_is_refused_by_its_provider() -> None:
    answers: list[AuxReply] = []
    run(Obedient(after_tools=asks(answers)), auxiliary=route(window=399))
    assert (answers[0].failure, answers[0].status) == ("bad_request", 400)


def test_an_engine_that_asks_without_an_auxiliary_model_is_an_error() -> None:
    with pytest.raises(EngineError, match="auxiliary"):
        run(Obedient(after_tools=asks([])))


def test_pings_keep_the_cache_warm_until_they_give_up() -> None:
    away = [script(gap=1_800)]
    cold = run(Obedient(), sessions=away)
    warm = run(Obedient(), sessions=away, keep_alive=KeepAlive(240, 3_600))
    pings = [c for c in warm.calls if c.kind == "ping"]
    assert len(pings) == 7
    assert [round(p.started_s) for p in pings] == [19 + 240 * n for n in range(1, 8)]
    assert all(p.cache_read_tokens == p.input_tokens == 1_500 and p.output_tokens == 0 for p in pings)
    assert cold.calls[3].lost_ttl_tokens == 1_500
    assert not warm.breaks
    short = run(Obedient(), sessions=away, keep_alive=KeepAlive(240, 500))
    assert sum(c.kind == "ping" for c in short.calls) == 2
    assert sum(b.tokens for b in short.breaks) == 1_500


def test_pre_warming_writes_the_prefix_before_the_first_message() -> None:
    ledger = run(Obedient(), prewarm=True)
    ping, first = ledger.calls[:2]
    assert (ping.kind, ping.cache_write_tokens, ping.output_tokens) == ("ping", 1_000, 0)
    assert (first.cache_read_tokens, first.cache_write_tokens) == (1_000, 100)


def test_sessions_of_one_replication_share_the_cache_and_the_clock() -> None:
    from dataclasses import replace

    late = replace(script(session="t"), started_at=50.0)
    ledger = run(Obedient(), sessions=[script(), late])
    firsts = {c.session: c for c in ledger.calls if c.call == 1}
    assert firsts["s"].cache_read_tokens == 0
    # The second session's system prompt was sent by the first one less than five minutes before.
    assert firsts["t"].cache_read_tokens == 1_000
    assert firsts["t"].started_s == 0


def test_the_same_seed_gives_the_same_ledger() -> None:
    one = run(Obedient(after_tools=asks([])), auxiliary=route(summary_tokens=80))
    two = run(Obedient(after_tools=asks([])), auxiliary=route(summary_tokens=80))
    other = run(Obedient(after_tools=asks([])), auxiliary=route(summary_tokens=80), streams=2)
    assert one == two
    assert one != other


def test_an_error_inside_a_session_keeps_its_remedy() -> None:
    with pytest.raises(EngineError) as caught:
        run(Obedient(after_tools=asks([])))
    assert caught.value.remedy == "name one under `auxiliary.compression`"
    assert "auxiliary.compression" in str(caught.value)
