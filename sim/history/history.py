"""A session's rows with running token sums and prefix hashes; work is proportional to what changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sim.errors import SimulationError
from sim.history.row import Blank, Message, Row

_MASK = (1 << 64) - 1
_ODD = 0x5851F42D4C957F2D
_ADD = 0x14057B7EF767814F


def chain_hash(before: int, ident: int) -> int:
    """Prefix hash after one more row; idents are already well mixed 64-bit digests."""
    return (before * _ODD + ident + _ADD) & _MASK


class Prompt:
    """A request in prefix order: tool schemas, system prompt, then chat rows.

    Attributes:
        rows: the rows.
        sums: `sums[i]` is the tokens of `rows[:i]`; one longer than `rows`.
        chain: `chain[i]` identifies `rows[:i]` exactly; one longer than `rows`.
    """

    __slots__ = ("chain", "rows", "sums")

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows: list[Row] = []
        self.sums: list[int] = [0]
        self.chain: list[int] = [0]
        for row in rows:
            self.append(row)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def tokens(self) -> int:
        """Tokens of the whole request."""
        return self.sums[-1]

    def append(self, row: Row) -> None:
        """Add one row at the end, O(1)."""
        self.rows.append(row)
        self.sums.append(self.sums[-1] + row.tokens)
        self.chain.append(chain_hash(self.chain[-1], row.ident))

    def truncate(self, length: int) -> None:
        """Keep the first `length` rows."""
        del self.rows[length:]
        del self.sums[length + 1 :]
        del self.chain[length + 1 :]


@dataclass(frozen=True, slots=True)
class Splice:
    """Rows `start:stop` of the body (prefix excluded, as before the rewrite) replaced by new ones."""

    start: int
    stop: int
    rows: tuple[Message | Blank, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """What changed since the last request: the first changed row of the prompt and why."""

    first: int
    cause: str


class History:
    """The live rows of one session under one arm.

    `prompt` is what would be sent now. `mark_sent()` is called when it is sent; from then on `edits` and `appended`
    say what changed, so every unread token can be given its cause.
    """

    def __init__(self, prefix: Sequence[Row]) -> None:
        self.prompt = Prompt(prefix)
        self.prefix_length = len(prefix)
        self.edits: list[Edit] = []
        self._sent = 0
        self._fresh_from = 0

    @property
    def tokens(self) -> int:
        """Tokens of the whole request as it stands."""
        return self.prompt.tokens

    @property
    def body(self) -> Sequence[Row]:
        """Chat rows, prefix excluded (a copy)."""
        return self.prompt.rows[self.prefix_length :]

    @property
    def body_length(self) -> int:
        return len(self.prompt) - self.prefix_length

    def append(self, row: Row) -> None:
        """Add a chat row."""
        self.prompt.append(row)

    def splice(self, splices: Sequence[tuple[int, int, Sequence[Row]]], cause: str) -> int:
        """Apply replacements given as `(start, stop, rows)` over the body, ascending and disjoint.

        Returns:
            Index in the prompt of the first changed row (its length when nothing changed).

        Raises:
            SimulationError: stretches that overlap, run backwards or leave the body.
        """
        offset = self.prefix_length
        old = self.prompt.rows
        new_body: list[Row] = []
        position = 0
        for start, stop, rows in splices:
            if not position <= start <= stop <= len(old) - offset:
                raise SimulationError(f"splice {start}:{stop} does not fit a body of {len(old) - offset} rows")
            new_body.extend(old[offset + position : offset + start])
            new_body.extend(rows)
            position = stop
        new_body.extend(old[offset + position :])
        # Of the rows appended since the last request, those that stand kept at the end are still new.
        unsent_kept = max(0, min(len(old) - self._fresh_from, len(old) - offset - position))
        first = self._replace(offset, new_body, cause)
        self._fresh_from = max(first, offset + len(new_body) - unsent_kept)
        return first

    def set_prefix(self, rows: Sequence[Row], cause: str) -> int:
        """Replace the prefix rows (tools, system); returns the first changed index."""
        body = list(self.body)
        unsent = len(self.prompt) - self._fresh_from
        old_length = self.prefix_length
        first = 0
        while first < min(old_length, len(rows)) and self.prompt.rows[first].ident == rows[first].ident:
            first += 1
        if first == old_length == len(rows):
            return len(self.prompt)
        self.prefix_length = len(rows)
        self.prompt.truncate(first)
        for row in (*rows[first:], *body):
            self.prompt.append(row)
        self._fresh_from = len(self.prompt) - max(unsent, 0)
        self.edits.append(Edit(first, cause))
        return first

    def _replace(self, offset: int, body: list[Row], cause: str) -> int:
        old = self.prompt.rows
        first = offset
        limit = min(len(old), offset + len(body))
        while first < limit and old[first].ident == body[first - offset].ident:
            first += 1
        if first == len(old) == offset + len(body):
            return first
        self.prompt.truncate(first)
        for row in body[first - offset :]:
            self.prompt.append(row)
        self.edits.append(Edit(first, cause))
        return first

    def mark_sent(self) -> None:
        """The prompt is being sent now: later changes are counted from here."""
        self._sent = self._fresh_from = len(self.prompt)
        self.edits.clear()

    def sent_prompt(self) -> Prompt:
        """The last request again, as far as it still stands (a copy)."""
        stable = min([self._sent, *(e.first for e in self.edits)])
        return Prompt(self.prompt.rows[:stable])

    def changed_everywhere(self, cause: str) -> None:
        """The whole request is new to the provider (another model answers)."""
        self.edits.append(Edit(0, cause))

    def unchanged_tokens(self) -> int:
        """Tokens at the start that were in the last request just so."""
        stable = min([self._sent, *(e.first for e in self.edits)])
        return self.prompt.sums[min(stable, len(self.prompt))]

    def new_tokens(self) -> int:
        """Tokens of the rows appended since the last request and not rewritten since."""
        start = max(self._fresh_from, 0)
        return self.prompt.tokens - self.prompt.sums[min(start, len(self.prompt))]
