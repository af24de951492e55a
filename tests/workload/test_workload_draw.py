"""Drawn sessions: what they promise in numbers, that texts and counts agree, and that knobs stay apart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.history import Row, RowMaker, unpaired_calls
from sim.streams import Streams
from sim.tokens import token_model
from sim.workload import Script, draw, load_preset, preset_names

MORNING = 1_796_029_200.0  # a Monday, 09:00 UTC


def session(preset: str, seed: int = 0, *, model: str = "claude-opus-4-7", text: bool = True, **more: Any) -> Script:
    overrides = more.pop("overrides", {})
    loaded = load_preset(preset, overrides=overrides)
    return draw(loaded, Streams(seed), 0, RowMaker(token_model(model)), started_at=MORNING, text=text, **more)


def rows(script: Script) -> Iterator[Row]:
    yield from script.prefix
    for turn in script.turns:
        yield from turn.users
        for reply in turn.replies:
            yield reply.row
            yield from (tool.result for tool in reply.tools)


def total(script: Script) -> int:
    return sum(row.tokens for row in rows(script))


def prompts(script: Script) -> list[int]:
    size = sum(row.tokens for row in script.prefix)
    found = []
    for turn in script.turns:
        size += sum(row.tokens for row in turn.users)
        for reply in turn.replies:
            found.append(size)
            size += reply.row.tokens + sum(tool.result.tokens for tool in reply.tools)
    return found


def content(script: Script) -> list[Any]:
    return [row.message for row in rows(script)]


def times(script: Script) -> list[float]:
    return [
        *(turn.gap for turn in script.turns),
        *(reply.seconds for turn in script.turns for reply in turn.replies),
        *(tool.seconds for turn in script.turns for reply in turn.replies for tool in reply.tools),
    ]


# what the presets promise ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
def test_coding_2h_mix_is_the_chapters_first_table(seed: int) -> None:
    script = session("coding-2h", seed)
    replies = [reply for turn in script.turns for reply in turn.replies]
    names = [tool.name for reply in replies for tool in reply.tools]
    assert [names.count(n) for n in ("read_file", "terminal", "execute_code")] == [24, 31, 28]
    assert total(script) == pytest.approx(94_847, rel=0.003)
    assert script.prefix[0].tokens == pytest.approx(2_156, abs=20)
    assert script.prefix[1].tokens == pytest.approx(3_847, rel=0.01)
    assert sum(u.tokens for turn in script.turns for u in turn.users) == pytest.approx(8_234, rel=0.01)
    assert sum(tool.result.tokens for r in replies for tool in r.tools) == pytest.approx(48_449, rel=0.005)
    assert sum(r.row.tokens for r in replies) == pytest.approx(12_891 + 11_447 + 7_823, rel=0.01)
    assert sum(1 for r in replies if "<think>" in r.row.text) > 200
    busy = sum(r.seconds + max((t.seconds for t in r.tools), default=0) for r in replies)
    assert (busy + sum(turn.gap for turn in script.turns)) / 60 == pytest.approx(127, rel=0.1)


def test_the_parts_of_coding_2h() -> None:
    script = session("coding-2h", 3, model="gpt-5")
    model = token_model("gpt-5")
    thinking = text = arguments = 0
    for reply in (reply for turn in script.turns for reply in turn.replies):
        message = reply.row.message
        assert message is not None
        before, _, after = message["content"].partition("</think>")
        thinking += model.count(before + "</think>") if after or "<think>" in before else 0
        text += model.count(after.strip())
        for call in message.get("tool_calls", ()):
            arguments += model.count(call["function"]["name"] + call["function"]["arguments"])
    assert thinking == pytest.approx(12_891, rel=0.03)
    assert text == pytest.approx(11_447, rel=0.03)
    assert arguments == pytest.approx(7_823, rel=0.03)


def test_coding_2h_full() -> None:
    script = session("coding-2h", overrides={"scale": "full"})
    results = sum(t.result.tokens for turn in script.turns for r in turn.replies for t in r.tools)
    assert results == pytest.approx(127_000, rel=0.005)
    assert total(script) - results == pytest.approx(47_000, rel=0.01)


def test_long_haul() -> None:
    sizes = []
    for seed in range(12):
        line = prompts(session("long-haul", seed, text=False))
        assert len(line) == 436
        assert line[0] == pytest.approx(25_000, rel=0.1)
        assert line[-1] == pytest.approx(456_000, rel=0.08)
        assert line == sorted(line)
        sizes.append(line[-1])
    assert len(set(sizes)) == 12
    assert sum(sizes) / 12 == pytest.approx(456_000, rel=0.02)
    halves = {prompts(session("long-haul", seed, text=False))[218] for seed in range(6)}
    assert max(halves) > 1.05 * min(halves), "replications must not follow one curve"


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_draws_valid_sessions(name: str) -> None:
    script = session(name, 1, overrides=_shorter(name))
    found = list(rows(script))
    assert unpaired_calls(found) == (set(), set())
    for row in found:
        assert row.message is not None
        if row.role != "tools":
            order = [k for k in ("role", "content", "tool_calls", "tool_call_id") if k in row.message]
            assert list(row.message) == order
        for call in row.message.get("tool_calls", ()):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
    for turn in script.turns[:-1]:
        assert all(reply.tools for reply in turn.replies[:-1])
        assert not turn.replies[-1].tools
    assert all(value >= 0 for value in times(script))


def _shorter(name: str) -> dict[str, Any]:
    """Long presets cut short, for speed."""
    return {"long-haul": {"calls": 60, "totals.growth": None}, "heartbeat": {"turns": 30}}.get(name, {})


# texts and counts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["claude-opus-4-7", "gpt-4", "qwen3-max"])
@pytest.mark.parametrize("name", ["coding-2h", "chinese-docs", "log-triage"])
def test_rows_count_what_their_text_counts(name: str, model: str) -> None:
    script = session(name, 2, model=model)
    tokens = token_model(model)
    for row in rows(script):
        assert row.tokens == tokens.billed(row.text, row.kind)


@given(st.integers(0, 10**9))
@settings(max_examples=12)
def test_rows_count_exactly_for_any_seed(seed: int) -> None:
    script = session("tiny-window", seed, model="gpt-4")
    tokens = token_model("gpt-4")
    assert all(row.tokens == tokens.billed(row.text, row.kind) for row in rows(script))


@pytest.mark.parametrize("name", ["coding-2h", "coding-2026", "web-research", "tiny-window", "chinese-docs"])
def test_text_and_sizes_only_are_the_same_session(name: str) -> None:
    written, sizes = session(name, 4), session(name, 4, text=False)
    assert total(written) == pytest.approx(total(sizes), rel=0.015)
    assert times(written) == times(sizes)
    assert [t.name for turn in written.turns for r in turn.replies for t in r.tools] == [
        t.name for turn in sizes.turns for r in turn.replies for t in r.tools
    ]
    assert written.has_text
    assert not sizes.has_text
    assert all(row.message is None for row in rows(sizes))


def test_another_token_family_gets_the_same_billed_sizes() -> None:
    old, new = session("coding-2h", 1, model="claude-opus-4-6"), session("coding-2h", 1, model="claude-opus-4-7")
    assert total(old) == pytest.approx(total(new), rel=0.005)
    assert sum(len(row.text) for row in rows(old)) > 1.15 * sum(len(row.text) for row in rows(new))


# the same seed, another seed, another knob -------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, two = session("coding-2h", 9), session("coding-2h", 9)
    assert json.dumps(content(one)) == json.dumps(content(two))
    assert times(one) == times(two)
    assert [row.ident for row in rows(one)] == [row.ident for row in rows(two)]


def test_the_bytes_do_not_depend_on_the_process() -> None:
    program = """
import hashlib, json
from sim.history import RowMaker
from sim.streams import Streams
from sim.tokens import token_model
from sim.workload import draw, load_preset
script = draw(load_preset("tiny-window"), Streams(4), 0, RowMaker(token_model("gpt-5")))
print(hashlib.sha256(repr(script).encode()).hexdigest())
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_another_seed_and_another_session_differ() -> None:
    preset = load_preset("coding-2h")
    maker = RowMaker(token_model("gpt-5"))
    first, second = (draw(preset, Streams(1), n, maker, text=False) for n in (0, 1))
    third = draw(preset, Streams(2), 0, maker, text=False)
    drawn = [[row.tokens for row in rows(s)] for s in (first, second, third)]
    assert drawn[0] != drawn[1] != drawn[2] != drawn[0]


@pytest.mark.parametrize(
    "knob",
    [
        {"think_time": {"kind": "exponential", "mean": "2h"}},
        {"latency": 1},
        {"tools.terminal.seconds": 600},
        {"rhythm": {"days": "weekdays", "from_hour": 9, "to_hour": 9.5}},
    ],
)
def test_changing_times_changes_no_token(knob: dict[str, Any]) -> None:
    short = {"calls": 50, "totals.growth": None}
    before, after = session("long-haul", 5, overrides=short), session("long-haul", 5, overrides={**short, **knob})
    assert content(before) == content(after)
    assert times(before) != times(after)


def test_changing_one_tools_results_leaves_everything_else() -> None:
    short: dict[str, Any] = {"calls": 60, "totals.growth": None}
    knob = {"tools.web_extract.result": 9_000}
    before = session("long-haul", 5, text=False, overrides=short)
    after = session("long-haul", 5, text=False, overrides={**short, **knob})
    assert times(before) == times(after)
    for one, two in zip(rows(before), rows(after), strict=True):
        assert one.tokens == two.tokens or (one.role == "tool" and two.tokens in (9_000, 8_999, 9_001))


def test_memory_limits_change_the_memory_only() -> None:
    usual = session("tiny-window", 3)
    more = session("tiny-window", 3, memory_limits=(8_000, 4_000))
    assert content(usual)[3:] == content(more)[3:]
    assert usual.prefix[:2] == tuple(r for r in usual.prefix[:2])
    small, large = usual.prefix[2], more.prefix[2]
    assert [r.ident for r in usual.prefix[:2]] == [r.ident for r in more.prefix[:2]]
    assert len(small.text) == pytest.approx(2_200 + 1_375, abs=120)
    assert len(large.text) == pytest.approx(12_000, abs=120)
    assert large.text.startswith(small.text[:2_000])
    none = session("tiny-window", 3, memory_limits=(0, 0))
    assert len(none.prefix) == 2


def test_prefix_knobs_meet_their_sizes() -> None:
    knobs = {"prefix.skills": 121, "prefix.skills_tokens": "13K", "prefix.mcp_tokens": "9K", "prefix.mcp_tools": 40}
    script = session("tiny-window", 1, overrides={**knobs, "prefix.tools_tokens": "6K"})
    tools, system, _ = script.prefix
    assert tools.tokens == pytest.approx(15_000, rel=0.02)
    assert tools.message is not None
    assert len(tools.message["schemas"]) == 48
    assert system.tokens == pytest.approx(13_900, rel=0.02)
    assert system.text.count("\n- **") == pytest.approx(121, rel=0.15)
    bare = session("tiny-window", 1, overrides={"prefix": {"tools_tokens": 0, "system_tokens": 0, "memory": 0}})
    assert bare.prefix == ()
    sizes = session("tiny-window", 1, text=False, overrides=knobs)
    assert [row.role for row in sizes.prefix] == ["tools", "system", "system"]


# behaviour ---------------------------------------------------------------------------------------------------------


def test_files_are_read_again_exactly_or_a_little_changed() -> None:
    script = session("coding-2026", 7, overrides={"calls": 160, "tools.read_file.repeats": "60%"})
    texts = [t.result.text for turn in script.turns for r in turn.replies for t in r.tools if t.name == "read_file"]
    exact = len(texts) - len(set(texts))
    assert exact >= 3
    near = 0
    seen: list[set[str]] = []
    for text in dict.fromkeys(texts):
        lines = set(text.split("\n"))
        near += any(len(lines ^ other) == 2 for other in seen if len(lines) > 5)
        seen.append(lines)
    assert near >= 2
    sizes = session("coding-2026", 7, text=False, overrides={"calls": 160, "tools.read_file.repeats": "60%"})
    idents = [t.result.ident for turn in sizes.turns for r in turn.replies for t in r.tools if t.name == "read_file"]
    assert len(idents) - len(set(idents)) >= 3


def test_failed_calls_return_errors() -> None:
    script = session("coding-2026", 2, text=True, overrides={"calls": 80, "tools.terminal.fails": "50%"})
    runs = [t for turn in script.turns for r in turn.replies for t in r.tools if t.name == "terminal"]
    failed = [t for t in runs if t.failed]
    assert 0.25 < len(failed) / len(runs) < 0.75
    signs = ("rror", "not found", "fatal", "timed out", "HTTP 503", "Traceback", "  File")
    assert all(any(sign in t.result.text for sign in signs) for t in failed if t.result.tokens > 40)


def test_parallel_calls() -> None:
    alone = session("coding-2026", 1, text=False, overrides={"parallel": 0, "calls": 100})
    many = session("coding-2026", 1, text=False, overrides={"parallel": "60%", "calls": 100})
    assert max(len(r.tools) for turn in alone.turns for r in turn.replies) == 1
    assert max(len(r.tools) for turn in many.turns for r in turn.replies) > 2
    assert alone.calls == many.calls == 100


def test_nights_and_weekends() -> None:
    rhythm = {"days": "weekdays", "from_hour": 9, "to_hour": 17}
    script = session("gateway-chat", 2, text=False, overrides={"rhythm": rhythm})
    clock = script.started_at
    for turn in script.turns:
        clock += turn.gap
        day, second = divmod(clock, 86_400)
        assert 9 * 3_600 <= second < 17 * 3_600 + 1
        assert (int(day) + 3) % 7 < 5
        clock += sum(r.seconds + max((t.seconds for t in r.tools), default=0) for r in turn.replies)


def test_a_session_that_starts_at_night_waits_for_the_morning() -> None:
    preset = load_preset("gateway-chat")
    script = draw(preset, Streams(1), 0, RowMaker(token_model("gpt-5")), started_at=MORNING - 6 * 3_600, text=False)
    assert script.started_at == MORNING - 2 * 3_600
    assert script.turns[0].gap == 0
    assert script.origin == "gateway"


def test_cut_off_sessions_are_unfinished_and_otherwise_the_same() -> None:
    whole = session("coding-2026", 3, text=False, overrides={"cut_off": 0})
    cut = session("coding-2026", 3, text=False, overrides={"cut_off": 1})
    assert whole.finished
    assert not cut.finished
    assert cut.calls < whole.calls
    shared = [row.tokens for row in rows(cut)]
    assert shared == [row.tokens for row in rows(whole)][: len(shared)]


def test_facts_are_planted_word_for_word_and_needed_later() -> None:
    script = session("log-triage", 1, overrides={"facts": {"share": "50%", "needed_times": 2}, "calls": 60})
    planted: dict[int, int] = {}
    needed = 0
    for number, reply in enumerate(reply for turn in script.turns for reply in turn.replies):
        for fact in reply.needs:
            assert planted[fact] < number
            needed += 1
        for tool in reply.tools:
            for fact in tool.facts:
                assert script.facts[fact] in tool.result.text
                planted[fact] = number
    assert len(planted) == len(script.facts) > 5
    assert needed > 5
    assert len(set(script.facts)) == len(script.facts)


def test_hidden_thinking_is_billed_but_not_kept() -> None:
    short = {"calls": 40, "totals.growth": None}
    kept, hidden = (
        session("long-haul", 1, text=False, overrides={**short, "hidden_thinking": hide}) for hide in (False, True)
    )
    for one, two in zip(
        (r for turn in kept.turns for r in turn.replies),
        (r for turn in hidden.turns for r in turn.replies),
        strict=True,
    ):
        assert one.row.tokens == two.row.tokens + two.hidden_tokens
    assert sum(r.hidden_tokens for turn in hidden.turns for r in turn.replies) > 1_000


def test_some_turns_use_another_model() -> None:
    knobs = {"other_model": "claude-haiku-4-5", "switches": "40%"}
    script = session("coding-2h", 1, text=False, overrides=knobs)
    models = [{r.model for r in turn.replies} for turn in script.turns]
    assert all(len(m) == 1 for m in models)
    share = sum(m == {"claude-haiku-4-5"} for m in models) / len(models)
    assert 0.25 < share < 0.55


def test_sessions_without_tools_are_a_chat() -> None:
    script = session("gateway-chat", 1, overrides={"turns": 6, "tools": {}})
    assert script.calls > 6  # the bundled tools stay: a mapping is merged, not replaced
    from sim.workload import Preset

    preset = Preset(name="chat", turns=6, user=30, answer=90, latency=2, think_time=30)  # type: ignore[call-arg,arg-type]
    chat = draw(preset, Streams(1), 0, RowMaker(token_model("gpt-5")))
    assert chat.calls == 6
    assert all(not r.tools for turn in chat.turns for r in turn.replies)
