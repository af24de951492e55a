"""Plain scalars: which of them YAML 1.1 and 1.2 read alike."""

from __future__ import annotations

import math
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sim.scenario.scalars import core, read_plain

ALIKE: list[tuple[str, Any]] = [
    ("0.5", 0.5),
    ("230000", 230_000),
    ("-3", -3),
    ("1.0e+3", 1000.0),
    ("true", True),
    ("False", False),
    ("null", None),
    ("~", None),
    ("", None),
    ("0x1F", 31),
    ("230K", "230K"),
    ("1M", "1M"),
    ("2%", "2%"),
    ("lean", "lean"),
    (".inf", math.inf),
    ("claude-opus-4-7", "claude-opus-4-7"),
    ("1.2.3", "1.2.3"),
]
DIFFERENT = [
    ("no", False, "no"),
    ("Off", False, "Off"),
    ("YES", True, "YES"),
    ("012", 10, 12),
    ("0o12", "0o12", 10),
    ("1e6", "1e6", 1e6),
    ("1.5e3", "1.5e3", 1500.0),
    ("230_000", 230_000, "230_000"),
    ("1:30", 90, "1:30"),
    ("08", "08", 8),
    ("0b11", 3, "0b11"),
]


@pytest.mark.parametrize(("text", "value"), ALIKE)
def test_alike(text: str, value: Any) -> None:
    reading = read_plain(text)
    assert reading.ambiguous is None
    assert reading.value == value
    assert type(reading.value) is type(value)


@pytest.mark.parametrize(("text", "first", "second"), DIFFERENT)
def test_different(text: str, first: Any, second: Any) -> None:
    reading = read_plain(text)
    assert reading.ambiguous is not None
    assert reading.remedy is not None
    assert reading.value == first
    assert core(text) == second


@pytest.mark.parametrize("text", ["2026-12-01", "2026-12-01 10:00:00", "2026-12-01T10:00:00Z"])
def test_dates_are_told_apart(text: str) -> None:
    reading = read_plain(text)
    assert reading.date
    assert reading.value == text


def test_an_impossible_date_is_text_to_everyone() -> None:
    assert read_plain("2026-99-99").ambiguous is None


@given(st.one_of(st.integers(), st.floats(allow_nan=False), st.text("0123456789abcdefxo_.:+-eEnyTtrufls~", max_size=8)))
def test_readings_without_ambiguity_are_what_a_yaml_1_1_reader_makes_of_them(value: Any) -> None:
    text = str(value)
    reading = read_plain(text)
    if reading.ambiguous is None and text.strip() == text:
        try:
            loaded = yaml.safe_load(f"- {text}\n") if text else [None]
        except (yaml.YAMLError, ValueError):
            return
        if isinstance(loaded, list) and len(loaded) == 1 and not isinstance(loaded[0], (dict, list)):
            assert loaded[0] == reading.value or (loaded[0] != loaded[0] and reading.value != reading.value)
