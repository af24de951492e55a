"""A script: everything a person, an agent and its tools do in one session, whatever the compression settings.

It is drawn (or imported) once and played by every arm, so arms differ only by what their settings did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from sim.history import Row


@dataclass(frozen=True, slots=True)
class Recorded:
    """Usage a provider reported for one call of a real session, in our convention.

    `input_tokens` is the whole prompt: read + write + fresh; `output_tokens` includes reasoning.
    """

    input_tokens: int
    cache_read_tokens: int
    cache_write_5m_tokens: int
    cache_write_1h_tokens: int
    output_tokens: int
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One tool call's run.

    Attributes:
        name: the tool.
        result: the `tool` row it returns.
        seconds: how long it takes, permission waits included.
        failed: whether it returned an error.
        facts: ids of facts planted in the result, needed by later replies.
    """

    name: str
    result: Row
    seconds: float
    failed: bool = False
    facts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """One model response.

    Attributes:
        row: the `assistant` row it leaves in the history.
        seconds: from request to last token.
        tools: the tool calls it makes, in order; empty for a final answer.
        hidden_tokens: output billed but not kept in the history (hidden thinking).
        needs: ids of facts it relies on.
        model: the model that answered, when not the session's own.
        recorded: what the provider reported, for a replayed call.
    """

    row: Row
    seconds: float
    tools: tuple[ToolRun, ...] = ()
    hidden_tokens: int = 0
    needs: tuple[int, ...] = ()
    model: str | None = None
    recorded: Recorded | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One user message and the calls until the final answer.

    Attributes:
        gap: seconds between the end of the turn before and this message.
        users: the `user` row or rows that start the turn.
        replies: at least one; all but the last make tool calls (a cut-off turn may end with tool calls).
    """

    gap: float
    users: tuple[Row, ...]
    replies: tuple[Reply, ...]


Origin = Literal["terminal", "gateway", "cron", "subagent"]


@dataclass(frozen=True, slots=True)
class Script:
    """One session.

    Attributes:
        session: name, unique within a replication.
        prefix: rows before the chat: tool schemas (role `tools`), then one or two `system` rows (static, changing).
        turns: what happens.
        has_text: False for token-only scripts.
        started_at: seconds since the epoch, UTC.
        origin: what starts its turns; decides gateway hygiene and cache TTL `auto`.
        finished: False when the session was cut off.
        notes: remarks for the report (what an importer skipped, inferred sizes).
        facts: planted facts by id, word for word (placeholders in a token-only script).
    """

    session: str
    prefix: tuple[Row, ...]
    turns: tuple[Turn, ...]
    has_text: bool
    started_at: float = 0.0
    origin: Origin = "terminal"
    finished: bool = True
    notes: tuple[str, ...] = field(default=())
    facts: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """Model calls."""
        return sum(len(turn.replies) for turn in self.turns)

    def map_rows(self, change: Callable[[Row], Row]) -> Script:
        """The same script with every row replaced (for another token family)."""

        def run(tool: ToolRun) -> ToolRun:
            return replace(tool, result=change(tool.result))

        def reply(one: Reply) -> Reply:
            return replace(one, row=change(one.row), tools=tuple(run(t) for t in one.tools))

        turns = tuple(
            Turn(turn.gap, tuple(change(u) for u in turn.users), tuple(reply(r) for r in turn.replies))
            for turn in self.turns
        )
        return replace(self, prefix=tuple(change(row) for row in self.prefix), turns=turns)
