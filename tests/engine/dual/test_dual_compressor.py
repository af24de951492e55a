"""Strategies: what is kept, that the target is kept, and that nothing breaks them."""

from __future__ import annotations

import importlib.util
import json

import pytest
from dual_material import log_text, quarter, run_output, session, source_text
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.engine.contract import AuxReply
from sim.engine.dual import DualSettings, ToolOutputCompressor, answer, no_model
from sim.engine.dual.focus import Focus, focus_of
from sim.engine.dual.item import items_of
from sim.engine.dual.outline import outline
from sim.engine.dual.phrases import is_compressed

SETTINGS = DualSettings()


def compress(text, settings=SETTINGS, ask=no_model, **more):
    return answer(ToolOutputCompressor(settings, quarter).compress(text, **more), ask)


def test_small_results_are_left_alone():
    done = compress("x" * 1_900)
    assert (done.changed, done.why) == (False, "under threshold")


def test_log_keeps_size_levels_times_and_the_severe_lines():
    text = log_text(2_000) + "\n2024-01-15 11:00:00 CRITICAL disk /dev/sda1 is full"
    done = compress(text)
    assert done.kind == "log"
    assert done.after <= 150
    errors = sum(" ERROR " in line for line in text.split("\n"))
    assert f"ERROR: {errors}" in done.text
    assert "2001 lines" in done.text
    assert "2024-01-15 10:00:00 .. 2024-01-15 11:00:00" in done.text
    assert "CRITICAL disk /dev/sda1 is full" in done.text


def test_chinese_log_is_told_in_chinese():
    done = compress(log_text(800, chinese=True))
    assert done.kind == "log"
    assert "共 800 行" in done.text
    assert "[错误]" in done.text
    assert done.after <= 150


def test_code_output_keeps_head_errors_verdict():
    text = run_output(847)
    done = compress(text)
    assert done.kind == "code_output"
    assert done.after <= 150
    assert "collected 847 items" in done.text
    assert "AssertionError: expected 3 but got 4" in done.text
    assert "844 passed, 3 failed" in done.text
    assert "lines omitted" in done.text


def test_errors_in_the_middle_are_found():
    lines = [f"building target {i}" for i in range(900)]
    lines[450] = "src/box.c:12: error: unknown type name 'foo'"
    done = compress("\n".join(lines))
    assert "unknown type name 'foo'" in done.text


def test_table_keeps_names_counts_statistics_and_rows():
    done = compress("id,name,price\n" + "\n".join(f"{i},item {i},{i * 2}" for i in range(500)))
    assert done.kind == "table"
    assert "columns: id,name,price" in done.text
    assert "500 data rows" in done.text
    assert "price: 0 .. 998, mean 499" in done.text
    assert "0,item 0,0" in done.text
    assert "499,item 499,998" in done.text


def test_json_keeps_shape_and_samples():
    data = {"error": "none found", "items": [{"id": i, "tags": ["a"]} for i in range(300)]}
    done = compress(json.dumps(data))
    assert "items: [300 × {id: int, tags: [1 × str]}]" in done.text
    assert 'items[0]: {"id": 0, "tags": ["a"]}' in done.text
    assert "none found" in done.text


def test_envelopes_are_opened():
    done = compress(json.dumps({"output": run_output(300), "exit_code": 1}))
    assert done.kind == "code_output"
    assert "exit_code=1" in done.text.split("\n")[0]


def test_source_is_outlined_by_its_parser():
    done = compress(source_text(60))
    assert done.kind == "source"
    assert "python, ast" in done.text
    assert "class Store" in done.text
    assert "def method_0(self, value, limit)" in done.text


def test_source_that_does_not_parse_is_outlined_by_line():
    entries, reader = outline("class A:\n  def f(self:\n    pass\n", "python")
    assert reader == "lines"
    assert [e.text for e in entries] == ["class A", "def f(self"]


def test_other_languages_use_tree_sitter_where_it_is_installed():
    text = "package main\n\ntype Box struct {\n\tA int\n}\n\nfunc (b Box) Get() int {\n\treturn b.A\n}\n"
    entries, reader = outline(text, "go")
    installed = importlib.util.find_spec("tree_sitter_language_pack") is not None
    assert reader == ("tree-sitter" if installed else "lines")
    assert [e.line for e in entries] == [3, 7]


def test_prose_is_summarised_by_the_model_from_its_first_characters():
    asked = []

    def ask(request):
        asked.append(request)
        return AuxReply("The note says that X is 7.", 9, 1.0)

    done = compress("Sentence about the design of it all. " * 400, ask=ask)
    assert done.by_model
    assert "X is 7" in done.text
    assert asked[0].max_tokens == 150
    assert len(asked[0].text) < 3_000 + 400


def test_a_long_summary_is_cut_to_the_target():
    done = compress("Words of a note. " * 400, ask=lambda _: AuxReply("One more point. " * 200, 800, 1.0))
    assert done.by_model
    assert done.after <= 150


@pytest.mark.parametrize("failure", ["timeout", "rate_limit", "empty", "refusal"])
def test_a_failed_summary_becomes_an_extract(failure):
    done = compress(
        "First sentence stands here. " + "More words follow. " * 400, ask=lambda _: AuxReply(None, 0, 1.0, failure)
    )
    assert done.failure == failure
    assert not done.by_model
    assert "First sentence stands here." in done.text
    assert done.after <= 150


def test_target_that_cannot_be_kept_says_why():
    done = compress(log_text(300), target=3)
    assert done.changed
    assert done.after > 3
    assert "target 3: the shortest form takes" in done.why


def test_already_compressed_results_are_left_alone():
    done = compress(log_text(2_000))
    again = compress(done.text, threshold=10)
    assert (again.changed, again.why) == (False, "already compressed")
    assert is_compressed(done.text)


def test_context_aware_keeps_debug_lines_when_performance_is_looked_at():
    lines = [f"2024-01-15 10:00:{i % 60:02} INFO step {i} done" for i in range(600)]
    lines[300] = "2024-01-15 10:05:00 DEBUG query plan: sequential scan on orders, 8123 rows"
    text = "\n".join(lines)
    items = items_of([{"role": "user", "content": "Find out why the query latency went up"}], quarter)
    aware = DualSettings(context_aware=True)
    assert "sequential scan" in compress(text, aware, focus=focus_of(items)).text
    assert "sequential scan" not in compress(text, SETTINGS, focus=focus_of(items)).text
    other = items_of([{"role": "user", "content": "Write the release notes"}], quarter)
    assert "sequential scan" not in compress(text, aware, focus=focus_of(other)).text


def test_context_aware_in_chinese():
    lines = [f"2024-01-15 10:00:{i % 60:02} INFO 第 {i} 步完成" for i in range(600)]
    lines[300] = "2024-01-15 10:05:00 DEBUG 全表扫描 orders，8123 行"
    items = items_of([{"role": "user", "content": "诊断查询的性能问题"}], quarter)
    done = compress("\n".join(lines), DualSettings(context_aware=True), focus=focus_of(items))
    assert "全表扫描 orders" in done.text


def test_context_aware_keeps_lines_named_by_the_task():
    lines = [f"2024-01-15 10:00:{i % 60:02} INFO step {i} done" for i in range(600)]
    lines[123] = "2024-01-15 10:02:00 INFO invoice_4711 went through"
    focus = Focus("look at invoice_4711", ("invoice_4711",))
    assert "invoice_4711 went" in compress("\n".join(lines), DualSettings(context_aware=True), focus=focus).text


@pytest.mark.parametrize("kind", range(12))
def test_target_is_kept_on_every_kind(kind):
    for message in session(12, seed=kind, size=3, chinese=kind % 2 == 1):
        if message["role"] == "tool":
            done = compress(message["content"])
            assert done.after <= 150 or not done.changed
            assert done.after <= done.before
            assert not done.why or not done.changed


NASTY = st.one_of(
    st.text(max_size=3_000),
    st.text(alphabet=st.characters(codec="utf-8"), max_size=500).map(lambda t: t * 20),
    st.lists(st.text(max_size=80), max_size=60).map("\r\n".join),
    st.lists(st.text(alphabet="ab1,|\t ", max_size=80), max_size=80).map("\n".join),
    st.text(alphabet='{}[]",:0aé\\\n', max_size=2_000),
    st.text(alphabet="\r\n \x00\u2028\ufeff", max_size=500),
    st.binary(max_size=800).map(lambda b: b.decode("utf-8", "replace")),
    st.binary(max_size=800).map(lambda b: b.decode("utf-8", "surrogateescape")),
)


@given(NASTY, st.integers(1, 60), st.integers(1, 80), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_text_comes_out_smaller_or_untouched(text, target, more, aware):
    chosen = DualSettings(context_aware=aware)
    focus = Focus(text[:50], (text[:4] or "x", "\n"), ("DEBUG",))
    done = compress(text, chosen, target=target, threshold=target + more, focus=focus)
    assert done.after <= done.before
    assert quarter(done.text) == done.after
    if not done.changed:
        assert done.text == text
    else:
        assert done.after <= target or done.why
    assert compress(text, chosen, target=target, threshold=target + more, focus=focus) == done
    again = compress(done.text, chosen, target=target, threshold=target + more)
    assert again.text == done.text or not done.changed


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000_000,
        "错" * 3_000_000,
        '{"a": "' + "y" * 10_000_000,
        "[" * 200_000,
        '{"a":' * 50_000,
        "1" * 1_000_000,
        "[" + "1, " * 500_000,
        "def f():\n" + " " * 1_000_000,
        "a,b,c\n" * 200_000,
        "\r" * 300_000,
        '{"output": "' + "\\ud800\\n" * 9_000 + '"}',
    ],
    ids=lambda t: t[:8].encode("unicode_escape").decode(),
)
def test_monstrous_texts(text):
    done = compress(text)
    assert done.after <= 150
    assert done.changed


def test_the_last_of_many_errors_is_kept():
    lines = [f"step {i}" for i in range(800)]
    for k, name in enumerate(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"]):
        lines[300 + 40 * k] = f"{name}: Error in part"
    lines[700] = "ValueError: this is the one"
    assert "ValueError: this is the one" in compress("\n".join(lines)).text


def test_severe_lines_come_before_warnings():
    lines = [f"2024-01-15 10:00:{i % 60:02} INFO step {i} done" for i in range(600)]
    for k in range(40):
        word = chr(ord("a") + k % 26) * (2 + k // 26)
        lines[100 + 5 * k] = f"2024-01-15 10:01:00 WARN {word} is nearly full and somebody should look at it soon"
    for k, what in enumerate(["payment gateway", "mail server", "user store"]):
        lines[400 + 50 * k + 1] = f"2024-01-15 10:09:00 ERROR lost connection to the {what}"
    text = compress("\n".join(lines)).text
    assert text.count("ERROR lost connection to the") == 3
