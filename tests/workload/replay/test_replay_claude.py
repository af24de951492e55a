"""Claude Code files in detail: usage once a message, side chains, compactions, rewinds, times, hidden base."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from replay_writers_first import claude, claude_answer, claude_line, claude_usage
from replay_writing import T0, lines

from sim.history import RowMaker
from sim.tokens import token_model
from sim.workload.replay import Imported, import_transcripts
from sim.workload.script import Recorded


def say(uuid: str, parent: str | None, at: float, text: str, **more: Any) -> dict[str, Any]:
    return claude_line("user", uuid, parent, at, {"role": "user", "content": text}, **more)


def reply(uuid: str, parent: str, at: float, text: str, usage: dict[str, Any] | None = None) -> dict[str, Any]:
    block = {"type": "text", "text": text}
    return claude_line(
        "assistant", uuid, parent, at, claude_answer(f"m-{uuid}", block, usage or claude_usage(1, 0, 900, 0, 9))
    )


def read(path: Path, items: list[dict[str, Any]], maker: RowMaker) -> list[Imported]:
    lines(path, items)
    return list(import_transcripts([str(path)], maker=maker))


def test_usage_once_a_message_with_the_largest_output(tmp_path: Path, maker: RowMaker) -> None:
    claude(tmp_path / "s.jsonl")
    main, side = import_transcripts([str(tmp_path / "s.jsonl")], maker=maker)
    first, second = main.script.turns[0].replies
    assert first.recorded == Recorded(10_003, 0, 9_000, 1_000, 400, "m1")
    assert second.recorded == Recorded(10_708, 10_003, 700, 0, 50, "m2")
    assert side.script.origin == "subagent"
    assert side.script.turns[0].replies[0].recorded == Recorded(4_002, 0, 4_000, 0, 30, "ms")


def test_parallel_calls_over_several_lines_are_one_reply(tmp_path: Path, maker: RowMaker) -> None:
    claude(tmp_path / "s.jsonl")
    script = import_transcripts([str(tmp_path / "s.jsonl")], maker=maker)[0].script
    first = script.turns[0].replies[0]
    assert [tool.name for tool in first.tools] == ["Bash", "Task"]
    assert [tool.seconds for tool in first.tools] == [1.0, 4.0]
    assert first.seconds == 4.0
    assert script.turns[0].replies[1].seconds == 3.0
    assert script.started_at == T0 + 1


def test_first_prompt_is_the_recorded_one(tmp_path: Path, maker: RowMaker) -> None:
    claude(tmp_path / "s.jsonl")
    for one in import_transcripts([str(tmp_path / "s.jsonl")], maker=maker):
        script = one.script
        shown = sum(row.tokens for row in (*script.prefix, *script.turns[0].users))
        recorded = script.turns[0].replies[0].recorded
        assert recorded is not None
        assert abs(shown - recorded.input_tokens) <= 4
        assert [row.role for row in script.prefix] == ["tools", "system"]


def test_billed_output_is_the_recorded_one_unless_it_is_a_placeholder(tmp_path: Path, maker: RowMaker) -> None:
    long = "word " * 300
    found = read(
        tmp_path / "s.jsonl",
        [
            say("u1", None, 0, "a"),
            reply("a1", "u1", 5, "short", claude_usage(1, 0, 900, 0, 500)),
            say("u2", "a1", 60, "b"),
            reply("a2", "u2", 65, long, claude_usage(1, 900, 30, 0, 2)),
        ],
        maker,
    )
    first, second = (turn.replies[0] for turn in found[0].script.turns)
    assert first.row.tokens + first.hidden_tokens == 500
    assert second.hidden_tokens == 0
    assert any("1 recorded output count(s) below the visible output" in note for note in found[0].report.notes)


def test_a_compaction_is_undone_when_the_earlier_rows_are_there(tmp_path: Path, maker: RowMaker) -> None:
    boundary = claude_line("system", "b1", None, 70, {}, subtype="compact_boundary", logicalParentUuid="a1",
                           compactMetadata={"trigger": "auto", "preTokens": 9_000})  # fmt: skip
    items = [
        say("u1", None, 0, "first question"),
        reply("a1", "u1", 5, "first answer"),
        boundary,
        say("c1", "b1", 70, "This session is being continued", isCompactSummary=True),
        say("u2", "c1", 80, "second question"),
        reply("a2", "u2", 85, "second answer"),
    ]
    (whole,) = read(tmp_path / "s.jsonl", items, maker)
    assert (whole.report.compactions_undone, whole.report.compactions_kept) == (1, 0)
    assert [len(turn.users) for turn in whole.script.turns] == [1, 1]
    (late,) = read(tmp_path / "t.jsonl", items[2:], maker)
    assert (late.report.compactions_undone, late.report.compactions_kept) == (0, 1)
    assert [row.text for row in late.script.turns[0].users] == ["This session is being continued", "second question"]


def test_a_rewound_branch_was_paid_for_but_left_the_history(tmp_path: Path, maker: RowMaker) -> None:
    items = [
        say("u1", None, 0, "start"),
        reply("a1", "u1", 5, "kept"),
        say("u2", "a1", 20, "wrong way"),
        reply("a2", "u2", 25, "left"),
        say("u3", "a1", 60, "right way"),
        reply("a3", "u3", 65, "goal"),
    ]
    main, branch = read(tmp_path / "s.jsonl", items, maker)
    assert [turn.replies[0].row.text for turn in main.script.turns] == ["kept", "goal"]
    assert branch.script.session == "s/rewound-1"
    (turn,) = branch.script.turns
    assert [row.text for row in turn.users] == ["start", "kept", "wrong way"]
    assert [one.row.text for one in turn.replies] == ["left"]
    assert main.script.calls + branch.script.calls == 3


def test_results_on_their_own_branches_are_no_rewind(tmp_path: Path, maker: RowMaker) -> None:
    claude(tmp_path / "s.jsonl")
    assert not any(
        "rewound" in one.script.session for one in import_transcripts([str(tmp_path / "s.jsonl")], maker=maker)
    )


def test_meta_lines_are_sent_to_the_model_and_start_no_turn_of_their_own(tmp_path: Path, maker: RowMaker) -> None:
    items = [
        say("u1", None, 0, "<command-message>plan</command-message>"),
        say("u2", "u1", 0, "the command's long prompt", isMeta=True),
        reply("a1", "u2", 5, "ok"),
    ]
    (one,) = read(tmp_path / "s.jsonl", items, maker)
    assert [len(turn.users) for turn in one.script.turns] == [2]


def test_a_call_without_a_result_gets_a_stand_in(tmp_path: Path, maker: RowMaker) -> None:
    tool = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
    items = [
        say("u1", None, 0, "go"),
        claude_line("assistant", "a1", "u1", 4, claude_answer("m1", tool, claude_usage(1, 0, 900, 0, 9))),
    ]
    (one,) = read(tmp_path / "s.jsonl", items, maker)
    assert one.script.turns[0].replies[0].tools[0].result.text == "[no result recorded]"
    assert not one.script.finished


def test_a_proxy_that_gives_every_response_one_id(tmp_path: Path, maker: RowMaker) -> None:
    items = []
    for n in range(3):
        answer = claude_answer("msg_1", {"type": "text", "text": f"answer {n}"}, claude_usage(1, n * 900, 900, 0, 9))
        items.append(say(f"u{n}", f"a{n - 1}" if n else None, n * 60, "question"))
        items.append(claude_line("assistant", f"a{n}", f"u{n}", n * 60 + 3, answer))
    (one,) = read(tmp_path / "s.jsonl", items, maker)
    assert [turn.replies[0].row.text for turn in one.script.turns] == ["answer 0", "answer 1", "answer 2"]


def test_calibration_is_recorded_growth_over_counted_growth(tmp_path: Path, maker: RowMaker) -> None:
    text = "some plain words about the state of things " * 20
    grown = (
        maker.row({"role": "user", "content": text}).tokens + maker.row({"role": "assistant", "content": "ok"}).tokens
    )
    items = []
    for n in range(6):
        usage = claude_usage(0, 1_000 + int(n * grown * 1.25), 0, 0, 1)
        items += [
            say(f"u{n}", f"a{n - 1}" if n else None, n * 60, text),
            reply(f"a{n}", f"u{n}", n * 60 + 3, "ok", usage),
        ]
    (one,) = read(tmp_path / "s.jsonl", items, maker)
    assert one.report.multiplier is not None
    assert abs(one.report.multiplier - 1.25) < 0.01


def test_another_family_counts_the_same_script_in_its_own_tokens(tmp_path: Path, maker: RowMaker) -> None:
    claude(tmp_path / "s.jsonl")
    path = [str(tmp_path / "s.jsonl")]
    own = import_transcripts(path, maker=maker)[0]
    other_maker = RowMaker(token_model("gpt-5.1"))
    other = import_transcripts(path, maker=other_maker)[0]
    assert other.report.base_tokens == own.report.base_tokens
    assert [r.ident for r in other.script.prefix] == [r.ident for r in own.script.prefix]
    again = own.script.map_rows(other_maker.recount)
    assert [r.tokens for r in again.turns[0].users] == [r.tokens for r in other.script.turns[0].users]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 400), st.integers(0, 10**5), st.integers(0, 999)), min_size=1, max_size=8),
    st.data(),
)
def test_usage_is_conserved_whatever_the_order_of_lines(
    tmp_path_factory: Any, maker: RowMaker, calls: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    """Property: every call's recorded sums survive repetition of its lines and their order within the message."""
    items: list[dict[str, Any]] = []
    for n, (fresh, cached, output) in enumerate(calls):
        items.append(say(f"u{n}", f"a{n - 1}-0" if n else None, n * 60, "q"))
        parts = [claude_usage(fresh, cached, 7, 3, o) for o in (1, output)]
        order = data.draw(st.permutations(parts))
        for i, usage in enumerate(order):
            block = {"type": "text", "text": "x"}
            items.append(
                claude_line("assistant", f"a{n}-{i}", f"u{n}", n * 60 + 3, claude_answer(f"m{n}", block, usage))
            )
    path = tmp_path_factory.mktemp("p") / "s.jsonl"
    found = read(path, items, maker)
    recorded = [r.recorded for one in found for t in one.script.turns for r in t.replies if r.recorded]
    assert sum(r.input_tokens for r in recorded) == sum(f + c + 10 for f, c, _ in calls)
    assert sum(r.output_tokens for r in recorded) == sum(max(1, o) for _, _, o in calls)
    assert sum(r.cache_write_1h_tokens for r in recorded) == 3 * len(calls)


def test_the_report_says_before_which_calls_compactions_were_undone(tmp_path: Path, maker: RowMaker) -> None:
    items = [say("u1", None, 0, "a"), reply("a1", "u1", 5, "b")]
    items += [claude_line("system", "b1", None, 70, {}, subtype="compact_boundary", logicalParentUuid="a1")]
    items += [say("u2", "b1", 80, "c"), reply("a2", "u2", 85, "d")]
    (one,) = read(tmp_path / "s.jsonl", items, maker)
    assert one.report.compactions_at == (2,)


def test_sub_agents_in_files_of_their_own_belong_to_their_session(tmp_path: Path, maker: RowMaker) -> None:
    lines(tmp_path / "s.jsonl", [say("u1", None, 0, "a"), reply("a1", "u1", 5, "b")])
    (tmp_path / "s" / "subagents").mkdir(parents=True)
    side = [say("u2", None, 1, "look"), reply("a2", "u2", 4, "seen")]
    agent = [{**item, "isSidechain": True, "agentId": "4f2a"} for item in side]
    lines(tmp_path / "s" / "subagents" / "agent-4f2a.jsonl", agent)
    found = import_transcripts([str(tmp_path)], maker=maker)
    assert sorted((one.script.session, one.script.origin) for one in found) == [
        ("s", "terminal"),
        ("s/agent-4f2a", "subagent"),
    ]
