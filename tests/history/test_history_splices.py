"""History against a plain-list brute force: sums, prefix hashes, what changed since the last request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import SimulationError
from sim.history import Blank, History, Prompt, Row, RowMaker, unpaired_calls
from sim.tokens import token_model

MAKER = RowMaker(token_model("gpt-5"))


def blank(label: object, tokens: int = 10, role: str = "user") -> Row:
    return MAKER.row(Blank(role, tokens, str(label)))  # type: ignore[arg-type]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 50)),
        st.tuples(st.just("sent"), st.just(0)),
        st.tuples(st.just("splice"), st.tuples(st.integers(0, 30), st.integers(0, 6), st.integers(0, 3))),
    ),
    max_size=60,
)


@given(steps)
def test_running_sums_and_hashes_equal_a_fresh_build(script: list[tuple[str, object]]) -> None:
    history = History([blank("tools", 100, "tools"), blank("system", 50, "system")])
    plain: list[Row] = []
    fresh = 0
    for kind, value in script:
        if kind == "append":
            fresh += 1
            row = blank(f"row-{fresh}", int(value))  # type: ignore[call-overload]
            history.append(row)
            plain.append(row)
        elif kind == "sent":
            history.mark_sent()
        else:
            start, length, new = value  # type: ignore[misc]
            start = min(start, len(plain))
            stop = min(start + length, len(plain))
            rows = [blank(f"new-{fresh}-{i}", 3) for i in range(new)]
            fresh += 1
            history.splice([(start, stop, rows)], "compaction")
            plain[start:stop] = rows
    again = Prompt([*history.prompt.rows[:2], *plain])
    assert [r.ident for r in history.body] == [r.ident for r in plain]
    assert history.prompt.sums == again.sums
    assert history.prompt.chain == again.chain
    assert 0 <= history.unchanged_tokens() <= history.tokens
    assert 0 <= history.new_tokens() <= history.tokens
    assert history.unchanged_tokens() + history.new_tokens() <= history.tokens


def test_what_changed_since_the_last_request() -> None:
    history = History([blank("system", 100, "system")])
    for i in range(5):
        history.append(blank(i))
    history.mark_sent()
    history.append(blank("new"))
    assert (history.unchanged_tokens(), history.new_tokens()) == (150, 10)
    first = history.splice([(1, 3, [blank("summary", 4)])], "compaction")
    assert first == 2
    assert history.unchanged_tokens() == 110
    assert history.new_tokens() == 10
    assert [e.cause for e in history.edits] == ["compaction"]
    history.mark_sent()
    assert history.unchanged_tokens() == history.tokens
    assert history.new_tokens() == 0


def test_a_splice_with_equal_rows_changes_nothing() -> None:
    history = History([])
    history.append(blank("a"))
    history.mark_sent()
    assert history.splice([(0, 1, [blank("a")])], "prune") == 1
    assert not history.edits


@pytest.mark.parametrize("bad", [[(2, 1, [])], [(0, 9, [])], [(1, 2, []), (0, 1, [])]])
def test_splices_that_do_not_fit_are_refused(bad: list[tuple[int, int, list[Row]]]) -> None:
    history = History([])
    for i in range(3):
        history.append(blank(i))
    with pytest.raises(SimulationError):
        history.splice(bad, "prune")


def test_a_new_system_prompt_moves_only_what_follows_it() -> None:
    history = History([blank("tools", 100, "tools"), blank("system", 50, "system")])
    history.append(blank("a"))
    history.mark_sent()
    assert history.set_prefix([blank("tools", 100, "tools"), blank("system 2", 50, "system")], "system") == 1
    assert history.unchanged_tokens() == 100
    assert history.tokens == 160


@given(st.text(), st.text(), st.text())
def test_shared_tokens_never_exceed_the_row(start: str, a: str, b: str) -> None:
    one = MAKER.row({"role": "user", "content": start + a})
    two = MAKER.row({"role": "user", "content": start + b})
    shared = one.shared_tokens(two)
    assert 0 <= shared <= one.tokens
    assert one.shared_tokens(one) == one.tokens


def test_equal_messages_are_equal_rows_and_counted_once() -> None:
    maker = RowMaker(token_model("gpt-5"))
    one = maker.row({"role": "user", "content": "hello world"})
    two = maker.row({"role": "user", "content": "hello world"})
    other = maker.row({"role": "assistant", "content": "hello world"})
    assert one.ident == two.ident != other.ident
    assert one.tokens == two.tokens == other.tokens == 2


def test_unpaired_calls_and_results_are_found() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    rows = [
        MAKER.row({"role": "assistant", "content": None, "tool_calls": [call]}),
        MAKER.row({"role": "tool", "content": "x", "tool_call_id": "c2"}),
    ]
    assert unpaired_calls(rows) == ({"c1"}, {"c2"})
    rows[1] = MAKER.row({"role": "tool", "content": "x", "tool_call_id": "c1"})
    assert unpaired_calls(rows) == (set(), set())
