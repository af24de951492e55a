"""From a plan to a script: every size becomes a text of that size, or stays a size in token-only mode."""

from __future__ import annotations

import json
import random
from typing import Any

from sim.history import Blank, Message, Row, RowMaker
from sim.streams import Streams, digest64
from sim.tokens import ContentKind
from sim.workload.preset import Preset
from sim.workload.script import Reply, Script, ToolRun, Turn
from sim.workload.synthetic.fit import Fitter
from sim.workload.synthetic.plan import Plan, PlannedReply, PlannedTool
from sim.workload.synthetic.prefix import blank_prefix, text_prefix
from sim.workload.synthetic.text import (
    RESULTS,
    Project,
    argument_kind,
    argument_maker,
    ask,
    content_kind,
    say,
    think,
)
from sim.workload.synthetic.text.words import NOUNS

_MAKE_UP = {"results": 0.08}
"""How far a text may be off its own size to make up for earlier ones of its group, as a share; others 0.4."""


_LONG, _BRIEF = 160, 36
"""Billed tokens above which no answer is a short one, and below which most are."""
_ANY_SIZE = {"edit_report", "error", "prose_zh", "report", "short"}


def realise(
    plan: Plan,
    preset: Preset,
    streams: Streams,
    maker: RowMaker,
    *,
    session: str,
    memory_limits: tuple[int, int],
    started_at: float,
    text: bool,
) -> Script:
    """The script of a plan.

    Args:
        plan: sizes in billed tokens of the maker's model.
        streams: the session's own family of streams; texts have seeds of their own.
        memory_limits: characters of memory and of user profile.
        text: False gives rows of sizes only.
    """
    work = _Texts(preset, streams, maker) if text else _Sizes(session, maker)
    turns = []
    for number, turn in enumerate(plan.turns):
        user = work.user(number, int(turn.user))
        replies = tuple(work.reply(preset, reply) for reply in turn.replies)
        turns.append(Turn(turn.gap, (user,), replies))
    prefix = (
        text_prefix(preset, streams, maker, memory_limits)
        if text
        else blank_prefix(preset, session, maker, memory_limits)
    )
    return Script(
        session,
        prefix,
        tuple(turns),
        has_text=text,
        started_at=started_at + plan.waited,
        origin=preset.origin,
        finished=plan.finished,
        facts=work.facts(plan.facts),
    )


class _Sizes:
    """Token-only rows; equal texts have equal labels."""

    def __init__(self, session: str, maker: RowMaker) -> None:
        self.session, self.maker, self.replies = session, maker, 0

    def user(self, number: int, size: int) -> Row:
        return self.maker.row(Blank("user", size, f"{self.session}/user/{number}"))

    def facts(self, count: int) -> tuple[str, ...]:
        return tuple(f"fact-{number}" for number in range(count))

    def reply(self, preset: Preset, reply: PlannedReply) -> Reply:
        kept = 0 if preset.hidden_thinking else int(reply.thinking)
        hidden = int(reply.thinking) if preset.hidden_thinking else 0
        size = kept + int(reply.text) + sum(int(t.arguments) for t in reply.tools)
        self.replies += 1
        label = f"{self.session}/reply/{self.replies}"
        row = self.maker.row(Blank("assistant", size, label, kept + reply.text > 0, len(reply.tools)))
        tools = tuple(self._tool(t) for t in reply.tools)
        return Reply(row, reply.seconds, tools, hidden, reply.needs, reply.model)

    def _tool(self, tool: PlannedTool) -> ToolRun:
        source = tool.repeats if tool.repeats >= 0 and not tool.changed else tool.number
        row = self.maker.row(Blank("tool", int(tool.result), f"{self.session}/result/{source}"))
        return ToolRun(tool.name, row, tool.seconds, tool.failed, tool.facts)


class _Texts:
    """Rows of real text. What a text misses of its size is made up by the next of its class."""

    def __init__(self, preset: Preset, streams: Streams, maker: RowMaker) -> None:
        self.preset, self.maker, self.tokens = preset, maker, maker.tokens
        self.seed = streams.child("text").seed
        self.project = Project(digest64(self.seed, "project"))
        self.fitter = Fitter(maker.tokens)
        self.owed: dict[str, float] = {}
        self.results: dict[int, tuple[str, int]] = {}
        self.replies = 0
        self.fact_texts: dict[int, str] = {}
        self.prose = ContentKind.CHINESE if preset.language == "chinese" else ContentKind.PROSE
        self.texts = {name: tool.argument_text for name, tool in preset.tools.items()}

    def _seed(self, purpose: str, number: int) -> int:
        return digest64(self.seed, purpose, number)

    def _random(self, purpose: str, number: int) -> random.Random:
        return random.Random(self._seed(purpose, number))

    def _language(self, purpose: str, number: int) -> str:
        if self.preset.language != "mixed":
            return self.preset.language
        return "chinese" if digest64(self.seed, "language", purpose, number) % 2 else "english"

    def _wanted(self, group: str, size: float, kind: ContentKind) -> float:
        """Tokens of the vocabulary to aim at: the size and a part of what its group is owed."""
        most = size * _MAKE_UP.get(group, 0.4)
        aim = size + max(-most, min(most, self.owed.get(group, 0.0)))
        return max(1.0, self.tokens.unscaled(aim, kind))

    def _settle(self, group: str, size: float, count: int, kind: ContentKind) -> None:
        billed = count * self.tokens.scaled(1_000, kind) / 1_000
        self.owed[group] = self.owed.get(group, 0.0) + size - billed

    # rows -------------------------------------------------------------------------------------------------------

    def user(self, number: int, size: int) -> Row:
        """A user message."""
        language = self._language("user", number)
        kind = ContentKind.CHINESE if language == "chinese" else ContentKind.PROSE
        wanted = self._wanted("user", size, kind)
        key = f"user/{language}"
        text, count = self.fitter.say(ask(language), self._seed("user", number), wanted, key, self.project)
        self._settle("user", size, count, kind)
        return self.maker.row({"role": "user", "content": text}, kind, counted=count)

    def facts(self, count: int) -> tuple[str, ...]:
        """The planted facts, word for word."""
        return tuple(self.fact_texts.get(number, "") for number in range(count))

    def reply(self, preset: Preset, reply: PlannedReply) -> Reply:
        """A model response with its tools' results."""
        number, self.replies = self.replies, self.replies + 1
        language = self._language("reply", number)
        prose = ContentKind.CHINESE if language == "chinese" else ContentKind.PROSE
        thinking = 0.0 if preset.hidden_thinking else reply.thinking
        arguments = sum(t.arguments for t in reply.tools)
        kind = prose
        if arguments > thinking + reply.text:
            kind = argument_kind(self.texts[max(reply.tools, key=lambda t: t.arguments).name], preset.language)
        content, total = "", 0
        if thinking >= 1:
            wanted = self._wanted("thinking", thinking, kind)
            key = f"think/{language}"
            seed = self._seed(key, number)
            body, _ = self.fitter.say(think(language), seed, max(1.0, wanted - 8), key, self.project)
            content = f"<think>\n{body}\n</think>"
            piece = content + ("\n\n" if reply.text >= 1 else "\n" if reply.tools else "")
            count = self.tokens.count(piece)
            self._settle("thinking", thinking, count, kind)
            total += count
            content = piece if reply.text >= 1 else content
        if reply.text >= 1:
            wanted = self._wanted("text", reply.text, kind)
            key = f"say/{language}"
            body, count = self.fitter.say(say(language), self._seed(key, number), wanted, key, self.project)
            if reply.tools:
                count = self.tokens.count(body + "\n")
            content += body
            self._settle("text", reply.text, count, kind)
            total += count
        if reply.tools and not content:
            total += self.tokens.count("\n")
        calls: list[dict[str, Any]] = []
        for place, tool in enumerate(reply.tools):
            text = self._arguments(tool, kind)
            count = self.tokens.count(f"{tool.name}{text}" + ("\n" if place + 1 < len(reply.tools) else ""))
            self.fitter.learn(f"arguments/{self.texts[tool.name]}", len(text), count)
            self._settle("arguments", tool.arguments, count, kind)
            total += count
            ident = f"call_{digest64(self.seed, 'call', tool.number):016x}"
            calls.append({"id": ident, "type": "function", "function": {"name": tool.name, "arguments": text}})
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if calls:
            message["tool_calls"] = calls
        row = self.maker.row(message, kind, counted=total)
        runs = tuple(self._tool(tool, call["id"]) for tool, call in zip(reply.tools, calls, strict=True))
        hidden = int(reply.thinking) if preset.hidden_thinking else 0
        return Reply(row, reply.seconds, runs, hidden, reply.needs, reply.model)

    def _arguments(self, tool: PlannedTool, kind: ContentKind) -> str:
        style = self.texts[tool.name]
        key = f"arguments/{style}"
        wanted = self._wanted("arguments", tool.arguments, kind)
        source = tool.repeats if tool.repeats >= 0 else tool.number
        # Half of the frame (name, keys, braces) is paid for before the content is.
        chars = max(4, self.fitter.chars(key, wanted) - 30)
        make = argument_maker(style, self.preset.language)
        near = self.project.focus(self._seed("focus", source), self._text_kind(tool), tool.name)
        return json.dumps(make(self._random(key, source), chars, near), ensure_ascii=False)

    def _text_kind(self, tool: PlannedTool) -> str:
        """The kind of text of a result: as planned, unless its size does not suit that kind."""
        kind = tool.text
        if kind == "short" and tool.result > _LONG:
            others = [name for name in self.preset.tools[tool.name].result_text if name != "short"] or ["log"]
            return str(others[self._seed("kind", tool.number) % len(others)])
        return "short" if tool.result < _BRIEF and kind not in _ANY_SIZE else kind

    def _tool(self, tool: PlannedTool, call: str) -> ToolRun:
        name = self._text_kind(tool)
        kind = content_kind(name)
        planted = "".join(self._fact(number, kind) for number in tool.facts)
        text, count = self._result(tool, name, kind, planted)
        self.results[tool.number] = (text, count)
        message: Message = {"role": "tool", "content": text, "tool_call_id": call}
        return ToolRun(tool.name, self.maker.row(message, kind, counted=count), tool.seconds, tool.failed, tool.facts)

    def _result(self, tool: PlannedTool, name: str, kind: ContentKind, planted: str) -> tuple[str, int]:
        if tool.repeats in self.results:
            text, count = self.results[tool.repeats]
            if tool.changed:
                text = self._changed(text, tool.number)
                count = self.tokens.count(text)
            return text, count
        wanted = self._wanted("results", tool.result, kind)
        key = f"result/{name}"
        near = self.project.focus(self._seed("focus", tool.number), name, tool.name)
        seed = self._seed("result", tool.number)
        text, count = self.fitter.make(RESULTS[name], seed, wanted, key, near, planted)
        self._settle("results", tool.result, count, kind)
        return text, count

    def _changed(self, text: str, number: int) -> str:
        """The text with one of its lines altered, as after an edit."""
        r = self._random("change", number)
        lines = text.split("\n")
        place = r.randrange(len(lines))
        word = r.choice(NOUNS)
        lines[place] = f"{lines[place]}  # {word}" if lines[place] else word
        return "\n".join(lines)

    def _fact(self, number: int, kind: ContentKind) -> str:
        """A line that states a fact; the fact's own words are kept for checking."""
        r = self._random("fact", number)
        fact = f"{r.choice(self.project.modules)}_{r.choice(NOUNS)}_key={r.getrandbits(48):012x}"
        self.fact_texts[number] = fact
        return f'    {{"note": "{fact}"}},\n' if kind is ContentKind.JSON else f"note: {fact}\n"
