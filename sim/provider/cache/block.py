"""Self-hosted prefix caches (vLLM, SGLang): full blocks of tokens, kept until the memory is needed for others.

vLLM (docs.vllm.ai, design of prefix caching): a block is known by its tokens and all before them; only full blocks are
stored or matched; at least the last token of a prompt is computed anew; the least recently used block goes first and a
request's tail before its head; generated tokens can be reused. SGLang's radix tree does the same with blocks of one
token.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from sim.history import Prompt, Row
from sim.provider.cache.trace import Trace, unchanged_tokens
from sim.provider.cache.tree import CHILDREN
from sim.provider.seam import Mark, Served, Why


@dataclass(frozen=True, slots=True)
class BlockRules:
    """Parameters of the family.

    Attributes:
        block: tokens of a block.
        capacity_tokens: tokens the server can keep, over all sessions; 0 for no limit.
        min_tokens: shortest prefix that is read.
        keep_output: whether generated tokens are kept.
    """

    block: int = 16
    capacity_tokens: int = 0
    min_tokens: int = 0
    keep_output: bool = True


class _Edge:
    """A stretch of stored blocks; its children begin where it ends.

    `start` and `end` count tokens from the beginning of the prompt, both whole blocks.
    """

    __slots__ = ("children", "cut", "end", "gone", "parent", "pin", "start")

    def __init__(self, parent: _Edge | None, start: int, end: int) -> None:
        self.parent = parent
        self.start, self.end = start, end
        self.children = 0
        self.gone = self.cut = False
        self.pin: _Edge | None = None


class BlockCache:
    """One server; the cost of a request is that of the rows after its first changed one."""

    def __init__(self, rules: BlockRules) -> None:
        self._rules = rules
        self._root = _Edge(None, 0, 0)
        self._places: dict[int, _Edge] = {}
        self._after: dict[int, dict[int, Row]] = {}
        self._leaves: OrderedDict[_Edge, None] = OrderedDict()
        self._traces: dict[str, Trace] = {}
        self._stored = 0

    @property
    def stored_tokens(self) -> int:
        """Tokens kept now, in whole blocks."""
        return self._stored

    def serve(
        self, prompt: Prompt, marks: Sequence[Mark], now: float, *, first_byte: float, done: float, session: str = ""
    ) -> Served:
        """Read the longest run of stored blocks; store the prompt's full blocks; evict the oldest beyond capacity."""
        rules = self._rules
        trace = self._traces.setdefault(session, Trace())
        common = trace.common(prompt)
        rows, edge, matched = self._match(prompt, common)
        # At least one token is always computed anew.
        read = min(matched, (prompt.tokens - 1) // rules.block * rules.block)
        read = read if read >= rules.min_tokens else 0
        why = self._why(prompt, trace, common, read, matched)
        self._store(prompt, rows, edge, matched)
        trace.follow(prompt, common)
        trace.sent, trace.count = len(prompt), trace.count + 1
        return Served(read, {}, prompt.tokens - read, why)

    def settle(self, prompt: Prompt, done: float, *, session: str = "") -> None:
        """Blocks filled by generated tokens are kept too."""
        trace = self._traces.get(session)
        if trace is None or not self._rules.keep_output:
            return
        common = trace.common(prompt)
        self._store(prompt, *self._match(prompt, common))
        trace.follow(prompt, common)

    def _match(self, prompt: Prompt, hint: int) -> tuple[int, _Edge, int]:
        """Rows that are stored whole, the edge in which the stored part of the prompt ends, and its tokens."""
        block = self._rules.block
        rows = self._stored_rows(prompt, hint)
        edge, _ = self._resolve(prompt.chain[rows], prompt.sums[rows])
        matched = prompt.sums[rows] // block * block
        if rows < len(prompt):
            edge, matched = self._into_row(prompt, rows, edge, matched)
        return rows, self._at(edge, matched), matched

    def _into_row(self, prompt: Prompt, rows: int, edge: _Edge, matched: int) -> tuple[_Edge, int]:
        """Blocks that reach into the next row: what eviction left of it, and what a stored row begins with too."""
        block, begin = self._rules.block, prompt.sums[rows]
        row = prompt.rows[rows]
        known = self._after.get(prompt.chain[rows], {}) if row.message is not None else {}
        reaches = [(prompt.chain[rows + 1], row.tokens, row.tokens)] if prompt.chain[rows + 1] in self._places else []
        reaches += [(key, other.tokens, row.shared_tokens(other)) for key, other in known.items()]
        for key, tokens, shared in reaches:
            found, end = self._resolve(key, begin + tokens)
            reach = min(begin + shared, end) // block * block
            if reach > matched:
                edge, matched = found, reach
        return edge, matched

    def _stored_rows(self, prompt: Prompt, hint: int) -> int:
        """Rows whose full blocks are all stored; those come first, since tails are evicted before heads."""
        low, high = 0, len(prompt)
        if hint and self._whole(prompt, hint):
            low = hint
            if hint == high or not self._whole(prompt, hint + 1):
                high = hint
        while low < high:
            middle = (low + high + 1) // 2
            if self._whole(prompt, middle):
                low = middle
            else:
                high = middle - 1
        return low

    def _whole(self, prompt: Prompt, rows: int) -> bool:
        key = prompt.chain[rows]
        tokens = prompt.sums[rows]
        return key in self._places and self._resolve(key, tokens)[1] >= tokens // self._rules.block * self._rules.block

    def _resolve(self, key: int, tokens: int) -> tuple[_Edge, int]:
        """The living edge a boundary lies in, and up to which token its prefix is stored."""
        edge = self._places.get(key, self._root)
        end = edge.end
        while edge.gone or (edge.parent is not None and tokens <= edge.start):
            assert edge.parent is not None
            end = min(edge.start, edge.parent.end)
            edge = edge.parent
        return edge, max(min(end, edge.end), 0)

    def _at(self, edge: _Edge, tokens: int) -> _Edge:
        """The edge that holds the block which ends at `tokens`."""
        while edge.parent is not None and tokens <= edge.start:
            edge = edge.parent
        return edge

    def _store(self, prompt: Prompt, rows: int, edge: _Edge, matched: int) -> None:
        total = prompt.tokens // self._rules.block * self._rules.block
        if matched < edge.end:
            edge = self._split(edge, matched)
        if total > matched:
            edge = self._grow(edge, matched, total)
        self._touch(edge)
        for index in range(self._first_row(prompt, rows, matched), len(prompt) + 1):
            key = prompt.chain[index]
            self._places[key] = edge
            row = prompt.rows[index - 1]
            if row.message is not None:
                siblings = self._after.setdefault(prompt.chain[index - 1], {})
                siblings.pop(key, None)
                siblings[key] = row
                if len(siblings) > CHILDREN:
                    del siblings[next(iter(siblings))]
        self._evict()

    def _first_row(self, prompt: Prompt, rows: int, matched: int) -> int:
        """First boundary beyond the matched blocks: it and all later ones now lie on the new edge."""
        index = rows
        while index > 0 and prompt.sums[index] > matched:
            index -= 1
        return index + 1

    def _grow(self, edge: _Edge, matched: int, total: int) -> _Edge:
        """Blocks from `matched` to `total`: a leaf that was never cut grows, else a new edge begins."""
        self._stored += total - matched
        if edge is not self._root and not edge.children and not edge.cut:
            edge.end = total
            return edge
        self._leaves.pop(edge, None)
        leaf = _Edge(edge, matched, total)
        edge.children += 1
        return leaf

    def _split(self, edge: _Edge, at: int) -> _Edge:
        """Part an edge; the upper part is new, the lower keeps its identity, its children and its age."""
        assert edge.parent is not None
        upper = _Edge(edge.parent, edge.start, at)
        upper.children = 1
        edge.parent, edge.start = upper, at
        return upper

    def _touch(self, edge: _Edge) -> None:
        """The blocks up to the end of this edge were just used."""
        if edge is self._root:
            return
        if edge.children:
            # The leaves beyond stay as old as they are; an empty young leaf keeps this edge when they have gone.
            if edge.pin is None or edge.pin.gone:
                edge.pin = _Edge(edge, edge.end, edge.end)
                edge.children += 1
            edge = edge.pin
        self._leaves.pop(edge, None)
        self._leaves[edge] = None

    def _evict(self) -> None:
        capacity = self._rules.capacity_tokens // self._rules.block * self._rules.block
        while self._rules.capacity_tokens and self._stored > capacity:
            leaf = next(iter(self._leaves))
            cut = min(leaf.end - leaf.start, self._stored - capacity)
            leaf.end -= cut
            leaf.cut = True
            self._stored -= cut
            if leaf.end > leaf.start:
                continue
            del self._leaves[leaf]
            leaf.gone = True
            parent = leaf.parent
            assert parent is not None
            parent.children -= 1
            if not parent.children and parent is not self._root:
                # As old as the leaf that was just used up: next in line.
                self._leaves[parent] = None
                self._leaves.move_to_end(parent, last=False)

    def _why(self, prompt: Prompt, trace: Trace, common: int, read: int, matched: int) -> Why:
        if not trace.count:
            return "first"
        unchanged = unchanged_tokens(trace, prompt, common)
        if read >= unchanged:
            return ""
        if matched < unchanged // self._rules.block * self._rules.block:
            return "evicted"
        return "minimum" if unchanged < self._rules.min_tokens else "granularity"
