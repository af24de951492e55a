"""Running sums, the prune's bound, splices and frames: the parts that host and client share."""

from __future__ import annotations

import io
import pickle
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engine.hermes.process.hermes_sim_host import books, frames, gauge, rules, splices

MEASURE = books.Measure("dense")
TEXTS = st.text(max_size=400) | st.sampled_from(["", "x" * 250, "y" * 900, "压缩" * 120])
ROWS = st.one_of(
    st.builds(lambda t: {"role": "user", "content": t}, TEXTS),
    st.builds(lambda t: {"role": "assistant", "content": t, "reasoning_content": t}, TEXTS),
    st.builds(lambda t: {"role": "tool", "content": t, "tool_call_id": "c"}, TEXTS),
)


def fill(rows: list[dict[str, Any]], protect: int = 3, smallest: int = 200) -> books.Books:
    ledger = books.Books(MEASURE, books.PruneBound(protect, smallest))
    for row in rows:
        ledger.append(row)
    return ledger


@given(st.lists(ROWS, max_size=30))
def test_sums_are_the_sums_of_the_rows(rows: list[dict[str, Any]]) -> None:
    ledger = fill(rows)
    assert ledger.text == sum(rules.dense_tokens(rules.shape(row)) for row in rows)
    assert ledger.budget == sum(rules.budget(row) for row in rows)
    assert ledger.thought == sum(
        rules.dense_tokens(rules.shape(row)) - rules.dense_tokens(rules.shape(rules.without_thinking(row)))
        for row in rows
        if rules.has_thinking(row)
    )


@given(st.lists(ROWS, max_size=30), st.lists(ROWS, max_size=10))
def test_a_rewrite_leaves_the_books_as_if_written_anew(rows: list[dict[str, Any]], new: list[dict[str, Any]]) -> None:
    ledger = fill(rows)
    kept = [*new, *rows[len(rows) // 2 :]]
    ledger.replace(kept, [None] * len(new) + ledger.each[len(rows) // 2 :])
    fresh = fill(kept)
    assert (ledger.text, ledger.budget, ledger.sent, ledger.each) == (fresh.text, fresh.budget, fresh.sent, fresh.each)
    assert ledger.prune is not None
    assert fresh.prune is not None
    assert (ledger.prune.bound, ledger.prune.eligible) == (fresh.prune.bound, fresh.prune.eligible)


@given(st.lists(ROWS, max_size=40), st.integers(1, 8))
def test_the_prune_bound_is_never_below_what_a_prune_could_save(rows: list[dict[str, Any]], protect: int) -> None:
    """A prune empties every eligible old result and every older copy at best."""
    ledger = fill(rows, protect)
    best = 0
    for index, row in enumerate(rows):
        if row["role"] != "tool":
            continue
        old = index < len(rows) - protect and len(row["content"]) > 200 and not books.is_stub(row["content"])
        later = any(r["role"] == "tool" and r["content"] == row["content"] for r in rows[index + 1 :])
        if old or (later and len(row["content"]) >= 200):
            best += rules.budget(row) - 10
    assert ledger.prune is not None
    assert ledger.prune.bound == best


@given(st.lists(ROWS, min_size=1, max_size=20), st.lists(ROWS, max_size=8))
def test_anchored_pressure_counts_only_what_came_after(
    before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    ledger = fill(before)
    meter = gauge.Gauge(ledger, gauge.Fixed(100, 110, 50, True), anchors=True)
    meter.response(5_000, 77)
    for row in after:
        ledger.append(row)
        meter.append(row)
    counted = after[1:] if after and after[0]["role"] == "assistant" else after
    assert meter.anchored() == 5_077 + sum(rules.dense_tokens(rules.shape(row)) for row in counted)
    meter.rewritten(len(before))
    assert meter.anchored() is not None
    meter.rewritten(len(before) - 1)
    assert meter.anchored() is None


@given(st.lists(ROWS, max_size=25), st.randoms(use_true_random=False))
def test_splices_rebuild_the_new_list(old: list[dict[str, Any]], rng: random.Random) -> None:
    new = [dict(row) for row in old]
    for _ in range(rng.randint(0, 4)):
        if new and rng.random() < 0.5:
            start = rng.randrange(len(new))
            del new[start : start + rng.randint(1, 4)]
        elif new:
            new[rng.randrange(len(new))] = {"role": "user", "content": f"changed {rng.random()}", "_private": True}
    found = splices.splices(old, new)
    built: list[dict[str, Any]] = []
    position = 0
    for start, stop, rows in found:
        assert position <= start <= stop <= len(old)
        built += old[position:start] + rows
        position = stop
    built += old[position:]
    assert built == [splices.sent(row) for row in new]


def test_splices_keep_what_stands_after_a_summary() -> None:
    old = [{"role": "user", "content": str(i)} for i in range(10)]
    new = [old[0], {"role": "assistant", "content": "summary", "_compressed_summary": True}, *map(dict, old[6:])]
    assert splices.splices(old, new) == [(1, 6, [{"role": "assistant", "content": "summary"}])]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=10))
def test_frames_carry_plain_data_unchanged(value: Any) -> None:
    assert frames.read(io.BytesIO(frames.encode(value))) == value


def test_frames_carry_lone_surrogates() -> None:
    assert frames.read(io.BytesIO(frames.encode({"text": "a\ud800b"}))) == {"text": "a\ud800b"}


def test_frames_refuse_anything_but_data() -> None:
    body = pickle.dumps(ValueError("no"))
    with pytest.raises(frames.FrameError, match="plain data"):
        frames.read(io.BytesIO(len(body).to_bytes(8, "big") + body))


@pytest.mark.parametrize("cut", [3, 12])
def test_frames_cut_short_are_noticed(cut: int) -> None:
    with pytest.raises(frames.FrameError, match="ended inside"):
        frames.read(io.BytesIO(frames.encode({"a": "long enough"})[:cut]))


def test_an_empty_stream_is_an_end() -> None:
    with pytest.raises(EOFError):
        frames.read(io.BytesIO(b""))


def test_known_sizes_of_texts() -> None:
    """Facts of the engine, section 1: 1,000 Chinese characters are 1,008 rough tokens as a row in 0.22, 258 in 0.19."""
    row = {"role": "user", "content": "压" * 1_000}
    assert rules.dense_tokens(rules.shape(row)) == 1_008
    assert rules.quarter_tokens(rules.shape(row)) == 258
