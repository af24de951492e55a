"""Prompts of one machine as a tree of row boundaries: the longest prefix that any living prompt shares.

A boundary is alive while the youngest prompt through it is. Each session moves its own path; a request touches only the
rows after the first one that changed, and a path's age is kept once for all its boundaries.
"""

from __future__ import annotations

from sim.history import Prompt, Row
from sim.provider.cache.trace import Trace

CHILDREN = 64
"""Rows remembered after one boundary for comparing text; more would make a first divergence slow."""
CROWD = 16
"""Paths through one boundary at which expired ones are dropped."""
_NEVER = float("-inf")


class Path(Trace):
    """The last prompt of one session on one machine, and when it was last used."""

    __slots__ = ("used",)

    def __init__(self) -> None:
        super().__init__()
        self.used = _NEVER


class _Node:
    """A row boundary: when it can be read, the paths through it, and the last use by paths that left it."""

    __slots__ = ("left", "paths", "visible")

    def __init__(self, visible: float, path: Path) -> None:
        self.visible = visible
        self.left = _NEVER
        self.paths = [path]

    def used(self) -> float:
        latest = self.left
        for path in self.paths:
            if path.used > latest:
                latest = path.used
        return latest


class RowTree:
    """Stored prompts; entries live `ttl` seconds after their last use."""

    def __init__(self, ttl: float) -> None:
        self._ttl = ttl
        self._nodes: dict[int, _Node] = {}
        self._after: dict[int, dict[int, Row]] = {}

    def longest(self, prompt: Prompt, now: float, hint: int, *, unseen: bool = False) -> tuple[int, int]:
        """Rows and tokens of the longest prefix that can be read.

        Args:
            hint: a number of rows that is probably right.
            unseen: also count prompts that are not visible yet.
        """
        low, high = 0, len(prompt)
        if hint and self._reads(prompt.chain[hint], now, unseen):
            low = hint
            if hint == high or not self._reads(prompt.chain[hint + 1], now, unseen):
                high = hint
        # A prompt through one boundary is a prompt through all before it, so readable boundaries come first.
        while low < high:
            middle = (low + high + 1) // 2
            if self._reads(prompt.chain[middle], now, unseen):
                low = middle
            else:
                high = middle - 1
        tokens = prompt.sums[low]
        if low < len(prompt) and prompt.rows[low].message is not None:
            tokens += self._partial(prompt, low, now, unseen)[0]
        return low, tokens

    def _partial(self, prompt: Prompt, rows: int, now: float, unseen: bool) -> tuple[int, Row | None]:
        best, found = 0, None
        row = prompt.rows[rows]
        for key, other in self._after.get(prompt.chain[rows], {}).items():
            if self._reads(key, now, unseen):
                shared = row.shared_tokens(other)
                if shared > best:
                    best, found = shared, other
        return best, found

    def sharing_row(self, prompt: Prompt, rows: int, now: float) -> Row | None:
        """The stored row that shares most of the text of `prompt.rows[rows]`."""
        return self._partial(prompt, rows, now, True)[1]

    def _reads(self, key: int, now: float, unseen: bool) -> bool:
        node = self._nodes.get(key)
        if node is None:
            return key == 0
        return now - node.used() <= self._ttl and (unseen or node.visible <= now)

    def store(self, path: Path, prompt: Prompt, common: int, used: float, visible: float) -> None:
        """Move a session's path to a prompt that shares `common` rows with it."""
        before = path.used
        self._leave(path, common, before)
        if used - before > self._ttl:
            self._revive(path, common, used, visible)
        else:
            # A request still in flight may have set a later moment; the earlier answer makes its rows readable.
            for index in range(common, 0, -1):
                node = self._nodes[path.chain[index]]
                if node.visible <= visible:
                    break
                node.visible = visible
        path.used = used
        nodes, chain, rows, ttl = self._nodes, prompt.chain, prompt.rows, self._ttl
        for index in range(common + 1, len(chain)):
            key = chain[index]
            found = nodes.get(key)
            if found is None:
                nodes[key] = _Node(visible, path)
            else:
                found.visible = visible if used - found.used() > ttl else min(found.visible, visible)
                if len(found.paths) >= CROWD:
                    found.paths = [p for p in found.paths if used - p.used <= ttl]
                found.paths.append(path)
            row = rows[index - 1]
            if row.message is not None:
                self._remember(chain[index - 1], key, row)
        path.follow(prompt, common)

    def _leave(self, path: Path, common: int, before: float) -> None:
        """The path no longer runs through what it had after its first `common` rows."""
        for key in path.chain[common + 1 :]:
            node = self._nodes[key]
            if path in node.paths:
                node.paths.remove(path)
            if before > node.left:
                node.left = before

    def _revive(self, path: Path, common: int, used: float, visible: float) -> None:
        """The path had expired: its rows are stored anew, unless others kept them alive."""
        for key in path.chain[1 : common + 1]:
            node = self._nodes[key]
            node.visible = visible if used - node.used() > self._ttl else min(node.visible, visible)
            if path not in node.paths:
                node.paths.append(path)

    def _remember(self, parent: int, key: int, row: Row) -> None:
        rows = self._after.setdefault(parent, {})
        rows.pop(key, None)
        rows[key] = row
        if len(rows) > CHILDREN:
            del rows[next(iter(rows))]
