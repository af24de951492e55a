"""Token-only growth: contexts on a straight line, exact to the token."""

from __future__ import annotations

from sim.errors import InputError
from sim.history import Blank, Row, RowMaker
from sim.tokens import TokenModel
from sim.workload.script import Reply, Script, ToolRun, Turn


def contexts(calls: int, first: int, last: int | None = None, growth: int | None = None) -> list[int]:
    """Prompt tokens of each call: `first + i * growth`, or a straight line from `first` to `last`.

    Raises:
        InputError: no call, both or neither of `last` and `growth`, or a line that falls.
    """
    if calls < 1:
        raise InputError(f"a curve of {calls} calls", remedy="set `calls` to 1 or more")
    if (last is None) == (growth is None):
        raise InputError("a curve needs either `last` or `growth`", remedy="give exactly one of the two")
    if growth is not None:
        if growth < 0 or first < 0:
            raise InputError(f"a curve from {first} by {growth} a call", remedy="use sizes of 0 or more")
        return [first + i * growth for i in range(calls)]
    assert last is not None
    if not 0 <= first <= last:
        raise InputError(f"a curve from {first} to {last} falls", remedy="set `last` to `first` or more")
    if calls == 1:
        return [first]
    return [first + (last - first) * i // (calls - 1) for i in range(calls)]


def draw_curve(
    *,
    calls: int,
    first: int,
    last: int | None = None,
    growth: int | None = None,
    output: int = 0,
    gap: float = 0.0,
    latency: float = 0.0,
    calls_per_turn: int = 0,
    started_at: float = 0.0,
) -> Script:
    """A token-only session whose prompts grow along a line when nothing is compacted.

    What a call adds is its output (the `assistant` row) and the rest of the growth (the tool result, or the next
    user message at a turn's end). Output beyond the growth is billed but not kept (`hidden_tokens`).

    Args:
        calls: model calls.
        first: prompt tokens of the first call: system prompt and first message.
        last: prompt tokens of the last call.
        growth: tokens added by each call, instead of `last`.
        output: output tokens of each call.
        gap: seconds between a response and the next request.
        latency: seconds a response takes.
        calls_per_turn: calls in each turn; 0 makes the whole session one turn.
        started_at: start, seconds since the epoch.

    Raises:
        InputError: see `contexts`; or a negative output, gap, latency or turn length.
    """
    for name, value in (("output", output), ("gap", gap), ("latency", latency), ("calls_per_turn", calls_per_turn)):
        if value < 0:
            raise InputError(f"`{name}` of a curve is {value}", remedy="use 0 or more")
    line = contexts(calls, first, last, growth)
    maker = RowMaker(TokenModel("none"))
    # The first message is a small share of the first prompt; the rest is the prefix.
    opening = min(first, max(1, min(200, first // 10)))
    system = maker.row(Blank("system", first - opening, "curve-system"))
    per_turn = calls_per_turn or calls
    turns: list[Turn] = []
    replies: list[Reply] = []
    users: tuple[Row, ...] = (maker.row(Blank("user", opening, "curve-user-0")),)
    for i in range(calls):
        added = line[i + 1] - line[i] if i + 1 < calls else output
        kept = min(output, added)
        ends = (i + 1) % per_turn == 0 or i + 1 == calls
        answer = maker.row(Blank("assistant", kept, f"curve-reply-{i}", has_text=ends, calls=0 if ends else 1))
        tools: tuple[ToolRun, ...] = ()
        if not ends:
            result = maker.row(Blank("tool", added - kept, f"curve-result-{i}"))
            tools = (ToolRun("tool", result, gap),)
        replies.append(Reply(answer, latency, tools, hidden_tokens=output - kept))
        if ends:
            turns.append(Turn(gap if turns else 0.0, users, tuple(replies)))
            replies = []
            users = (maker.row(Blank("user", added - kept, f"curve-user-{i + 1}")),)
    return Script("curve", (system,), tuple(turns), has_text=False, started_at=started_at)
