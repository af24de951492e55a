"""What a session sent last, kept so that finding what changed costs only what changed."""

from __future__ import annotations

from sim.history import Prompt, Row


class Trace:
    """The last prompt of one session: its prefix hashes and rows.

    Attributes:
        sent: rows of the last request, the reply that was appended afterwards apart.
        count: requests so far.
    """

    __slots__ = ("chain", "count", "rows", "sent")

    def __init__(self) -> None:
        self.chain: list[int] = [0]
        self.rows: list[Row] = []
        self.sent = 0
        self.count = 0

    def common(self, prompt: Prompt) -> int:
        """Rows at the start that are the same; equal prefix hashes are equal prefixes, so a bisection finds the end."""
        mine, theirs = self.chain, prompt.chain
        low, high = 0, min(len(mine), len(theirs)) - 1
        if mine[high] == theirs[high]:
            return high
        while low < high:
            middle = (low + high + 1) // 2
            if mine[middle] == theirs[middle]:
                low = middle
            else:
                high = middle - 1
        return low

    def follow(self, prompt: Prompt, common: int) -> None:
        """Become a copy of the prompt, touching only what comes after the first `common` rows."""
        if common < len(self.rows):
            del self.chain[common + 1 :], self.rows[common:]
        self.chain += prompt.chain[common + 1 :]
        self.rows += prompt.rows[common:]


def unchanged_tokens(trace: Trace, prompt: Prompt, common: int) -> int:
    """Tokens at the start that the session's last request sent just so; a row changed midway counts up to there."""
    if common >= trace.sent:
        return prompt.sums[trace.sent]
    tokens = prompt.sums[common]
    if common < len(prompt):
        tokens += prompt.rows[common].shared_tokens(trace.rows[common])
    return tokens
