"""The engine's pressure figure by running sums (host page, (a) 1 and 2), shared by host and client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .books import Books


@dataclass(frozen=True)
class Fixed:
    """Parts of a request that do not change in a session, in the engine's rough tokens.

    Attributes:
        system: the system prompt as plain text.
        system_row: text measure of the system prompt as a row (as it is priced before a call).
        tools: the tool schemas.
        replayed: whether the route sends old thinking again.
    """

    system: int
    system_row: int
    tools: int
    replayed: bool


class Gauge:
    """Pressure of one session.

    Attributes:
        anchor: `(prompt + completion, text sum, images, rows)` at the last response with usage, or None.
        anchors: whether this engine version anchors on usage at all.
        reply: rough tokens of the anchored reply, which its completion tokens already count.
    """

    def __init__(self, books: Books, fixed: Fixed, anchors: bool) -> None:
        self.books = books
        self.fixed = fixed
        self.anchors = anchors
        self.anchor: tuple[int, int, int, int] | None = None
        self.reply = 0

    def response(self, prompt: int, completion: int) -> None:
        """Usage arrived, before the reply is appended; unusable usage keeps the old anchor."""
        if self.anchors and prompt > 0 and len(self.books):
            self.anchor = (prompt + max(0, completion), self.books.text, self.books.images, len(self.books))
            self.reply = 0

    def append(self, row: Mapping[str, object]) -> None:
        """A row was appended to the books; the anchored reply itself is already in the completion tokens."""
        if self.anchor is not None and len(self.books) == self.anchor[3] + 1 and row.get("role") == "assistant":
            self.reply = self.books.rough_row(self.anchor[3])

    def rewritten(self, first: int | None) -> None:
        """Rows from `first` on changed (None: all of them); an anchor that priced them is void."""
        if self.anchor is not None and (first is None or first < self.anchor[3]):
            self.anchor = None

    def anchored(self) -> int | None:
        """Pressure by the anchor, None without one."""
        if self.anchor is None:
            return None
        used, text, images, _ = self.anchor
        return used + self.books.measure.total(self.books.text - text, self.books.images - images) - self.reply

    def _stale(self) -> int:
        """Text measure of thinking that the route does not send."""
        return 0 if self.fixed.replayed else self.books.thought - self.books.newest_thought

    def request(self) -> int:
        """Rough size of the whole request as turn start counts it: system text, rows, tool schemas."""
        books = self.books
        rows = books.measure.total(books.text - self._stale(), books.images)
        return self.fixed.system + rows + self.fixed.tools

    def whole(self) -> int:
        """Rough size after a rewrite, all thinking counted: what the engine stores as the compaction's result."""
        return self.fixed.system + self.books.rough + self.fixed.tools

    def wired(self) -> int:
        """Rough size as it is counted before a call: the system prompt as a row, rows as sent, tool schemas."""
        books = self.books
        text = self.fixed.system_row + books.sent - self._stale()
        return books.measure.total(text, books.images) + self.fixed.tools

    def resort(self) -> int:
        """Last resort after tools: rows and twice the schemas, without the system prompt (host page, (b) 1.1)."""
        return self.books.rough + 2 * self.fixed.tools

    def estimate(self) -> int:
        """The figure reported for the request as it stands."""
        anchored = self.anchored()
        return self.request() if anchored is None else anchored
