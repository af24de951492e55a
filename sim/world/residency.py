"""Is a planted fact still there when the agent needs it, and what does it do when it is not?

A fact is *verbatim* while the tool result that brought it stands, *summarised* when its own words survive elsewhere in
the history (a summary, an answer, arguments), *recoverable* when a row names the result as archived and searchable,
else *gone*. When it is neither verbatim nor summarised, the agent may repeat the tool call: that is a further model
call and a further result, billed like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from sim.history import Blank, History, Message, Row, RowMaker
from sim.streams import Streams
from sim.workload.script import Reply, Script, ToolRun

Residency: TypeAlias = Literal["verbatim", "summarised", "recoverable", "gone"]
STATES: tuple[Residency, ...] = ("verbatim", "summarised", "recoverable", "gone")
_RECOVERY = "session_search"
"""Hermes's recall tool; a rewritten history that names it can get old rows back (facts of the engine, section 4)."""


@dataclass(frozen=True, slots=True)
class _Source:
    """The call that brought a fact."""

    reply: Reply
    run: ToolRun
    position: int


class Memory:
    """What one session can still see of its planted facts.

    Args:
        script: the session.
        streams: draws whether a lost fact makes the agent repeat the call; the same draws in every arm.
        probability: of repeating.
        maker: makes the repeated rows.
    """

    def __init__(self, script: Script, streams: Streams, probability: float, maker: RowMaker) -> None:
        self._facts = script.facts
        self._streams, self._probability, self._maker = streams, probability, maker
        self._sources: dict[int, _Source] = {}
        self.found: dict[Residency, int] = dict.fromkeys(STATES, 0)
        self.repeats = 0
        if not script.facts:
            return
        for turn in script.turns:
            for reply in turn.replies:
                for position, run in enumerate(reply.tools):
                    for fact in run.facts:
                        self._sources.setdefault(fact, _Source(reply, run, position))

    def repeats_for(self, reply: Reply, history: History) -> Iterator[Reply]:
        """The tool calls the agent makes again before a response, because what it needs is gone."""
        for fact in reply.needs:
            source = self._sources.get(fact)
            if source is None:
                continue
            state = self.residency(fact, source.run.result, history)
            self.found[state] += 1
            if state in {"verbatim", "summarised"} or not self._probability:
                continue
            draw = float(self._streams.rng("forgetting", fact, self.found_total).random())
            if draw < self._probability:
                self.repeats += 1
                yield self._again(source)

    @property
    def found_total(self) -> int:
        """Facts needed so far."""
        return sum(self.found.values())

    def residency(self, fact: int, result: Row, history: History) -> Residency:
        """Where a fact stands in the history now."""
        words = self._facts[fact] if fact < len(self._facts) else ""
        recoverable = False
        for row in history.prompt.rows[history.prefix_length :]:
            if row.ident == result.ident:
                return "verbatim"
            if row.message is None:
                continue
            text = row.text
            if words and words in text:
                # A repeated call brings the same text under another id.
                return "verbatim" if row.role == "tool" and row.tokens >= result.tokens else "summarised"
            recoverable = recoverable or _RECOVERY in text
        return "recoverable" if recoverable else "gone"

    def _again(self, source: _Source) -> Reply:
        """The call made once more, alone, under an id of its own."""
        name = f"again-{self.repeats}"
        old = source.reply.row.message
        if old is None or source.run.result.message is None:
            # Known by size only: the arguments are an equal share of the response that held them.
            share = max(1, source.reply.row.tokens // max(1, len(source.reply.tools)))
            call = self._maker.row(Blank("assistant", share, f"{name}-call", has_text=False, calls=1))
            result = self._maker.row(Blank("tool", source.run.result.tokens, f"{name}-result"))
        else:
            made: Message = {**old["tool_calls"][source.position], "id": name}
            call = self._maker.row({"role": "assistant", "content": None, "tool_calls": [made]}, source.reply.row.kind)
            result = self._maker.row({**source.run.result.message, "tool_call_id": name}, source.run.result.kind)
        run = replace(source.run, result=result, facts=())
        return Reply(call, source.reply.seconds, (run,))
