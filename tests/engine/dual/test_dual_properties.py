"""What holds for every session: rules no compression may break."""

from __future__ import annotations

import copy
import json
import random

import pytest
from dual_material import quarter, session
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.engine.contract import AuxReply
from sim.engine.dual import DualCompressionSystem, DualSettings, read_settings
from sim.engine.dual.item import full_text
from sim.errors import ScenarioError
from sim.history import RowMaker, unpaired_calls
from sim.tokens import token_model


def size(messages):
    return sum(quarter(full_text(m)) for m in messages)


def pairs(messages):
    maker = RowMaker(token_model("claude-3-5-sonnet-20241022"))
    return unpaired_calls([maker.row(m) for m in messages])


def summarise(request):
    if len(request.text) % 5 == 0:
        return AuxReply(None, 0, 1.0, failure="timeout")
    return AuxReply("摘要 summary " + request.text[:90], 30, 1.0)


def system(window, chosen, ask=summarise):
    return DualCompressionSystem(window, quarter, chosen, ask=ask, prefix_tokens=700)


KNOBS = st.fixed_dictionaries(
    {
        "order": st.sampled_from(["largest-first", "oldest-first", "cache-aware"]),
        "recent": st.sampled_from(["fixed", "adaptive"]),
        "recent_tokens": st.sampled_from([0, 500, 3_000, 20_000]),
        "first_exchange": st.booleans(),
        "context_aware": st.booleans(),
        "result_target_tokens": st.sampled_from([10, 60, 150]),
        "adaptive_min_tokens": st.just(500),
    }
)

NASTY = st.one_of(
    st.text(max_size=400).map(lambda t: t * 9),
    st.lists(st.text(max_size=40), max_size=30).map("\r\n".join),
    st.text(alphabet='{}[]",:0a\n\\', max_size=900),
    st.just(""),
    st.just("[dual:log 99999 tokens]\nnot ours"),
    st.just("[dual:removed 3 messages, 99999 tokens]"),
)


@st.composite
def sessions(draw):
    """A made-up session with some of its contents replaced by nasty ones."""
    messages = session(draw(st.integers(0, 25)), seed=draw(st.integers(0, 10**6)), chinese=draw(st.booleans()))
    for _ in range(draw(st.integers(0, 4))):
        k = draw(st.integers(0, len(messages) - 1))
        messages[k] = {**messages[k], "content": draw(NASTY)}
    if draw(st.booleans()):
        messages.insert(0, {"role": "system", "content": "Rules. " * 40})
    return messages


@given(sessions(), KNOBS, st.integers(2_000, 60_000))
@settings(max_examples=120, deadline=None)
def test_rules(messages, knobs, window):
    chosen = DualSettings(**knobs)
    original = copy.deepcopy(messages)
    done = system(window, chosen).maybe_compress(messages)

    # The caller's list and messages are never changed.
    assert messages == original
    if done is None:
        assert size(messages) + 700 <= int(0.75 * window)
        return
    # It never grows, and every pass says what it did.
    assert done.after == size(done.messages) + 700 <= done.before == size(messages) + 700
    assert all(p.after < p.before for p in done.passes)
    # Tool pairs stay whole.
    lost_calls, lost_results = pairs(done.messages)
    assert lost_calls <= pairs(messages)[0]
    assert lost_results <= pairs(messages)[1]
    # Arguments stay what they were: JSON.
    for message in done.messages:
        for call in message.get("tool_calls") or ():
            json.loads(call["function"]["arguments"])
    # Equal input, equal output.
    again = system(window, chosen).maybe_compress(copy.deepcopy(messages))
    assert again is not None
    assert again.messages == done.messages


@given(sessions(), KNOBS, st.integers(4_000, 60_000))
@settings(max_examples=80, deadline=None)
def test_sacred_rows_are_never_touched(messages, knobs, window):
    chosen = DualSettings(**knobs)
    engine = system(window, chosen)
    zones = engine.zones(messages)
    done = engine.maybe_compress(messages)
    if done is None or any(p.rung == "restart" for p in done.passes):
        return
    assert done.messages[: zones.first_stop] == messages[: zones.first_stop]
    kept = len(messages) - zones.recent_start
    assert kept == 0 or done.messages[-kept:] == messages[-kept:]
    # Users' words are never rewritten, only ever removed whole.
    texts = [m["content"] for m in messages if m["role"] == "user"]
    for message in done.messages:
        if message["role"] == "user" and not message["content"].startswith("[dual:removed"):
            assert message["content"] in texts


@given(sessions(), KNOBS, st.integers(1_500, 40_000), st.booleans())
@settings(max_examples=150, deadline=None)
def test_compressing_twice_changes_nothing_more(messages, knobs, window, force):
    engine = system(window, DualSettings(**{**knobs, "recent": "fixed"}))
    once = engine.maybe_compress(messages, force=force)
    if once is None:
        return
    twice = engine.maybe_compress(once.messages)
    assert twice is None or twice.messages == once.messages


@given(sessions(), st.integers(1_500, 20_000))
@settings(max_examples=60, deadline=None)
def test_it_always_ends_and_fits_or_says_not(messages, window):
    asked = []

    def ask(request):
        asked.append(request)
        return summarise(request)

    done = system(window, DualSettings(), ask).maybe_compress(messages, force=True)
    assert done is not None
    assert len(done.passes) <= 4
    assert len(asked) <= len(messages) + 1
    assert done.fits == (done.after <= window)


@pytest.mark.parametrize("order", ["largest-first", "oldest-first", "cache-aware"])
def test_stops_at_the_target(order):
    messages = session(60, seed=2)
    window = int(size(messages) / 0.8)
    done = system(window, DualSettings(order=order, recent_tokens=2_000)).maybe_compress(messages)
    assert done is not None
    assert done.after <= window // 2
    smallest = min(c.before - c.after for c in done.passes[0].rows)
    assert done.after + max(c.before for c in done.passes[0].rows) > window // 2
    assert smallest > 0


def test_more_room_never_costs_more_rows():
    messages = session(80, seed=5)
    total = size(messages)
    rewritten = []
    for window in (int(total / 1.4), int(total / 1.1), int(total / 0.9), int(total / 0.76), total * 2):
        done = system(window, DualSettings(recent_tokens=2_000)).maybe_compress(messages)
        rewritten.append(0 if done is None else done.before - done.after)
    assert rewritten == sorted(rewritten, reverse=True)


def test_shuffled_history_without_a_user_is_survived():
    messages = session(20, seed=9)
    random.Random(1).shuffle(messages)
    done = system(3_000, DualSettings()).maybe_compress([m for m in messages if m["role"] != "user"])
    assert done is not None
    assert done.after <= done.before


ODD_CALLS = [
    "oops",
    {"a": 1},
    7,
    [None, "x"],
    [{}],
    [{"id": "x", "function": None}],
    [{"id": ["l"], "function": "f"}],
    [{"id": "x", "function": {"name": None, "arguments": None}}],
    [{"id": "x", "function": {"name": "t", "arguments": {"a": "x" * 4_000}}}],
    [{"id": "x", "function": {"name": "t", "arguments": "{bad \ud800" * 900}}],
    [{"id": "x", "function": {"name": "t", "arguments": '{"a":' * 3_000 + "1" + "}" * 3_000}}],
]


@pytest.mark.parametrize("calls", ODD_CALLS)
@pytest.mark.parametrize("knobs", [{}, {"recent": "adaptive", "context_aware": True, "first_exchange": False}])
def test_calls_of_any_shape_are_survived(calls, knobs):
    step = [
        {"role": "assistant", "content": "words " * 400, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "x", "content": "line\n" * 2_000},
    ]
    messages = [{"role": "user", "content": "task"}, *step * 6, {"role": "user", "content": "go on"}]
    original = copy.deepcopy(messages)
    for window in (0, 400, 3_000, 12_000):
        done = system(window, DualSettings(**knobs)).maybe_compress(messages, force=True)
        assert done is not None
        assert done.after <= done.before
    assert messages == original


@pytest.mark.parametrize(
    "block",
    [
        "text",
        ["list"],
        7,
        {1: 2},
        {"log_levels": [""]},
        {"json_depth": 10**9},
        {"fact_pattern": "a{0,99999999999999}"},
        {"fact_pattern": "(" * 5_000 + ")" * 5_000},
        {"trigger": float("nan")},
        {"target": 0.75},
        {"trigger": 0},
    ],
)
def test_bad_settings_are_refused_in_words(block):
    with pytest.raises(ScenarioError, match="engine dual"):
        read_settings(block)


def test_deep_json_is_survived_at_the_deepest_setting():
    deep = '{"a":[' * 400 + "1" + "]}" * 400
    call = {"id": "a", "function": {"name": "t", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "task"},
        {"role": "assistant", "content": "ok"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": deep},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "go on"},
    ]
    done = system(900, DualSettings(json_depth=50, recent_tokens=0)).maybe_compress(messages, force=True)
    assert done is not None
    assert done.after < done.before
