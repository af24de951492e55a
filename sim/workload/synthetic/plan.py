"""A session in numbers: who does what, how many tokens it takes and how long. Sizes are billed tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class PlannedTool:
    """One tool call.

    Attributes:
        name: the tool.
        number: its number in the session, from 0.
        arguments, result: tokens of name and arguments, and of the result.
        text: kind of text of the result.
        failed: whether it returns an error.
        repeats: number of the earlier call whose result it returns again, or -1.
        changed: whether that text has changed a little since.
        seconds: how long it takes.
        facts: facts planted in the result.
    """

    name: str
    number: int
    arguments: float
    result: float
    text: str
    seconds: float
    failed: bool = False
    repeats: int = -1
    changed: bool = False
    facts: tuple[int, ...] = ()


@dataclass(slots=True)
class PlannedReply:
    """One model response: thinking, text, tool calls."""

    thinking: float
    text: float
    tools: list[PlannedTool]
    seconds: float
    needs: tuple[int, ...] = ()
    model: str | None = None


@dataclass(slots=True)
class PlannedTurn:
    """A user message and what follows; `gap` is the time since the last answer."""

    user: float
    gap: float
    replies: list[PlannedReply] = field(default_factory=list)


@dataclass(slots=True)
class Plan:
    """A whole session; `waited` is how long its first message waited for the person's morning, seconds."""

    turns: list[PlannedTurn]
    finished: bool = True
    facts: int = 0
    waited: float = 0.0

    def replies(self) -> Iterator[PlannedReply]:
        """All responses in order."""
        for turn in self.turns:
            yield from turn.replies

    def tools(self) -> Iterator[PlannedTool]:
        """All tool calls in order."""
        for reply in self.replies():
            yield from reply.tools
