"""Token-only curves are exact to the token, however turns and output cut them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import InputError
from sim.workload import Script, draw_curve
from sim.workload.curve import contexts


def prompts(script: Script) -> list[int]:
    """Prompt tokens of each call when nothing is compacted."""
    size = sum(row.tokens for row in script.prefix)
    found = []
    for turn in script.turns:
        size += sum(row.tokens for row in turn.users)
        for reply in turn.replies:
            found.append(size)
            size += reply.row.tokens + sum(tool.result.tokens for tool in reply.tools)
    return found


def test_case_d01() -> None:
    calls = prompts(draw_curve(calls=10, first=1_000, growth=500))
    assert (sum(calls), calls[0], calls[-1]) == (32_500, 1_000, 5_500)
    assert sum(prompts(draw_curve(calls=20, first=1_000, growth=500))) == 115_000


def test_case_d02_first_row() -> None:
    calls = prompts(draw_curve(calls=239, first=30_000, last=354_000))
    assert (calls[0], calls[-1], len(calls)) == (30_000, 354_000, 239)
    # A straight line in whole tokens: less than one token a call below the real line.
    assert 0 <= 239 * (30_000 + 354_000) / 2 - sum(calls) < 239


@given(
    calls=st.integers(1, 40),
    first=st.integers(0, 5_000),
    growth=st.integers(0, 900),
    output=st.integers(0, 1_200),
    per_turn=st.integers(0, 9),
)
def test_context_is_exact_whatever_the_turns_and_the_output(
    calls: int, first: int, growth: int, output: int, per_turn: int
) -> None:
    script = draw_curve(calls=calls, first=first, growth=growth, output=output, calls_per_turn=per_turn)
    assert prompts(script) == contexts(calls, first, growth=growth)
    replies = [reply for turn in script.turns for reply in turn.replies]
    assert all(reply.row.tokens + reply.hidden_tokens == output for reply in replies)
    assert script.calls == calls
    assert not script.has_text


@given(calls=st.integers(2, 60), first=st.integers(0, 10_000), rise=st.integers(0, 500_000))
def test_a_line_meets_both_ends_and_never_falls(calls: int, first: int, rise: int) -> None:
    line = prompts(draw_curve(calls=calls, first=first, last=first + rise))
    assert (line[0], line[-1]) == (first, first + rise)
    assert line == sorted(line)


def test_turns_end_with_an_answer_and_start_after_the_gap() -> None:
    script = draw_curve(calls=7, first=900, growth=100, calls_per_turn=3, gap=60, latency=2)
    assert [len(turn.replies) for turn in script.turns] == [3, 3, 1]
    assert [turn.gap for turn in script.turns] == [0, 60, 60]
    for turn in script.turns:
        assert [bool(reply.tools) for reply in turn.replies] == [True] * (len(turn.replies) - 1) + [False]
    labels = [reply.row.ident for turn in script.turns for reply in turn.replies]
    assert len(set(labels)) == 7


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"calls": 0, "first": 1, "growth": 1}, "0 calls"),
        ({"calls": 5, "first": 1}, "either `last` or `growth`"),
        ({"calls": 5, "first": 1, "growth": 1, "last": 9}, "either `last` or `growth`"),
        ({"calls": 5, "first": 10, "last": 9}, "falls"),
        ({"calls": 5, "first": 10, "growth": -1}, "by -1"),
        ({"calls": 5, "first": 10, "growth": 1, "output": -4}, "`output`"),
        ({"calls": 5, "first": 10, "growth": 1, "gap": -4.0}, "`gap`"),
    ],
)
def test_impossible_curves(arguments: dict[str, int], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        draw_curve(**arguments)  # type: ignore[arg-type]
    assert caught.value.exit_code == 3
    assert caught.value.remedy
