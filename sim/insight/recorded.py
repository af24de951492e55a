"""Recorded sessions as the requests that were really sent: rows, sizes, times, markers; for `reconcile`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sim.history import Blank, Prompt, Row, RowMaker
from sim.provider import Mark, Profile
from sim.workload.replay.build import NO_RESULT, Gauge, recorded_model
from sim.workload.replay.drafts import Called, Carried, Compacted, Content, Draft, Said
from sim.workload.replay.timing import ASSUMED_LATENCY, ASSUMED_TOOL
from sim.workload.script import Recorded

FIRST_PAIRS = 10
"""Neighbouring calls from which a session's calibration is taken."""
_CLEAN = (0.3, 6.0)
"""Recorded over counted growth outside of this is an edit of the history, no measure of a tokenizer."""
_FRAME_LIMIT = 150.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """How recorded growth follows from counts: `multiplier * counted + frame * tool calls`.

    Providers wrap each tool call and its result in text that no log shows; on one real file it is about 70 tokens a
    call, as much as the median result, so a multiplier alone would depend on the sizes of the first results.
    """

    multiplier: float = 1.0
    frame: float = 0.0
    pairs: int = 0


@dataclass(slots=True)
class Request:
    """One recorded request, ready to be put to a cache.

    Attributes:
        prompt: its rows; the same object goes on with the session, so use it before the next request.
        reply: the row of the answer; it is in `prompt` once the next request is asked for.
        rewritten: why the rows before the new ones changed (`compaction`, `unknown rewrite`), else empty.
        image: whether a new row holds one.
    """

    session: str
    call: int
    started_by: str
    began: float
    done: float
    model: str
    usage: Recorded
    prompt: Prompt
    first: bool
    reply: Row
    rewritten: str = ""
    image: bool = False
    gap: float = 0.0


@dataclass(slots=True)
class _Waiting:
    """Rows since the last request, with what they need to become rows of a prompt."""

    rows: list[Row] = field(default_factory=list)
    reset: Row | None = None
    image: bool = False
    at: float | None = None
    by: str = "user"


class Sent:
    """Requests of one session in order.

    Args:
        exact: give every request the recorded prompt size (sizes are input); else count and multiply.
        base: tokens of the prefix that sessions of the account share, when known.
    """

    def __init__(self, draft: Draft, maker: RowMaker, gauge: Gauge, *, exact: bool, base: int | None = None) -> None:
        self.draft, self.model = draft, recorded_model(draft)
        self._maker, self._gauge, self._exact, self._base = maker, gauge, exact, base
        self.calibration = Calibration() if exact else calibrate(draft, maker, gauge)
        self._scaled = 0.0

    def requests(self) -> Iterator[Request]:
        """The requests that have recorded usage; the prompt keeps growing between them."""
        prompt: Prompt | None = None
        waiting = _Waiting()
        number, end = 0, None
        for event in self._events():
            if not isinstance(event, Called):
                self._hear(waiting, event)
                continue
            number += 1
            began, done = _times(event, waiting.at)
            first = prompt is None
            rewritten = ""
            if event.usage is not None and event.usage.input_tokens:
                if prompt is None:
                    prompt = self._start(waiting, event.usage.input_tokens)
                else:
                    rewritten = self._grow(prompt, waiting, event.usage.input_tokens)
                answer = _answer(self._maker, event)
                answer = replace(answer, tokens=self._size(answer))
                yield Request(
                    self.draft.name, number, waiting.by, began, done, event.model or self.model, event.usage, prompt,
                    first, answer, rewritten, waiting.image, 0.0 if end is None else max(0.0, began - end),
                )  # fmt: skip
                prompt.append(answer)
                waiting = _Waiting()
            else:
                waiting.rows.append(_answer(self._maker, event))
            end = done
            waiting.at, waiting.by = done, "user"
            for tool in event.tools:
                result = NO_RESULT if tool.result is None else tool.result
                waiting.rows.append(self._maker.row({"role": "tool", "tool_call_id": tool.id, "content": result}))
                waiting.by = "tool"
                waiting.image |= _pictured(result)
                if tool.at is not None:
                    waiting.at = max(waiting.at, tool.at)

    def _events(self) -> Iterator[Said | Called | Compacted]:
        for event in self.draft.events:
            if isinstance(event, Carried):
                for inner in event.events:
                    yield replace(inner, usage=None) if isinstance(inner, Called) else inner
            else:
                yield event

    def _hear(self, waiting: _Waiting, event: Said | Compacted) -> None:
        if isinstance(event, Compacted):
            waiting.rows.clear()
            waiting.reset = self._maker.row({"role": "user", "content": event.summary or "[summary]"})
            return
        waiting.rows.append(self._maker.row({"role": "user", "content": event.content}))
        waiting.image |= _pictured(event.content)
        if event.at is not None:
            waiting.at = event.at if waiting.at is None else max(waiting.at, event.at)
        if not event.injected:
            waiting.by = "user"

    # sizes --------------------------------------------------------------------------------------------------------

    def _size(self, row: Row) -> int:
        """Tokens of a row as predicted, remainders carried on."""
        self._scaled += self._gauge.of(row) * self.calibration.multiplier + self.calibration.frame * row.calls
        whole = int(self._scaled)
        self._scaled -= whole
        return whole

    def _start(self, waiting: _Waiting, recorded: int) -> Prompt:
        """The first prompt: prefix shared with the account's other sessions, the session's own rest, the rows."""
        rows = ([waiting.reset] if waiting.reset else []) + waiting.rows
        sizes = [self._size(row) for row in rows]
        hidden = max(0, recorded - sum(sizes))
        common = min(self._base, hidden) if self._base is not None else hidden
        prompt = Prompt([self._blank("system", common, f"base-{self.model}-{common}")])
        if hidden > common:
            prompt.append(self._blank("system", hidden - common, f"own-{self.draft.name}"))
        if self._exact and sum(sizes) > recorded:
            sizes = _shares(sizes, recorded)
        for row, size in zip(rows, sizes, strict=True):
            prompt.append(replace(row, tokens=size))
        return prompt

    def _grow(self, prompt: Prompt, waiting: _Waiting, recorded: int) -> str:
        """The next prompt in place; how its earlier rows changed, if they did."""
        rewritten = ""
        prefix = sum(1 for row in prompt.rows[:2] if row.role == "system")
        if waiting.reset is not None:
            prompt.truncate(prefix)
            waiting.rows.insert(0, waiting.reset)
            rewritten = "compaction"
        sizes = [self._size(row) for row in waiting.rows]
        if self._exact:
            added = recorded - prompt.tokens
            last = prompt.rows[-1]
            if last.role == "assistant" and not rewritten and (added < 0 or not sizes) and added >= -last.tokens:
                # The answer takes what its count missed.
                prompt.truncate(len(prompt) - 1)
                prompt.append(replace(last, tokens=last.tokens + added))
                added = 0
            if added < 0:
                prompt.truncate(prefix)
                left = max(0, recorded - prompt.tokens)
                prompt.append(self._blank("user", left, f"rewritten-{self.draft.name}-{recorded}"))
                return rewritten or "unknown rewrite"
            sizes = _shares(sizes, added)
        for row, size in zip(waiting.rows, sizes, strict=True):
            prompt.append(replace(row, tokens=size))
        return rewritten

    def _blank(self, role: Any, tokens: int, label: str) -> Row:
        return self._maker.row(Blank(role, tokens, label))


def sized_requests(draft: Draft, maker: RowMaker) -> Iterator[Request]:
    """Requests of a token-only session with recorded usage; its rows are known by size, prompts are the recorded."""
    prompt: Prompt | None = None
    now = draft.started_at or 0.0
    following = [*draft.sized[1:], None]
    for number, (call, later) in enumerate(zip(draft.sized, following, strict=True), 1):
        now += call.gap
        if call.usage is None:
            continue
        first, rewritten = prompt is None, ""
        if prompt is None:
            prompt = Prompt([maker.row(Blank("system", call.input, f"{draft.name}-start"))])
        elif call.input < prompt.tokens:
            rewritten = _shrink(prompt, call.input, call.usage)
        if prompt.tokens < call.input:
            prompt.append(maker.row(Blank("user", call.input - prompt.tokens, f"{draft.name}-{number}")))
        growth = max(0, later.input - call.input) if later is not None else 0
        reply = maker.row(Blank("assistant", min(call.output, growth), f"{draft.name}-answer-{number}"))
        yield Request(
            draft.name, number, call.started_by, now, now + call.seconds, call.model or draft.model, call.usage, prompt,
            first, reply, rewritten, False, call.gap,
        )  # fmt: skip
        prompt.append(reply)
        now += call.seconds


def _shrink(prompt: Prompt, size: int, usage: Recorded) -> str:
    """Cut a prompt known by size to a smaller one; how it was changed.

    Providers that count no writes drop old reasoning between turns, which takes a little off the end; a fall of 64K
    from three quarters of the peak is a compaction (population targets, accounting rules). Anything else is an edit
    whose place is not known: nothing before it can be relied on.
    """
    fall = prompt.tokens - size
    written = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
    if written or fall >= 64_000 or fall * 4 > prompt.tokens:
        prompt.truncate(0)
        return "compaction" if fall >= 64_000 else "unknown rewrite"
    while prompt.tokens > size:
        prompt.truncate(len(prompt) - 1)
    return "reasoning dropped"


def markers(profile: Profile, prompt: Prompt, ttl: str) -> list[Mark]:
    """Markers as coding agents set them: after tools and system, after the last two rows that are no answers."""
    if profile.family != "breakpoint":
        return []
    heads = [i + 1 for i, row in enumerate(prompt.rows[:3]) if row.role in {"tools", "system"}]
    ends = [i + 1 for i in range(len(prompt.rows) - 1, -1, -1) if prompt.rows[i].role in {"user", "tool"}]
    last = sorted({len(prompt.rows), *ends[:2]})[-2:]
    return [Mark(index, ttl) for index in sorted({*heads[-2:], *last})]


def shared_base(drafts: list[Draft]) -> dict[tuple[str, str], int]:
    """(model, origin) → tokens that first calls read from other sessions: the prefix all of that kind share."""
    found: dict[tuple[str, str], int] = {}
    for draft in drafts:
        first = next((call.usage for call in draft.calls if call.usage), None)
        if first is not None and first.cache_read_tokens:
            key = (recorded_model(draft), draft.origin)
            found[key] = min(found.get(key, first.cache_read_tokens), first.cache_read_tokens)
    return found


def _answer(maker: RowMaker, call: Called) -> Row:
    calls = [
        {"id": t.id, "type": "function", "function": {"name": t.name, "arguments": t.arguments}} for t in call.tools
    ]
    message: dict[str, Any] = {"role": "assistant", "content": call.text or None}
    return maker.row({**message, "tool_calls": calls} if calls else message)


def _times(call: Called, before: float | None) -> tuple[float, float]:
    began = call.began if call.began is not None else before
    if began is None:
        done = call.done if call.done is not None else 0.0
        return done - (call.seconds or ASSUMED_LATENCY), done
    if call.done is not None:
        return began, max(began, call.done)
    return began, began + (call.seconds if call.seconds is not None else ASSUMED_LATENCY + ASSUMED_TOOL)


def _pictured(content: Content) -> bool:
    return isinstance(content, list) and any("image" in str(part.get("type")) for part in content)


def _shares(sizes: list[int], whole: int) -> list[int]:
    """Sizes scaled so that they add up to `whole`; all on the last when they are 0."""
    total = sum(sizes)
    if not sizes:
        return []
    if not total:
        return [0] * (len(sizes) - 1) + [whole]
    made, given, spent = [], 0, 0
    for size in sizes:
        given += size
        made.append(whole * given // total - spent)
        spent += made[-1]
    return made


def calibrate(draft: Draft, maker: RowMaker, gauge: Gauge) -> Calibration:
    """Multiplier and frame from the first neighbouring calls that only appended; 1 and 0 when there are none."""
    pairs: list[tuple[int, int, int]] = []
    before: Recorded | None = None
    new = tools = 0
    for event in draft.events:
        if isinstance(event, Compacted):
            before = None
        elif isinstance(event, Said):
            new += gauge.of(maker.row({"role": "user", "content": event.content}))
        elif isinstance(event, Called):
            if before is not None and event.usage is not None and new >= 20:
                added = event.usage.input_tokens - before.input_tokens
                if _CLEAN[0] * new < added < _CLEAN[1] * new:
                    pairs.append((added, new, tools))
            if len(pairs) >= FIRST_PAIRS:
                break
            before, tools = event.usage, len(event.tools)
            new = gauge.of(_answer(maker, event)) + sum(
                gauge.of(maker.row({"role": "tool", "tool_call_id": t.id, "content": t.result or NO_RESULT}))
                for t in event.tools
            )
    return _fitted(pairs)


def _fitted(pairs: list[tuple[int, int, int]]) -> Calibration:
    """Weighted least squares of (growth, counted, tool calls); a frame outside its limits is cut to them."""
    if not pairs:
        return Calibration()
    nn = nt = tt = gn = gt = 0.0
    for grown, counted, tools in pairs:
        weight = 1.0 / counted
        nn += weight * counted * counted
        nt += weight * counted * tools
        tt += weight * tools * tools
        gn += weight * grown * counted
        gt += weight * grown * tools
    determinant = nn * tt - nt * nt
    frame = (nn * gt - nt * gn) / determinant if determinant > 1e-9 and len(pairs) > 2 else 0.0
    frame = min(max(frame, 0.0), _FRAME_LIMIT)
    return Calibration((gn - frame * nt) / nn, frame, len(pairs))
