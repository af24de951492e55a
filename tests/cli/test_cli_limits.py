"""`--fail-if` expressions."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.cli._limits import broken_by, parse_limit
from sim.errors import UsageError

ARMS: list[dict[str, Any]] = [
    {"arm": "half", "cost_usd": {"mean": "100.00"}, "overflows": 0, "trigger_tokens": 500_000, "calls": 40},
    {"arm": "cap-230k", "cost_usd": {"mean": "80.50"}, "overflows": 2, "trigger_tokens": 230_000, "calls": 44},
    {"arm": "ratio-0.5", "cost_usd": {"mean": "120.00"}, "overflows": 0, "trigger_tokens": None, "calls": 40},
]
PAIRED: list[dict[str, Any]] = [
    {
        "arm": "cap-230k",
        "saving_usd": {"low": "-1.5", "mean": "19.5"},
        "verdict": "no difference shown",
        "wins_from_call": 9,
    },
    {"arm": "ratio-0.5", "saving_usd": {"low": "-21", "mean": "-20"}, "verdict": "dearer", "wins_from_call": None},
]
NAMES = [row["arm"] for row in ARMS]


def broken(source: str) -> list[str]:
    return [text.partition(" ")[0] for text in broken_by(parse_limit(source, NAMES), ARMS, PAIRED)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("saving_usd.low < 0", ["cap-230k", "ratio-0.5"]),
        ("saving_usd.low < -2", ["ratio-0.5"]),
        ("saving_usd.mean<0", ["ratio-0.5"]),
        ("cost_usd.mean > 90", ["half", "ratio-0.5"]),
        ("cost_usd.mean / calls > 2.9", ["ratio-0.5"]),
        ("overflows", []),
        ("overflows > 0 or cost_usd.mean >= 120", ["cap-230k", "ratio-0.5"]),
        ("overflows == 0 and not cost_usd.mean <= 100", ["ratio-0.5"]),
        ("(overflows + 1) * 2 == 6", ["cap-230k"]),
        ("trigger_tokens < 400K", ["cap-230k"]),
        ("trigger_tokens == null", ["ratio-0.5"]),
        ("wins_from_call > 5", ["cap-230k"]),
        ("verdict == 'dearer'", ["ratio-0.5"]),
        ("cost_usd.mean > 50% * 161 and overflows > 1", []),
    ],
)
def test_expressions(source: str, expected: list[str]) -> None:
    if source == "overflows":
        with pytest.raises(UsageError, match="nothing is compared"):
            parse_limit(source, NAMES)
        return
    assert broken(source) == expected


def test_one_arm_by_name() -> None:
    assert broken_by(parse_limit("cap-230k.saving_usd.low < 0", NAMES), ARMS, PAIRED) == [
        "(cap-230k.saving_usd.low = -1.5)"
    ]
    assert broken_by(parse_limit("ratio-0.5.cost_usd.mean > 119 - 1", NAMES), ARMS, PAIRED) != []
    assert broken_by(parse_limit("half.cost_usd.mean > cap-230k.cost_usd.mean * 2", NAMES), ARMS, PAIRED) == []


@pytest.mark.parametrize(
    "source", ["", "a <", "< 3", "(a < 3", "a < 3)", "a = 3", "a <> 3", "__import__('os') < 3", "a < 3 b"]
)
def test_not_an_expression(source: str) -> None:
    with pytest.raises(UsageError, match="--fail-if"):
        parse_limit(source, NAMES)


def test_a_misspelt_figure_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no figure is called 'saving_usd\.lwo'; did you mean 'saving_usd\.low'"):
        broken("saving_usd.lwo < 0")


def test_texts_have_no_order() -> None:
    with pytest.raises(UsageError, match="texts are compared"):
        broken("verdict < 3")


@given(st.decimals(-1000, 1000, places=2), st.sampled_from(["<", "<=", ">", ">="]))
def test_comparisons_are_exact(limit: Any, sign: str) -> None:
    from decimal import Decimal

    holds = {
        name
        for name, cost in (
            ("half", Decimal("100.00")),
            ("cap-230k", Decimal("80.50")),
            ("ratio-0.5", Decimal("120.00")),
        )
        if {"<": cost < limit, "<=": cost <= limit, ">": cost > limit, ">=": cost >= limit}[sign]
    }
    assert set(broken(f"cost_usd.mean {sign} {limit}")) == holds


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(source: str) -> None:
    with suppress(UsageError):
        assert isinstance(broken_by(parse_limit(source, NAMES), ARMS, PAIRED), list)
