"""Recorded traces of block hashes through the prompt cache alone: how much of the input would have been read.

Two public formats: anonymised Claude Code traces of 64-token blocks (`claude_kv_trace`) and Mooncake's service trace of
512-token blocks. Equal hashes are equal blocks with equal beginnings, so what requests share is known exactly. Every
trace is counted twice: through `IntervalCache`, and by comparing whole block lists with every earlier request.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.errors import TranscriptError, Where
from sim.history import Prompt, Row
from sim.provider.cache import IntervalCache, IntervalRules

LIFETIMES: tuple[float | None, ...] = (300.0, 3_600.0, None)
"""Five minutes, one hour, no expiry; seconds."""
_FOREVER = 1e18
_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """One request of a trace.

    Attributes:
        at: start, seconds from the trace's start.
        model: requests of different models share nothing.
        blocks: block hashes in prompt order.
        sizes: tokens of each block; together with `tail` the whole prompt.
        tail: tokens at the end that no hash covers; they are never shared.
    """

    at: float
    model: str
    blocks: tuple[int, ...]
    sizes: tuple[int, ...]
    tail: int

    @property
    def tokens(self) -> int:
        """The whole prompt."""
        return sum(self.sizes) + self.tail


@dataclass(frozen=True, slots=True)
class Share:
    """Token-weighted hit share of one trace at one lifetime, by the cache and by brute force."""

    trace: str
    requests: int
    input_tokens: int
    lifetime: float | None
    read_tokens: int
    brute_tokens: int

    @property
    def hit_share(self) -> float:
        """Read tokens over all input tokens."""
        return self.read_tokens / self.input_tokens if self.input_tokens else 0.0

    @property
    def agrees(self) -> bool:
        """Whether both counts are equal."""
        return self.read_tokens == self.brute_tokens


def validate_folder(folder: Path) -> list[Share]:
    """Hit shares of every hash trace below a folder, by file name.

    Raises:
        TranscriptError: the folder holds no such trace, or one is malformed.
    """
    paths = sorted((*folder.glob("**/claude_kv_trace/*.json"), *folder.glob("**/mooncake_trace/*.jsonl")))
    if not paths:
        raise TranscriptError(
            "the folder holds no hash traces",
            where=Where(str(folder)),
            remedy="expected claude_kv_trace/*.json or mooncake_trace/*.jsonl below it",
        )
    rows: list[Share] = []
    for path in paths:
        requests = read_trace(path)
        fast, slow = hit_shares(requests, LIFETIMES), brute_shares(requests, LIFETIMES)
        total = sum(r.tokens for r in requests)
        rows += [
            Share(path.stem, len(requests), total, life, a, b) for life, a, b in zip(LIFETIMES, fast, slow, strict=True)
        ]
    return rows


def markdown(rows: Iterable[Share]) -> str:
    """A table for the validation page."""
    names = {300.0: "5 min", 3_600.0: "1 h", None: "no expiry"}
    lines = [
        "| trace | requests | input tokens | lifetime | read tokens | hit share | brute force |",
        "|---|---:|---:|---|---:|---:|---|",
    ]
    for row in rows:
        verdict = "equal" if row.agrees else f"differs: {row.brute_tokens:,}"
        lines.append(
            f"| {row.trace} | {row.requests:,} | {row.input_tokens:,} | {names[row.lifetime]} "
            f"| {row.read_tokens:,} | {row.hit_share:.4f} | {verdict} |"
        )
    return "\n".join(lines) + "\n"


def read_trace(path: Path) -> list[TraceRequest]:
    """Requests of a trace in time order.

    Raises:
        TranscriptError: the file is none of the two formats.
    """
    try:
        text = path.read_text("utf-8")
        if path.suffix == ".jsonl":
            found = [_mooncake(json.loads(line)) for line in text.splitlines() if line.strip()]
        else:
            found = _claude(json.loads(text))
    except OSError as error:
        raise TranscriptError(f"cannot read the trace: {error.strerror}", where=Where(str(path))) from None
    except (ValueError, KeyError, TypeError) as error:
        raise TranscriptError(
            f"not a hash trace: {error}", where=Where(str(path)), remedy="see docs/formats.md for the two formats"
        ) from None
    return sorted(found, key=lambda r: r.at)


def _request(at: float, model: str, blocks: Sequence[int], size: int, tokens: int) -> TraceRequest:
    full = min(len(blocks), tokens // size)
    sizes = [size] * full
    if full < len(blocks) and tokens > full * size:
        sizes.append(tokens - full * size)
    return TraceRequest(at, model, tuple(blocks[: len(sizes)]), tuple(sizes), max(tokens - size * len(blocks), 0))


def _mooncake(item: dict[str, Any]) -> TraceRequest:
    return _request(item["timestamp"] / 1_000, "", item["hash_ids"], 512, item["input_length"])


def _claude(data: dict[str, Any]) -> list[TraceRequest]:
    size = data["block_size"]
    found: list[TraceRequest] = []
    for item in data["requests"]:
        inner = item["requests"] if item["type"] == "subagent" else [{**item, "t": 0.0}]
        found += [_request(item["t"] + c["t"], c["model"], c["hash_ids"], size, c["in"]) for c in inner]
    return found


def hit_shares(requests: Sequence[TraceRequest], lifetimes: Sequence[float | None]) -> list[int]:
    """Tokens read from `IntervalCache` at each lifetime; entries are readable at once, in steps of one token."""
    totals = []
    for lifetime in lifetimes:
        rules = IntervalRules(min_tokens=0, step=1, ttl=_FOREVER if lifetime is None else lifetime, visible="immediate")
        caches: dict[str, IntervalCache] = {}
        prompts: dict[str, Prompt] = {}
        rows: dict[tuple[int, int], Row] = {}
        read = 0
        for number, request in enumerate(requests):
            prompt = prompts.setdefault(request.model, Prompt())
            _become(prompt, request, rows, number)
            cache = caches.setdefault(request.model, IntervalCache(rules))
            read += cache.serve(prompt, (), request.at, first_byte=request.at, done=request.at).read
        totals.append(read)
    return totals


def _become(prompt: Prompt, request: TraceRequest, rows: dict[tuple[int, int], Row], number: int) -> None:
    """Turn the last prompt into this one, touching only what differs."""
    same = 0
    for row, block, size in zip(prompt.rows, request.blocks, request.sizes, strict=False):
        if rows.get((block, size)) is not row:
            break
        same += 1
    prompt.truncate(same)
    for block, size in zip(request.blocks[same:], request.sizes[same:], strict=True):
        known = rows.get((block, size))
        if known is None:
            known = rows[(block, size)] = Row("user", _mixed(block << 16 | size), size)
        prompt.append(known)
    if request.tail:
        prompt.append(Row("user", _mixed(number << 32 | 1 << 31), request.tail))


def _mixed(value: int) -> int:
    """A well-mixed 64-bit number for a small one (the finaliser of SplitMix64)."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def brute_shares(requests: Sequence[TraceRequest], lifetimes: Sequence[float | None]) -> list[int]:
    """The same by comparing each request's blocks, one position after another, with every earlier request."""
    import numpy as np

    totals = [0] * len(lifetimes)
    for model in sorted({r.model for r in requests}):
        mine = [r for r in requests if r.model == model]
        widest = max(len(r.blocks) for r in mine)
        table = np.full((len(mine), widest), -1, dtype=np.int64)
        sizes = np.full((len(mine), widest), -1, dtype=np.int64)
        times = np.array([r.at for r in mine])
        for i, request in enumerate(mine):
            table[i, : len(request.blocks)] = request.blocks
            sizes[i, : len(request.blocks)] = request.sizes
        for i, request in enumerate(mine):
            for n, lifetime in enumerate(lifetimes):
                earlier = np.arange(i) if lifetime is None else np.flatnonzero(request.at - times[:i] <= lifetime)
                common = 0
                for place in range(len(request.blocks)):
                    same = table[earlier, place] == request.blocks[place]
                    earlier = earlier[same & (sizes[earlier, place] == request.sizes[place])]
                    if not len(earlier):
                        break
                    common += request.sizes[place]
                totals[n] += min(common, request.tokens - 1)
    return totals
