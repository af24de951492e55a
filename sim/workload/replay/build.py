"""From a draft to a script: turns, rows with tokens, times, hidden base and hidden thinking."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from sim.history import Row, RowMaker
from sim.tokens import ContentKind, TokenModel, token_model
from sim.workload.replay.drafts import Called, Carried, Compacted, Draft, Said
from sim.workload.replay.report import Report
from sim.workload.replay.standin import TOOL_SHARE, base_rows
from sim.workload.replay.timing import Timer
from sim.workload.replay.values import joined
from sim.workload.script import Reply, Script, ToolRun, Turn

NO_RESULT = "[no result recorded]"
"""Stands for the result of a tool call that has none: a call without its result would make a request invalid."""
NO_MESSAGE = "[the message that started this is not in the recording]"


@dataclass(slots=True)
class _Turn:
    """Events of one turn: rows carried in, messages, calls."""

    carried: list[Said | Called] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)


class Gauge:
    """Counts rows in the recorded model's tokens, from the scenario's count where both use one vocabulary."""

    def __init__(self, maker: RowMaker, recorded: TokenModel) -> None:
        self.maker, self.recorded = maker, recorded
        self._same = maker.tokens.family == recorded.family
        self._shared = maker.tokens.encoding == recorded.encoding

    def of(self, row: Row) -> int:
        """Tokens of a row as the recorded model would bill them."""
        if self._same:
            return row.tokens
        if self._shared or row.message is None:
            return self.recorded.scaled(round(self.maker.tokens.unscaled(row.tokens, row.kind)), row.kind)
        return self.recorded.billed(row.text, row.kind)

    def back(self, tokens: int) -> int:
        """Recorded tokens of unseen prose as the scenario's model would bill them."""
        if self._same or not self._shared:
            return tokens
        return self.maker.tokens.scaled(round(self.recorded.unscaled(tokens, ContentKind.PROSE)), ContentKind.PROSE)


def recorded_model(draft: Draft) -> str:
    """The model of most calls, the draft's own when no call names one."""
    names = Counter(call.model for call in draft.calls if call.model)
    names.update(call.model for call in draft.sized if call.model)
    return names.most_common(1)[0][0] if names else draft.model


def build(draft: Draft, maker: RowMaker) -> tuple[Script, Report]:
    """The script of a draft with text.

    Args:
        draft: with at least one call.
        maker: gives rows their tokens.
    """
    model = recorded_model(draft)
    gauge = Gauge(maker, token_model(model) if model else maker.tokens)
    turns, undone, kept, notes = _turns(draft)
    timer = Timer()
    worker = _Builder(draft, maker, gauge, timer, model)
    made = worker.spread(tuple(worker.turn(turn) for turn in turns))
    notes += worker.notes() + timer.notes()
    base = worker.base_tokens
    tools = 0 if draft.schemas else int(base * TOOL_SHARE)
    prefix = base_rows(tools, base - tools, draft.system, gauge.recorded, maker)
    if draft.schemas:
        prefix.insert(0, maker.tools(draft.schemas))
    started = draft.started_at if draft.started_at is not None else timer.first
    script = Script(
        draft.name,
        tuple(prefix),
        made,
        has_text=True,
        started_at=started or 0.0,
        origin=draft.origin,
        finished=draft.finished and not (made and made[-1].replies and made[-1].replies[-1].tools),
        notes=tuple(draft.notes + notes),
    )
    report = Report(
        rows=draft.used + sum(draft.skipped.values()),
        used=draft.used,
        skipped=dict(sorted(draft.skipped.items())),
        notes=script.notes,
        calls=script.calls,
        recorded_calls=worker.recorded_calls,
        base_tokens=base,
        hidden_output_tokens=worker.hidden_output,
        multiplier=worker.multiplier,
        compactions_undone=undone,
        compactions_kept=kept,
        compactions_at=_undone_at(draft),
    )
    return script, report


def _turns(draft: Draft) -> tuple[list[_Turn], int, int, list[str]]:
    """Events grouped into turns; recorded compactions undone where earlier calls are there."""
    turns: list[_Turn] = []
    waiting = _Turn()
    undone = kept = unprompted = 0
    for event in draft.events:
        if isinstance(event, Carried):
            waiting.carried += event.events
        elif isinstance(event, Compacted):
            if turns or waiting.carried:
                undone += 1
            else:
                kept += 1
                if event.summary:
                    waiting.said.append(Said(event.summary, event.at))
        elif isinstance(event, Said):
            last = turns[-1].calls[-1] if turns else None
            if event.injected and not waiting.said and last and last.tools and last.tools[-1].result is not None:
                last.tools[-1].result = joined(last.tools[-1].result, event.content)
            else:
                waiting.said.append(event)
        else:
            if waiting.said or waiting.carried or not turns:
                if not waiting.said:
                    unprompted += 1
                    waiting.said.append(Said(NO_MESSAGE, None))
                turns.append(waiting)
                waiting = _Turn()
            turns[-1].calls.append(event)
    notes = []
    if undone:
        notes.append(f"{undone} recorded compaction(s) undone: the earlier rows are in the file")
    if kept:
        notes.append(f"{kept} recorded compaction(s) kept: the earlier rows are not in the file")
    if unprompted:
        notes.append(f"{unprompted} call(s) without a message before them: a stand-in message was put there")
    if waiting.said:
        notes.append("the last message got no answer and is left out")
    return turns, undone, kept, notes


def _undone_at(draft: Draft) -> tuple[int, ...]:
    """Number of the call after each undone compaction."""
    calls, found = 0, []
    for event in draft.events:
        if isinstance(event, Called):
            calls += 1
        elif isinstance(event, Compacted) and calls:
            found.append(calls + 1)
    return tuple(found)


class _Builder:
    """Makes the rows of one session and keeps the sums that calibration needs."""

    def __init__(self, draft: Draft, maker: RowMaker, gauge: Gauge, timer: Timer, model: str) -> None:
        self._draft, self._maker, self._gauge, self._timer, self._model = draft, maker, gauge, timer, model
        self._shown = gauge.of(maker.row({"role": "system", "content": draft.system})) if draft.system else 0
        if draft.schemas:
            self._shown += gauge.of(maker.tools(draft.schemas))
        self._ids: Counter[str] = Counter()
        self._missing = self._placeholders = self._prompts = self._answers = 0
        self._notes: list[str] = []
        self._previous: tuple[int, int] | None = None
        self._grown = [0, 0]
        self._boundaries = any(isinstance(event, Compacted) for event in draft.events)
        self.base_tokens = self.hidden_output = self.recorded_calls = 0

    @property
    def multiplier(self) -> float | None:
        """Recorded growth over counted growth, None when no two calls show any."""
        recorded, counted = self._grown
        return recorded / counted if counted > 0 and recorded > 0 else None

    def notes(self) -> list[str]:
        """Remarks gathered on the way."""
        found = list(self._notes)
        if self._missing:
            found.append(f"{self._missing} tool call(s) without a recorded result: a stand-in result was put there")
        if self._placeholders:
            found.append(
                f"{self._placeholders} recorded output count(s) below the visible output (placeholders): "
                "the visible output counts"
            )
        if self.base_tokens:
            found.append(
                f"hidden base of {self.base_tokens:,} tokens (tool schemas and system text the log does not show) "
                "taken from recorded usage; stand-in text of that size is used"
            )
        elif not self.recorded_calls and self._draft.totals is None:
            found.append("no usage recorded: the size of tool schemas and system prompt is not known and left out")
        return found

    def turn(self, turn: _Turn) -> Turn:
        """One turn with its rows."""
        users: list[Row] = []
        for event in turn.carried:
            users += self._carried(event)
        users += [self._row({"role": "user", "content": said.content}) for said in turn.said]
        calls = turn.calls
        gap = self._timer.message([said.at for said in turn.said], calls[0].began)
        began = [call.began for call in calls[1:]] + [None]
        replies = tuple(self._reply(call, later) for call, later in zip(calls, began, strict=True))
        return Turn(gap, tuple(users), replies)

    def spread(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """Hidden base and thinking from session totals where calls have no usage of their own: the same each call."""
        calls = sum(len(turn.replies) for turn in turns)
        if self._draft.totals is None or self.recorded_calls or not calls:
            return turns
        prompt, output, counted = self._draft.totals
        if counted and abs(counted - calls) * 5 > counted:
            self._notes.append(f"{counted} calls were billed, {calls} are in the file: session totals not used")
            return turns
        self.base_tokens = max(0, (prompt - self._prompts) // calls) if prompt else 0
        thought = max(0, (output - self._answers) // calls)
        self.hidden_output = thought * calls
        self._notes.append("usage is known for the whole session only: base and thinking are its mean a call")
        extra = self._gauge.back(thought)
        return tuple(
            replace(turn, replies=tuple(replace(reply, hidden_tokens=extra) for reply in turn.replies))
            for turn in turns
        )

    def _row(self, message: dict[str, Any]) -> Row:
        row = self._maker.row(message)
        self._shown += self._gauge.of(row)
        return row

    def _carried(self, event: Said | Called) -> list[Row]:
        if isinstance(event, Said):
            return [self._row({"role": "user", "content": event.content})]
        row, results = self._rows(event)
        self._shown += self._gauge.of(row)
        return [row, *results]

    def _rows(self, call: Called) -> tuple[Row, list[Row]]:
        """The assistant row (not yet counted as shown) and its result rows."""
        message: dict[str, Any] = {"role": "assistant", "content": call.text or (None if call.tools else "")}
        ids = []
        for tool in call.tools:
            self._ids[tool.id] += 1
            seen = self._ids[tool.id]
            ids.append(tool.id if seen == 1 else f"{tool.id}#{seen}")
        if call.tools:
            message["tool_calls"] = [
                {"id": ident, "type": "function", "function": {"name": tool.name, "arguments": tool.arguments}}
                for ident, tool in zip(ids, call.tools, strict=True)
            ]
        row = self._maker.row(message)
        results = []
        for ident, tool in zip(ids, call.tools, strict=True):
            if tool.result is None:
                self._missing += 1
            text = NO_RESULT if tool.result is None else tool.result
            results.append(self._maker.row({"role": "tool", "tool_call_id": ident, "content": text}))
        return row, results

    def _reply(self, call: Called, next_began: float | None) -> Reply:
        row, results = self._rows(call)
        self._calibrate(call)
        counted = self._gauge.of(row)
        self._prompts += self._shown
        self._answers += counted
        thought = self._gauge.recorded.count(call.thinking) if call.thinking else 0
        if call.usage is not None:
            self.recorded_calls += 1
            thought = call.usage.output_tokens - counted
            if thought < 0:
                self._placeholders += 1
                thought = 0
        self.hidden_output += thought
        self._shown += counted
        for result in results:
            self._shown += self._gauge.of(result)
        seconds, durations = self._timer.call(call, next_began)
        tools = tuple(
            ToolRun(tool.name, result, lasted, tool.failed)
            for tool, result, lasted in zip(call.tools, results, durations, strict=True)
        )
        other = call.model if call.model and call.model != self._model else None
        return Reply(row, seconds, tools, hidden_tokens=self._gauge.back(thought), model=other, recorded=_named(call))

    def _calibrate(self, call: Called) -> None:
        """Hidden base from the first call with usage, growth from neighbouring ones that only appended."""
        usage = call.usage
        if usage is None or not usage.input_tokens:
            self._previous = None
            return
        if not self.recorded_calls:
            self.base_tokens = max(0, usage.input_tokens - self._shown)
        if self._previous is not None:
            grown, counted = usage.input_tokens - self._previous[0], self._shown - self._previous[1]
            # A prompt that shrank, or grew far from what was added, was rewritten: no measure of the tokenizer.
            if counted >= 20 and counted * 0.3 < grown < counted * 4:
                self._grown[0] += grown
                self._grown[1] += counted
        self._previous = (usage.input_tokens, self._shown)


def _named(call: Called) -> Any:
    return replace(call.usage, call_id=call.id) if call.usage and call.id and not call.usage.call_id else call.usage
