"""Engines `none` and `parametric`: closed forms, exact landings, gates, failures."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engine import Attempt, AuxReply, AuxRequest, Engine, Open, Outcome, Rewrite, Usage
from sim.engine.none import NoneEngine
from sim.engine.parametric import ParametricEngine, in_tokens, parse_level, read_settings
from sim.errors import ScenarioError
from sim.history import Blank, History, Row, RowMaker
from sim.tokens import TokenModel
from sim.workload.curve import draw_curve
from sim.workload.script import Script

MAKER = RowMaker(TokenModel("none"))


def finish(hook: Any, failure: Any = None) -> Outcome:
    """Run a hook; every auxiliary call ends as `failure`."""
    try:
        request = next(hook)
        while True:
            assert isinstance(request, AuxRequest)
            request = hook.send(AuxReply(None, 100, 50.0, failure))
    except StopIteration as stop:
        return stop.value


class Stage:
    """One session on token counts, as the world would play it."""

    def __init__(
        self, engine: Engine, settings: dict[str, Any], *, prefix: int = 1_000, window: int = 1_000_000
    ) -> None:
        rows = (MAKER.row(Blank("system", prefix, "system")),)
        self.history = History(rows)
        self.session = engine.open(Open("s", "m", window, None, rows, settings))
        self.events: list[Rewrite | Attempt] = []
        self.sent: list[int] = []
        self.now = 0.0
        self.made = 0

    def row(self, role: Any, tokens: int, calls: int = 0) -> Row:
        self.made += 1
        return MAKER.row(Blank(role, tokens, f"r{self.made}", calls=calls))

    def apply(self, hook: Any, failure: Any = None) -> None:
        outcome = finish(hook, failure)
        for event in outcome.events:
            self.events.append(event)
            if isinstance(event, Rewrite):
                self.history.splice(
                    [(s.start, s.stop, [MAKER.row(r) for r in s.rows]) for s in event.splices], event.kind
                )
        if outcome.estimate is not None:
            assert outcome.estimate == self.history.tokens

    def user(self, tokens: int) -> None:
        row = self.row("user", tokens)
        self.history.append(row)
        self.apply(self.session.turn_start((row,), 0.0, self.now))

    def call(self, output: int, results: tuple[int, ...] = (), failure: Any = None) -> None:
        self.now += 1.0
        self.apply(self.session.before_call(self.now), failure)
        self.sent.append(self.history.tokens)
        reply = self.row("assistant", output, len(results))
        usage = Usage(self.history.tokens, output)
        self.history.append(reply)
        self.apply(self.session.after_response(reply, usage, self.now))
        if results:
            rows = tuple(self.row("tool", size) for size in results)
            for row in rows:
                self.history.append(row)
            self.apply(self.session.after_tools(rows, self.now), failure)


def play_curve(engine: Engine, settings: dict[str, Any], script: Script) -> Stage:
    stage = Stage(engine, settings, prefix=script.prefix[0].tokens)
    for turn in script.turns:
        for row in turn.users:
            stage.history.append(row)
        stage.apply(stage.session.turn_start(turn.users, turn.gap, stage.now))
        for reply in turn.replies:
            stage.apply(stage.session.before_call(stage.now))
            stage.sent.append(stage.history.tokens)
            usage = Usage(stage.history.tokens, reply.row.tokens)
            stage.history.append(reply.row)
            stage.apply(stage.session.after_response(reply.row, usage, stage.now))
            if reply.tools:
                rows = tuple(tool.result for tool in reply.tools)
                for row in rows:
                    stage.history.append(row)
                stage.apply(stage.session.after_tools(rows, stage.now))
    return stage


@pytest.mark.parametrize("calls_per_turn", [0, 1, 7])
def test_sawtooth_of_the_worked_case(calls_per_turn: int) -> None:
    """Case d03: 50 calls from 10K by 2K, cap 60K, landing 20K."""
    script = draw_curve(calls=50, first=10_000, growth=2_000, calls_per_turn=calls_per_turn)
    capped = play_curve(ParametricEngine(), {"parametric": {"trigger": 60_000, "landing": 20_000}}, script)
    free = play_curve(NoneEngine(), {}, script)
    assert sum(capped.sent) == 1_750_000
    assert len(capped.events) == 2
    assert max(capped.sent) == 58_000
    assert sum(free.sent) == 2_950_000
    assert free.events == []


@pytest.mark.parametrize("keep_tail", [0, 5_000, 10_000, 1_000_000])
def test_a_landing_is_exact_whatever_the_tail(keep_tail: int) -> None:
    settings = {"parametric": {"trigger": 50_000, "landing": 20_000, "keep_tail": keep_tail}}
    stage = Stage(ParametricEngine(), settings)
    stage.user(200)
    for _ in range(40):
        stage.call(100, (1_900,))
    landings = [e.estimate_after for e in stage.events if isinstance(e, Rewrite)]
    assert landings
    assert set(landings) == {20_000}


def test_without_a_landing_prefix_summary_and_tail_add_up() -> None:
    stage = Stage(ParametricEngine(), {"parametric": {"trigger": 30_000, "summary_tokens": 1_500, "keep_tail": 4_100}})
    stage.user(200)
    for _ in range(20):
        stage.call(50, (1_950,))
    first = next(e for e in stage.events if isinstance(e, Rewrite))
    # Two whole exchanges of 2,000 tokens fit the tail.
    assert first.estimate_after == 1_000 + 1_500 + 4_000


def test_a_tail_never_starts_with_results() -> None:
    stage = Stage(ParametricEngine(), {"parametric": {"trigger": 20_000, "keep_tail": 5_000}})
    stage.user(100)
    for _ in range(10):
        stage.call(100, (1_000, 1_000, 1_500))
        body = stage.history.body
        if body[0].message is None and len(stage.events):
            assert body[1].role != "tool"
    assert stage.events


def test_the_gate_may_stand_after_the_tools() -> None:
    early = Stage(ParametricEngine(), {"parametric": {"trigger": 20_000, "check": "after_tools"}})
    late = Stage(ParametricEngine(), {"parametric": {"trigger": 20_000}})
    for stage in (early, late):
        stage.user(100)
        for _ in range(12):
            stage.call(100, (2_000,))
    assert {e.site for e in early.events} == {"after_tools"}
    assert {e.site for e in late.events} == {"before_call"}


def test_a_failed_summary_keeps_the_history_and_waits() -> None:
    stage = Stage(ParametricEngine(), {"parametric": {"trigger": 10_000, "retry_after": 60}})
    stage.user(100)
    for _ in range(9):
        stage.call(100, (2_000,), failure="timeout")
    # The reply came at 50 s and nothing is tried for a minute, so one attempt is all.
    assert [e.reason for e in stage.events if isinstance(e, Attempt)] == ["aborted"]
    assert stage.sent == sorted(stage.sent)


def test_a_failed_summary_may_fall_back_to_no_model() -> None:
    stage = Stage(ParametricEngine(), {"parametric": {"trigger": 10_000, "on_failure": "fallback", "keep_tail": 0}})
    stage.user(100)
    for _ in range(9):
        stage.call(100, (2_000,), failure="rate_limit")
    notes = {e.note for e in stage.events if isinstance(e, Rewrite)}
    assert notes == {"fallback_text"}


def test_the_auxiliary_prompt_is_what_is_summarised_unless_set() -> None:
    def asked(**more: Any) -> int | None:
        stage = Stage(
            ParametricEngine(), {"parametric": {"trigger": 5_000, "keep_tail": 0, "summary_tokens": 100, **more}}
        )
        stage.user(4_000)
        try:
            return next(stage.session.before_call(1.0)).tokens
        except StopIteration:
            return None

    assert asked() == 4_000
    assert asked(auxiliary_tokens="20K") == 20_000
    assert asked(auxiliary_tokens=0) is None


def test_overflow_compacts_below_the_trigger() -> None:
    stage = Stage(ParametricEngine(), {"parametric": {"trigger": 900_000, "keep_tail": 1_000}})
    stage.user(100)
    for _ in range(5):
        stage.call(100, (4_000,))
    stage.apply(stage.session.on_overflow("context_length_exceeded", 9.0))
    assert [e.site for e in stage.events] == ["overflow"]
    assert stage.history.tokens == 1_000 + 2_000


def test_nothing_to_gain_is_said_and_not_done() -> None:
    stage = Stage(ParametricEngine(), {"parametric": {"trigger": 2_000, "summary_tokens": 5_000, "keep_tail": 0}})
    stage.user(3_000)
    stage.call(10)
    assert [e.reason for e in stage.events if isinstance(e, Attempt)] == ["unchanged"]


def test_prune_gives_back_its_share_of_old_results() -> None:
    rule = {"at": 10_000, "min_reclaim": 5_000, "keep_last": 4, "share_reclaimed": 0.9, "min_result": 500}
    stage = Stage(ParametricEngine(), {"parametric": {"trigger": None, "prune": rule}})
    stage.user(100)
    for _ in range(12):
        stage.call(100, (1_000, 200))
    prunes = [e for e in stage.events if isinstance(e, Rewrite)]
    assert {e.kind for e in prunes} == {"prune"}
    for event in prunes:
        # Only the large results go, each down to a tenth.
        assert event.estimate_before - event.estimate_after == 900 * len(event.splices)
        assert event.estimate_before - event.estimate_after >= 5_000
    assert len(prunes) == 1 + (12 - 2 - 6) // 6


@given(
    sizes=st.lists(st.tuples(st.integers(0, 500), st.integers(1, 5_000)), min_size=1, max_size=40),
    trigger=st.integers(3_000, 40_000),
    summary=st.integers(0, 4_000),
    tail=st.integers(0, 20_000),
)
def test_a_session_never_grows_by_a_rewrite(
    sizes: list[tuple[int, int]], trigger: int, summary: int, tail: int
) -> None:
    settings = {"parametric": {"trigger": trigger, "summary_tokens": summary, "keep_tail": tail}}
    stage = Stage(ParametricEngine(), settings)
    stage.user(50)
    for output, result in sizes:
        stage.call(output, (result,))
    for event in stage.events:
        if isinstance(event, Rewrite):
            assert event.estimate_after < event.estimate_before
            assert event.estimate_before >= trigger


@given(low=st.integers(5_000, 50_000), more=st.integers(0, 50_000))
def test_a_higher_trigger_never_sends_less(low: int, more: int) -> None:
    def sent(trigger: int) -> int:
        stage = Stage(ParametricEngine(), {"parametric": {"trigger": trigger, "landing": 3_000, "keep_tail": 0}})
        stage.user(50)
        for _ in range(40):
            stage.call(50, (1_500,))
        return sum(stage.sent)

    # From one landing a higher trigger only lets each tooth of the saw grow further.
    assert sent(low) <= sent(low + more) + (low + more)


@pytest.mark.parametrize(
    ("written", "tokens"),
    [("230K", 230_000), ("50%", 100_000), (0.5, 100_000), ("0.25", 50_000), (60_000, 60_000), ("1.5M", 1_500_000)],
)
def test_levels(written: object, tokens: int) -> None:
    assert in_tokens(parse_level(written), 200_000) == tokens


@pytest.mark.parametrize("written", ["0%", 1.5, "150%", "lots", True, "2.5"])
def test_levels_that_are_none(written: object) -> None:
    with pytest.raises(ValueError, match=r"share|token"):
        parse_level(written)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"trigger": "60K", "landing": "60K"}, "must be below"),
        ({"triger": 1}, "triger"),
        ({"prune": {"at": "10K", "keep_last": "x"}}, "prune.keep_last"),
        ({"keep_tail": -5}, "keep_tail"),
    ],
)
def test_bad_settings_name_the_key(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=said) as caught:
        read_settings(settings)
    assert "keep_tail" in str(caught.value.remedy)


def test_resolve_tells_the_trigger_and_what_is_not_read() -> None:
    info = ParametricEngine().resolve(
        Open("s", "m", 200_000, None, (), {"parametric": {"trigger": "50%"}, "compression": {"threshold": 0.7}})
    )
    assert (info.trigger_tokens, info.trigger_rule) == (100_000, "trigger")
    assert [one.setting for one in info.ignored] == ["compression.threshold"]
    clipped = ParametricEngine().resolve(Open("s", "m", 50_000, None, (), {"parametric": {"trigger": "60K"}}))
    assert (clipped.trigger_tokens, clipped.trigger_rule) == (50_000, "window")
    assert NoneEngine().resolve(Open("s", "m", 50_000, None, (), {})).trigger_tokens is None
