"""Running sums over the rows of one session: work is proportional to what changed.

Both sides keep these books: the host decides by them, the client predicts by them when a batch must be sent. They must
never differ, so the host sends its sums back and the client compares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import rules

Row = Mapping[str, Any]
Prices = tuple[int, int, int, int, int]
"""Text measure, images, budget tokens, the text measure without readable thinking, and that of the row as sent."""

DUPLICATE_CHARS = 200
_STUB_STARTS = ("[Duplicate tool output", "[screenshot removed")
_STUB_CHARS = 400


def is_stub(content: str) -> bool:
    """Whether a tool result is already the one line that a prune leaves."""
    return content.startswith(_STUB_STARTS) or (
        len(content) < _STUB_CHARS and content.startswith("[") and " chars)" in content
    )


@dataclass(frozen=True)
class Measure:
    """Which figures a package uses.

    Attributes:
        rule: `dense` (tokens a row), `quarter` (characters a row, divided once) or `package` (asked row by row).
        price: the package's own text measure and budget of one row, for rows the rules do not cover.
    """

    rule: str
    price: Callable[[Row], Prices] | None = None

    def prices(self, row: Row) -> Prices:
        """The figures of a row."""
        if self.price is not None and (self.rule == "package" or not rules.KNOWN_KEYS.issuperset(row)):
            return self.price(row)
        count = rules.images(row)
        wired = rules.wire(row)
        if self.rule == "quarter":
            text = len(rules.shape(row, once=False))
            return text, count, 0, text, (text if wired is row else len(rules.shape(wired, once=False)))
        text = rules.dense_tokens(rules.shape(row))
        bare = rules.dense_tokens(rules.shape(rules.without_thinking(row))) if rules.has_thinking(row) else text
        sent = text if wired is row else rules.dense_tokens(rules.shape(wired))
        return text, count, rules.budget(row), bare, sent

    def total(self, text: int, images: int) -> int:
        """Tokens of a sum of text measures and images."""
        return (-(-text // 4) if self.rule == "quarter" else text) + images * rules.IMAGE_TOKENS


class PruneBound:
    """An upper bound of what a prune of old tool results could reclaim (host page, (a) 5).

    Attributes:
        bound: tokens.
        eligible: rows that a prune could rewrite.
        odd: results whose gain can change while `bound` stays (images, skill bodies): the engine must be asked.
    """

    __slots__ = ("_counted", "_latest", "_protect", "_results", "_skills", "_smallest", "bound", "eligible", "odd")

    def __init__(self, protect_last: int, smallest: int) -> None:
        self._protect = protect_last
        self._smallest = smallest
        self.clear()

    def clear(self) -> None:
        """Forget every row."""
        self.bound = 0
        self.eligible = 0
        self.odd = 0
        self._latest: dict[str, int] = {}
        self._counted: set[int] = set()
        self._results: dict[int, tuple[str, int]] = {}
        self._skills: set[Any] = set()

    def append(self, index: int, row: Row, budget: int) -> None:
        """Row `index` arrived at the end; one older row leaves the protected zone."""
        for call in row.get("tool_calls") or ():
            if isinstance(call, dict) and (call.get("function") or {}).get("name") == "skill_view":
                self._skills.add(call.get("id"))
        if row.get("role") == "tool":
            content = row.get("content") or ""
            if not isinstance(content, str):
                self.odd += 1
            else:
                if len(content) >= DUPLICATE_CHARS:
                    older = self._latest.get(content)
                    if older is not None:
                        self._count(older)
                    self._latest[content] = index
                self._results[index] = (content, budget)
                self.odd += row.get("tool_call_id") in self._skills
        leaving = index - self._protect
        result = self._results.get(leaving)
        if result is not None and len(result[0]) > self._smallest and not is_stub(result[0]):
            self._count(leaving)

    def _count(self, index: int) -> None:
        if index not in self._counted:
            self._counted.add(index)
            self.eligible += 1
            self.bound += self._results[index][1] - 10


class Books:
    """Figures of the rows of a session.

    Attributes:
        text, images: sums over all rows (`Measure.total` makes tokens of them).
        budget: sum of per-message budget figures.
        sent: text sum of the rows as a request holds them.
        thought: text sum of readable thinking.
        newest_thought: that of the newest assistant row.
        prune: the prune's upper bound, None when the prune is off.
    """

    def __init__(self, measure: Measure, prune: PruneBound | None = None) -> None:
        self.measure = measure
        self.prune = prune
        self.each: list[Prices] = []
        self.text = self.images = self.budget = self.sent = self.thought = self.newest_thought = 0

    def __len__(self) -> int:
        return len(self.each)

    @property
    def rough(self) -> int:
        """Rough tokens of all rows."""
        return self.measure.total(self.text, self.images)

    def rough_row(self, index: int) -> int:
        """Rough tokens of one row."""
        text, images, *_ = self.each[index]
        return self.measure.total(text, images)

    def append(self, row: Row, prices: Prices | None = None) -> None:
        """Add one row at the end; `prices` when already known."""
        if prices is None:
            prices = self.measure.prices(row)
        self.each.append(prices)
        text, images, budget, bare, sent = prices
        self.text += text
        self.images += images
        self.budget += budget
        self.sent += sent
        self.thought += text - bare
        if row.get("role") == "assistant":
            self.newest_thought = text - bare
        if self.prune is not None:
            self.prune.append(len(self.each) - 1, row, budget)

    def replace(self, rows: Sequence[Row], prices: Iterable[Prices | None]) -> None:
        """Start again with a rewritten list; rows that stayed keep their known prices."""
        self.each = []
        self.text = self.images = self.budget = self.sent = self.thought = self.newest_thought = 0
        if self.prune is not None:
            self.prune.clear()
        for row, known in zip(rows, prices, strict=True):
            self.append(row, known)
