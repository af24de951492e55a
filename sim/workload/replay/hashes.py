"""Token-only traces whose prompts are lists of block hashes: 64-token Claude Code traces, Mooncake, Qwen-Bailian.

Equal hashes are equal blocks, so what a prompt shares with the one before is known exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sim.workload.replay.drafts import Draft, Sized
from sim.workload.replay.source import Source
from sim.workload.replay.values import amount, count, listing, mapping, number, string
from sim.workload.script import Origin

NAME = "hash-trace"


@dataclass(slots=True)
class HashCall:
    """One request of a trace.

    Attributes:
        at, seconds: start (seconds from the trace's start) and latency.
        blocks: hashes of the prompt's blocks; the last one may be partly filled.
    """

    at: float
    seconds: float
    input: int
    output: int
    blocks: tuple[int, ...]
    started_by: str
    model: str


@dataclass(slots=True)
class HashSession:
    """A chain of requests; `base` is (tool tokens, system tokens) where the trace says them."""

    name: str
    block: int
    base: tuple[int, int] | None = None
    origin: Origin = "terminal"
    calls: list[HashCall] = field(default_factory=list)
    broken: int = 0


def shared(a: Sequence[int], b: Sequence[int]) -> int:
    """Blocks at the start that two prompts have in common."""
    n = min(len(a), len(b))
    return next((i for i in range(n) if a[i] != b[i]), n)


def draft_of(session: HashSession, used: int) -> Draft:
    """The token-only draft of a chain."""
    draft = Draft(session.name, base=session.base, origin=session.origin, used=used, started_at=None)
    end = rewritten = 0.0
    previous: HashCall | None = None
    for call in session.calls:
        kept = None
        if previous is not None:
            kept = min(shared(previous.blocks, call.blocks) * session.block, call.input)
            rewritten += kept < previous.input - session.block
        gap = max(0.0, call.at - end) if previous is not None else 0.0
        draft.sized.append(Sized(call.input, call.output, call.seconds, gap, call.started_by, call.model, kept=kept))
        end = max(end, call.at + call.seconds)
        previous = call
    if rewritten:
        draft.notes.append(f"{rewritten:.0f} prompt(s) do not start with the one before: history edits of the agent")
    if session.broken:
        draft.skipped["request without sizes"] += session.broken
    return draft


# 64-token Claude Code traces ---------------------------------------------------------------------------------------


def recognise(source: Source) -> bool:
    """An object with `block_size` and `requests` of `hash_ids`."""
    document = mapping(source.document)
    return "block_size" in document and any("hash_ids" in mapping(r) for r in listing(document.get("requests"))[:5])


def sessions(document: dict[str, Any], name: str) -> list[HashSession]:
    """Main chain and sub-agents of one trace."""
    block = count(document.get("block_size")) or 64
    main = HashSession(string(document.get("id")) or name, block, _base(document))
    found = [main]
    for one in listing(document.get("requests")):
        request = mapping(one)
        if request.get("type") == "subagent" or "requests" in request:
            label = string(request.get("agent_id")) or f"agent-{len(found)}"
            side = HashSession(f"{main.name}/{label}", block, _base(request), origin="subagent")
            start = number(request.get("t")) or 0.0
            for inner in listing(request.get("requests")):
                _add(side, mapping(inner), start)
            found.append(side)
        else:
            _add(main, request, 0.0)
    return [session for session in found if session.calls or session.broken]


def _base(item: dict[str, Any]) -> tuple[int, int] | None:
    tools, system = count(item.get("tool_tokens")), count(item.get("system_tokens"))
    return None if tools is None or system is None else (tools, system)


def _add(session: HashSession, request: dict[str, Any], start: float) -> None:
    size, at = count(request.get("in")), number(request.get("t"))
    if size is None or at is None:
        session.broken += 1
        return
    by_tool = "tool_result" in listing(request.get("input_types"))
    session.calls.append(
        HashCall(
            start + at,
            max(0.0, number(request.get("api_time")) or 0.0),
            size,
            amount(request.get("out")),
            tuple(one for one in listing(request.get("hash_ids")) if isinstance(one, int)),
            "tool" if by_tool else "user",
            string(request.get("model")),
        )
    )


def read(source: Source) -> list[Draft]:
    """Main chain and sub-agents of the file."""
    found = sessions(mapping(source.document), source.stem)
    drafts = [draft_of(session, len(session.calls)) for session in found]
    # A sub-agent is one record of the main chain and holds its own requests.
    nested = sum(1 for session in found if session.origin == "subagent")
    if drafts and nested:
        drafts[0].notes.append(f"{nested} sub-agent(s) are sessions of their own")
    return drafts


# Mooncake and Qwen-Bailian -----------------------------------------------------------------------------------------


def recognise_service(source: Source) -> bool:
    """Lines with `input_length`, `output_length` and `hash_ids`."""
    return any({"input_length", "output_length", "hash_ids"} <= item.keys() for item in source.objects[:5])


def read_service(source: Source) -> list[Draft]:
    """Requests joined into sessions: by parent chat where the trace says it, else by the blocks they continue.

    Without parents, a request continues an earlier one when it starts with all its whole blocks (two at least).
    """
    made: list[HashSession] = []
    used: list[int] = []
    tips: dict[object, int] = {}
    scale = None
    for line, item in source.records():
        size = count(item.get("input_length"))
        at = number(item.get("timestamp"))
        if size is None or at is None or at < 0:
            source.skip("request without sizes")
            continue
        blocks = tuple(one for one in listing(item.get("hash_ids")) if isinstance(one, int))
        chat = "chat_id" in item
        if scale is None:
            scale = 1.0 if chat else 1_000.0
        block = 16 if chat else 512
        place = _continued(item, blocks, tips, chat)
        if place is None:
            place = len(made)
            made.append(HashSession(f"{source.stem}-{line}", block))
            used.append(0)
        session = made[place]
        call = HashCall(at / scale, 0.0, size, amount(item.get("output_length")), blocks, "user", "")
        session.calls.append(call)
        used[place] += 1
        tips[item.get("chat_id") if chat else _mark(blocks[:-1])] = place
    drafts = []
    for session, n in zip(made, used, strict=True):
        draft = draft_of(session, n)
        draft.started_at = session.calls[0].at
        drafts.append(draft)
    if drafts:
        drafts[0].notes.append("latencies are not in the trace: calls take no time")
    return drafts


def _continued(item: dict[str, Any], blocks: tuple[int, ...], tips: dict[object, int], chat: bool) -> int | None:
    if chat:
        return tips.get(item.get("parent_chat_id"))
    best = None
    mark = _mark(())
    for length, block in enumerate(blocks, 1):
        mark = _step(mark, block)
        if length >= 2 and mark in tips:
            best = tips[mark]
    return best


def _mark(blocks: Sequence[int]) -> int:
    mark = 1
    for block in blocks:
        mark = _step(mark, block)
    return mark


def _step(mark: int, block: int) -> int:
    return (mark * 1_000_003 + block + 1) & ((1 << 128) - 1)
