"""Idle compaction at its boundaries (case d08), and what every auxiliary failure comes to."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hermes_play import START, Played, make, play, request, row, summarise

from sim.engine.contract import AuxReply, AuxRequest, Outcome, Usage
from sim.engine.hermes.client import HermesEngine
from sim.engine.hermes.process.hermes_sim_host import rules

CASE = yaml.safe_load((Path(__file__).parents[2] / "cases" / "d08_idle_predicate_boundaries.yaml").read_text("utf-8"))
ANSWER = row({"role": "assistant", "content": "done"})
PLAYED = make(11, 30)


def run(hook, answer=summarise) -> Outcome:
    """One hook to its end."""
    try:
        asked = next(hook)
        number = 0
        while True:
            number += 1
            asked = hook.send(answer(asked, number, START))
    except StopIteration as ended:
        return ended.value


def resume(engine: HermesEngine, limit: int, gap: float, tokens: int, *, cooling: bool = False) -> bool:
    """Whether idle compaction fires when a session of `tokens` tokens is resumed after `gap` seconds."""
    compression = {
        "threshold": 0.7,
        "threshold_tokens": CASE["inputs"]["trigger"],
        "target_ratio": CASE["inputs"]["target_ratio"],
        "idle_compact_after_seconds": limit,
    }
    session = engine.open(request(PLAYED, {"compression": compression}, window=1_000_000))
    now = START
    _, user, steps = PLAYED.turns[0]
    run(session.turn_start([user], 0.0, now))
    for step in steps:
        now += 1
        run(session.before_call(now))
        run(session.after_response(step.reply, Usage(5_000, 10), now))
        run(session.after_tools(step.results, now))
    if cooling:  # the provider refuses the request, and the auxiliary model fails: a failure cooldown starts
        broken = run(session.on_overflow("too long", now), lambda *_: AuxReply(None, 0, now, "auth", 401))
        assert broken.events[0].reason == "aborted"
    message = row({"role": "user", "content": "go on"})
    priced = rules.dense_tokens(rules.shape(message.message))
    run(session.after_response(ANSWER, Usage(tokens - priced - 7, 7), now))
    run(session.turn_end(now))
    outcome = run(session.turn_start([message], gap, now + gap))
    session.close()
    return any(event.site == "idle" for event in outcome.events)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [(i, e) for i, e in zip(CASE["inputs"]["rows"], CASE["expected"]["fires"]["value"], strict=True) if not i[3]],
)
def test_idle_predicate_of_the_worked_case(late: HermesEngine, inputs: list, expected: bool) -> None:
    limit, gap, tokens, _ = inputs
    assert resume(late, limit, gap, tokens) is expected


def test_idle_waits_for_a_failure_cooldown(late: HermesEngine) -> None:
    """The engine's cooldowns are shorter than the case's half hour, so the limit is shorter here."""
    assert resume(late, 30, 40.0, 200_000) is True
    assert resume(late, 30, 40.0, 200_000, cooling=True) is False
    assert resume(late, 30, 61.0, 200_000, cooling=True) is True


LATE_OUTCOMES = {
    "no_provider": ("fallback_text", 600),
    "timeout": ("aborted", 60),
    "rate_limit": ("fallback_text", 60),
    "overloaded": ("aborted", 60),
    "auth": ("aborted", 60),
    "budget": ("aborted", 60),
    "connection": ("aborted", 30),
    "not_json": ("fallback_text", 30),
    "bad_request": ("fallback_text", 60),
    "empty": ("aborted", 30),
    "cut_off": ("aborted", 60),
    "refusal": ("aborted", 30),
}
EARLY_OUTCOMES = LATE_OUTCOMES | {
    "overloaded": ("fallback_text", 60),
    "empty": ("fallback_text", 60),
    "cut_off": ("", None),  # accepted as a good summary
    "refusal": ("", None),
}


def first_failure(engine: HermesEngine, kind: str, settings: dict) -> tuple[str, list[float]]:
    """How the first pass ends, and the times of the passes after it (s after it) while every call fails."""
    passes: list[tuple[float, str]] = []

    def fail(_: AuxRequest, number: int, now: float) -> AuxReply:
        passes.append((now, kind))
        return AuxReply(None, 0, now, kind, None, "openrouter", "sim-model")

    story = play(engine, BIG, settings, answer=fail, window=128_000)
    outcome = next(event for event in story.events if "compaction" in event or event[2] != "blocked")
    return str(outcome[-1] if outcome[2] == "compaction" else outcome[2]), [at - passes[0][0] for at, _ in passes[1:]]


BIG: Played = make(12, 70, result=12_000)


@pytest.mark.parametrize("kind", LATE_OUTCOMES)
def test_failures_of_the_late_version(late: HermesEngine, kind: str) -> None:
    expected, cooldown = LATE_OUTCOMES[kind]
    outcome, later = first_failure(late, kind, {"compression": {"threshold": 0.5}})
    assert outcome == expected
    assert later == [] or later[0] >= cooldown


@pytest.mark.parametrize("kind", EARLY_OUTCOMES)
def test_failures_of_the_early_version(early: HermesEngine, kind: str) -> None:
    expected, cooldown = EARLY_OUTCOMES[kind]
    outcome, later = first_failure(early, kind, {"compression": {"threshold": 0.5}})
    assert outcome == expected
    assert cooldown is None or later == [] or later[0] >= cooldown


def test_abort_on_summary_failure_turns_fallbacks_into_aborts(late: HermesEngine) -> None:
    settings = {"compression": {"threshold": 0.5, "abort_on_summary_failure": True}}
    assert first_failure(late, "rate_limit", settings)[0] == "aborted"


def test_sustained_overload_degrades_at_the_third_time(late: HermesEngine) -> None:
    def fail(_: AuxRequest, number: int, now: float) -> AuxReply:
        return AuxReply(None, 0, now + 1, "overloaded", 503, "openrouter", "sim-model")

    story = play(late, make(12, 110, result=12_000), {"compression": {"threshold": 0.5}}, answer=fail, window=128_000)
    passes = [kind.split()[1] for kind in story.kinds() if kind.split()[1] in ("aborted", "compaction")]
    assert passes[:3] == ["aborted", "aborted", "compaction"]
    assert "cooldown" in {kind.split()[1] for kind in story.kinds()}


def test_another_route_is_left_for_the_main_model_once(late: HermesEngine) -> None:
    """The package learns the model from `route_info`, and retries on the main model when that one failed."""

    def fail(_: AuxRequest, number: int, now: float) -> AuxReply:
        if number == 1:
            return AuxReply(None, 0, now + 1, "rate_limit", 429, "openrouter", "some-flash")
        return summarise(_, number, now)

    story = play(late, make(13, 40, result=12_000), {"compression": {"threshold": 0.5}}, answer=fail, window=128_000)
    first = next(event for event in story.events if event[2] == "compaction")
    assert first[-1] == ""
    assert story.prompts[0] == story.prompts[1]


def test_an_auxiliary_window_below_the_minimum_stops_the_session(late: HermesEngine, early: HermesEngine) -> None:
    for engine in (late, early):
        played = make(14, 60, result=12_000)
        story = play(engine, played, {"compression": {"threshold": 0.5}}, window=128_000, auxiliary_window=32_000)
        assert story.stop == "auxiliary_window_below_minimum"


def test_an_auxiliary_window_below_the_trigger_lowers_it(late: HermesEngine) -> None:
    played = make(15, 90, result=6_000)
    plain = play(late, played, {"compression": {"threshold": 0.5}}, window=200_000)
    lowered = play(late, played, {"compression": {"threshold": 0.5}}, window=200_000, auxiliary_window=70_000)
    assert not plain.events or plain.events[0][3] >= 150_000
    assert 70_000 <= lowered.events[0][3] < 100_000


def test_gateway_hygiene_compacts_before_the_message(late: HermesEngine) -> None:
    played = make(16, 60, per_turn=6, result=2_000)
    settings = {"compression": {"threshold": 0.9, "hygiene_hard_message_limit": 60}}
    with_gateway = play(late, played, settings, gateway=True)
    assert "hygiene compaction" in with_gateway.kinds()
    assert play(late, played, settings).events == []


def test_overflow_runs_the_attempts_of_the_turn_and_then_gives_up(late: HermesEngine) -> None:
    session = late.open(request(PLAYED, {"compression": {"threshold": 0.5, "max_attempts": 2}}))
    story = iter(PLAYED.turns[0][2])
    run(session.turn_start([PLAYED.turns[0][1]], 0.0, START))
    for step in story:
        run(session.after_response(step.reply, Usage(20_000, 10), START))
        run(session.after_tools(step.results, START))
    first = run(session.on_overflow("prompt is too long", START))
    assert [event.site for event in first.events] == ["overflow"]
    assert first.stop is None
    outcomes = [first]
    while outcomes[-1].stop is None:
        outcomes.append(run(session.on_overflow("still too long", START)))
    assert len(outcomes) <= 3
    assert outcomes[-1].stop == "overflow"
    assert outcomes[-1].events[-1].reason in ("overflow_attempts_exhausted", "overflow_cannot_shrink")
    session.close()


def test_another_model_moves_the_trigger(late: HermesEngine) -> None:
    session = late.open(request(PLAYED, {"compression": {"threshold": 0.5}}, window=1_000_000))
    run(session.turn_start([PLAYED.turns[0][1]], 0.0, START))
    run(session.on_model_change("smaller", 128_000, START))
    run(session.after_response(PLAYED.turns[0][2][0].reply, Usage(100_000, 10), START))
    fired = run(session.after_tools(PLAYED.turns[0][2][0].results, START))
    assert [event.site for event in fired.events] == ["after_tools"]
    session.close()


def test_micro_compaction_folds_old_exchanges_when_switched_on(late: HermesEngine) -> None:
    played = make(17, 60, per_turn=4, result=9_000)
    story = play(late, played, {"compression": {"threshold": 0.9, "micro_compact": True}})
    assert "turn_end micro_compaction" in story.kinds()
