"""Planted facts: where they stand after rewrites, and what forgetting them costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from world_parts import MAKER, Obedient, setup

from sim.engine import Outcome, Rewrite
from sim.history import Row, Splice
from sim.ledger import Ledger, SessionRecord
from sim.streams import Streams
from sim.workload.script import Reply, Script, ToolRun, Turn
from sim.world import play

FACT = "billing_ledger_key=00c0ffee"


def said(role: str, text: str | None, **more: Any) -> Row:
    return MAKER.row({"role": role, "content": text, **more})


def script() -> Script:
    """A result with a fact, two further calls, then an answer that needs it."""
    replies = []
    for i in range(3):
        call = {"id": f"c{i}", "type": "function", "function": {"name": "read", "arguments": f'{{"path": "f{i}"}}'}}
        text = f"line one\n{FACT}\nline three, and so on for a while\n" if i == 0 else f"other text {i}"
        result = said("tool", text, tool_call_id=f"c{i}")
        run = ToolRun("read", result, 1.0, facts=(0,) if i == 0 else ())
        replies.append(Reply(said("assistant", None, tool_calls=[call]), 4.0, (run,)))
    replies.append(Reply(said("assistant", "done"), 4.0, needs=(0,)))
    turn = Turn(0.0, (said("user", "find the key"),), tuple(replies))
    return Script("s", (said("system", "be brief"),), (turn,), has_text=True, facts=(FACT,))


def compaction(summary: str) -> Any:
    """After the second round of tools everything so far becomes one row."""
    event = Rewrite("compaction", "after_tools", (Splice(0, 5, ({"role": "user", "content": summary},)),), 0, 0)
    left = [Outcome(), Outcome((event,))]

    def hook(*_: object) -> Any:
        return left.pop(0) if left else Outcome()
        yield

    return hook


def run(engine: Obedient, probability: float = 0.0) -> Ledger:
    chosen = replace(setup(engine), forgetting=probability)
    return play(chosen, [script()], replication=0, streams=Streams(3))


def states(session: SessionRecord) -> tuple[int, int, int, int]:
    return session.facts_verbatim, session.facts_summarised, session.facts_recoverable, session.facts_gone


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        (f"the key is {FACT}", (0, 1, 0, 0)),
        ("rows were archived; use session_search", (0, 0, 1, 0)),
        ("the file was read", (0, 0, 0, 1)),
    ],
)
def test_where_a_fact_stands_after_a_compaction(summary: str, expected: tuple[int, int, int, int]) -> None:
    assert states(run(Obedient(after_tools=compaction(summary))).sessions[0]) == expected
    assert states(run(Obedient()).sessions[0]) == (1, 0, 0, 0)


def test_a_lost_fact_makes_the_agent_call_again_and_pay() -> None:
    plain = run(Obedient(after_tools=compaction("the file was read")))
    again = run(Obedient(after_tools=compaction("the file was read")), probability=1.0)
    assert plain.sessions[0].repeated_calls == 0
    assert again.sessions[0].repeated_calls == 1
    assert len(again.calls) == len(plain.calls) + 1
    assert again.sessions[0].tool_calls == plain.sessions[0].tool_calls + 1
    assert again.sessions[0].cost_pico > plain.sessions[0].cost_pico
    # The last call sees the repeated call and its result.
    extra = again.calls[-1].input_tokens - plain.calls[-1].input_tokens
    result, call = script().turns[0].replies[0].tools[0].result, script().turns[0].replies[0].row
    assert extra == result.tokens + call.tokens


def test_nothing_is_repeated_while_the_fact_is_there() -> None:
    kept = run(Obedient(), probability=1.0)
    summarised = run(Obedient(after_tools=compaction(f"the key is {FACT}")), probability=1.0)
    assert kept.sessions[0].repeated_calls == summarised.sessions[0].repeated_calls == 0
    assert kept == run(Obedient(), probability=0.0)
