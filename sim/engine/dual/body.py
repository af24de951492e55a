"""The live rows of one session and the changes a pass makes to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sim.engine.dual.item import Chat, Item, calls_of
from sim.engine.dual.loss import Loss

Rung: TypeAlias = Literal["normal", "aggressive", "truncate", "restart"]
Measure: TypeAlias = Callable[[Chat], int]
"""Tokens of a whole message."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row that was shortened: what it was taken for, tokens before and after, and remarks."""

    row: int
    kind: str
    before: int
    after: int
    why: str = ""
    by_model: bool = False
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Rows `start:stop` of the body as it was before the pass, replaced by `messages`."""

    start: int
    stop: int
    messages: tuple[Chat, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """One rung's work.

    Attributes:
        rung: which.
        changes: ascending and disjoint; empty when nothing could be done.
        before, after: tokens of the whole request.
        rows: what happened to single rows.
        loss: what was dropped.
        asked: auxiliary calls made.
        removed: rows taken out.
        cold: whether the session restarted under a new system prompt.
    """

    rung: Rung
    changes: tuple[Change, ...]
    before: int
    after: int
    rows: tuple[RowChange, ...] = ()
    loss: Loss = field(default_factory=Loss)
    asked: int = 0
    removed: int = 0
    cold: bool = False

    @property
    def changed(self) -> bool:
        """Whether the history changed."""
        return bool(self.changes)


class Body:
    """Rows of a session with their sum.

    Args:
        prefix_tokens: tool schemas and system prompt, which stand before the rows.
        measure: tokens of a message this system writes.
    """

    def __init__(self, prefix_tokens: int, measure: Measure, items: Iterable[Item] = ()) -> None:
        self.prefix_tokens = prefix_tokens
        self.measure = measure
        self.items: list[Item] = list(items)
        self._sum = sum(item.tokens for item in self.items)

    @property
    def tokens(self) -> int:
        """Tokens of the whole request."""
        return self.prefix_tokens + self._sum

    def append(self, item: Item) -> None:
        """Add a row."""
        self.items.append(item)
        self._sum += item.tokens

    def item(self, message: Chat) -> Item:
        """The item of a message this system wrote."""
        return Item(str(message["role"]), self.measure(message), message, len(calls_of(message)))

    def apply(self, changes: Sequence[Change]) -> None:
        """Make the changes."""
        for change in reversed(changes):
            new = [self.item(m) for m in change.messages]
            self._sum += sum(i.tokens for i in new) - sum(i.tokens for i in self.items[change.start : change.stop])
            self.items[change.start : change.stop] = new
