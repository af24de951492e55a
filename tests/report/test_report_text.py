"""Unit and property tests: numbers, names and messages as people read them."""

from __future__ import annotations

from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import UsageError
from sim.report import text
from sim.report.words import Words
from sim.report.words.answers import ANSWERS
from sim.report.words.document import DOCUMENT
from sim.report.words.figures import FIGURES as FIGURE_WORDS

MESSAGES = {**FIGURE_WORDS, **ANSWERS, **DOCUMENT}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, "$0"),
        (1234.4, "$1,234"),
        (12.405, "$12.40"),
        (1, "$1.00"),
        (0.5, "$0.500"),
        (0.01239, "$0.0124"),
        (-3.456, "−$3.46"),
        (0.0000004, "$0.000000400"),
    ],
)
def test_dollars(value: float, expected: str) -> None:
    assert text.dollars(value) == expected


def test_dollars_with_sign_and_places() -> None:
    assert text.dollars(3, sign=True) == "+$3.00"
    assert text.dollars(-0.001, places=2) == "$0.00"  # a minus before nothing would mislead
    assert text.dollars(0, sign=True) == "$0"


@pytest.mark.parametrize(
    ("share", "expected"),
    [(1.0, "100.0%"), (0.98, "98.0%"), (0.9999, "99.99%"), (0.99999, "99.999%"), (0.9999999, "<100%")],
)
def test_a_hit_ratio_below_one_is_never_shown_as_all(share: float, expected: str) -> None:
    assert text.hit_percent(share) == expected


def test_what_the_font_lacks_becomes_a_code_point() -> None:
    assert text.printable("go 🙂\n\there") == "go [U+1F642] here"
    assert text.printable("方案 $x_1$ #a <b>") == "方案 $x_1$ #a <b>"


@given(st.text(max_size=60))
def test_printable_text_has_a_glyph_for_every_character(raw: str) -> None:
    shown = text.printable(raw)
    assert all(ord(char) in text._glyphs() for char in shown)
    assert text.printable(shown) == shown


@given(st.text(max_size=80), st.integers(min_value=5, max_value=40))
def test_shortening_keeps_to_its_columns(raw: str, columns: int) -> None:
    shown = text.shorten(raw, columns)
    assert text.width(shown) <= columns
    assert shown == raw or "…" in shown


@given(st.lists(st.text(max_size=50), max_size=14))
def test_shortened_names_still_differ(names: list[str]) -> None:
    labels = text.distinct(names, 20)
    assert len(labels) == len(names)
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("key", sorted(MESSAGES))
def test_both_languages_say_it_with_the_same_values(key: str) -> None:
    english, chinese = MESSAGES[key]
    fields = [{name for _, name, _, _ in Formatter().parse(message) if name} for message in (english, chinese)]
    assert english
    assert chinese
    # Chinese may put a unit or a plural aside, English may not name what Chinese does not.
    assert fields[0] == fields[1]
    for message in (english, chinese):
        assert text.printable(message.strip()) == " ".join(message.split())


def test_no_message_is_written_twice() -> None:
    assert len(MESSAGES) == len(FIGURE_WORDS) + len(ANSWERS) + len(DOCUMENT)


def test_another_language_says_which_there_are() -> None:
    with pytest.raises(UsageError, match="en, zh"):
        Words("fr")
