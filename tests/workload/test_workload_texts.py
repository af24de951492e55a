"""Texts: deterministic, long enough, cut to a wanted size, counted exactly, and of the class they claim."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.tokens import ContentKind, TokenModel, token_model
from sim.workload.synthetic.fit import Fitter, safe
from sim.workload.synthetic.text import ARGUMENTS, RESULTS, Draft, Project, ask, content_kind, say, think

MODEL = token_model("gpt-5")
PROJECT = Project(11)


def whole(draft: Draft) -> str:
    return draft.head + "".join(draft.lines) + draft.foot


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_results_come_out_the_same_and_long_enough(name: str) -> None:
    make = RESULTS[name]
    for chars in (10, 400, 9_000):
        text = whole(make(random.Random(5), chars, PROJECT))
        assert text == whole(make(random.Random(5), chars, PROJECT))
        assert len(text) >= chars
    assert whole(make(random.Random(5), 4_000, PROJECT)) != whole(make(random.Random(6), 4_000, PROJECT))


@pytest.mark.parametrize("name", sorted(RESULTS))
@pytest.mark.parametrize("wanted", [400, 3_000])
def test_results_meet_their_size(name: str, wanted: int) -> None:
    fitter = Fitter(MODEL)
    for seed in range(4):  # the first ones teach the rate of this kind of text
        text, count = fitter.make(RESULTS[name], seed, wanted, name, PROJECT)
        assert count == MODEL.count(text)
    ends = RESULTS[name](random.Random(0), 9, PROJECT).foot
    # Texts with an end of their own are cut at whole lines (JSON: at whole entries).
    whole_lines = {"json_api": 60, "web_search": 80}.get(name, 25)
    assert abs(count - wanted) <= max(0.012 * wanted, whole_lines if ends else 6)


@given(
    st.sampled_from(sorted(RESULTS)), st.integers(1, 900), st.integers(0, 10**6), st.sampled_from(["gpt-5", "gpt-4"])
)
def test_counts_are_exact_for_every_size(name: str, wanted: int, seed: int, model: str) -> None:
    tokens = token_model(model)
    fitter = Fitter(tokens)
    text, count = fitter.cut(RESULTS[name](random.Random(seed), wanted * 6, PROJECT), wanted, name)
    assert count == tokens.count(text)
    assert text


@given(st.lists(st.text(alphabet="ab .,;(){}/\t中\u3000é1\n", max_size=12), min_size=2, max_size=8), st.integers(1, 7))
def test_counts_add_up_across_safe_line_breaks(parts: list[str], place: int) -> None:
    lines = [part.rstrip() + "\n" for part in parts]
    place = min(place, len(lines) - 1)
    before, after = "".join(lines[:place]), "".join(lines[place:])
    if safe(after):
        for model in (token_model("gpt-5"), token_model("gpt-4")):
            assert model.count(before + after) == model.count(before) + model.count(after)


def test_a_planted_line_stays_in_the_text() -> None:
    fitter = Fitter(MODEL)
    for name in RESULTS:
        for wanted in (60, 300, 2_000):
            draft = RESULTS[name](random.Random(wanted), wanted * 6, PROJECT)
            text, count = fitter.cut(draft, wanted, name, "note: the key is 81f3\n")
            assert "note: the key is 81f3" in text
            assert count == MODEL.count(text)


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_arguments_are_json_of_about_the_wanted_length(name: str) -> None:
    for chars in (20, 300, 5_000):
        found = ARGUMENTS[name](random.Random(3), chars, PROJECT)
        text = json.dumps(found, ensure_ascii=False)
        assert json.loads(text) == found
        if name in {"file", "edit", "python", "command", "document"} and chars >= 300:
            assert 0.7 * chars <= sum(len(v) for v in found.values()) <= 1.15 * chars


def test_write_calls_carry_whole_files() -> None:
    content = ARGUMENTS["file"](random.Random(2), 6_000, PROJECT)["content"]
    assert content.count("\n") > 60
    assert MODEL.classify(content) is ContentKind.CODE


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_people_and_models_write_the_language(language: str) -> None:
    for make in (ask(language), say(language), think(language)):
        text = whole(make(random.Random(4), 900, PROJECT))
        assert (MODEL.classify(text) is ContentKind.CHINESE) == (language == "chinese")


@pytest.mark.parametrize("name", ["diff", "file", "log", "dataframe", "csv", "json_api", "prose_zh", "search_hits"])
def test_the_class_is_what_a_reader_would_say(name: str) -> None:
    found = [MODEL.classify(whole(RESULTS[name](random.Random(s), 4_000, PROJECT))) for s in range(20)]
    assert found.count(content_kind(name)) >= 18


def test_json_answers_stay_valid_when_cut() -> None:
    fitter = Fitter(MODEL)
    for wanted in (500, 2_000, 6_000):
        text, _ = fitter.cut(RESULTS["json_api"](random.Random(wanted), wanted * 5, PROJECT), wanted, "json_api")
        assert json.loads(text)["object"] == "list"


def test_texts_repeat_themselves_as_real_ones_do() -> None:
    import zlib

    log = whole(RESULTS["log"](random.Random(1), 60_000, PROJECT)).encode()
    assert 2.5 < len(log) / len(zlib.compress(log)) < 12


def test_projects_are_plain_and_stable() -> None:
    assert Project(5).files == Project(5).files != Project(6).files
    assert TokenModel("x").family == "x"
