"""The two content passes: compress old tool results until the target; squeeze everything old (first fallback)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sim.engine.dual.body import Body, Change, Pass, RowChange, Rung
from sim.engine.dual.compressor import Asking, ToolOutputCompressor
from sim.engine.dual.fit import Piece, fit
from sim.engine.dual.focus import NO_FOCUS, Focus
from sim.engine.dual.item import Chat, Item, calls_of, content_of, full_text, function_of, has_image
from sim.engine.dual.lines import clip
from sim.engine.dual.loss import measure_loss
from sim.engine.dual.orders import Order, in_order
from sim.engine.dual.phrases import head, is_compressed, language_of
from sim.engine.dual.zones import Zones

_ARGUMENT_CHARACTERS = 200


def call_index(body: Body) -> dict[str, tuple[str, str]]:
    """Tool-call id → name and arguments."""
    found: dict[str, tuple[str, str]] = {}
    for item in body.items:
        if item.calls and item.message is not None:
            for call in calls_of(item.message):
                found[str(call.get("id"))] = function_of(call)
    return found


def candidates(body: Body, zones: Zones, threshold: int) -> list[tuple[int, int]]:
    """Old tool results above the threshold that were not compressed before, as `(row, tokens)`."""
    found = []
    for row in zones.old:
        item = body.items[row]
        if item.role != "tool" or item.tokens <= threshold or item.message is None:
            continue
        if not has_image(item.message) and not is_compressed(item.text):
            found.append((row, item.tokens))
    return found


def normal_pass(
    body: Body,
    zones: Zones,
    goal: int,
    compressor: ToolOutputCompressor,
    order: Order,
    focus: Focus = NO_FOCUS,
    least: int = 0,
) -> Asking[Pass]:
    """Compress old tool results in the given order until the request is no larger than `goal` tokens.

    Nothing is done (and no model asked) when all of them together could not free `least` tokens.
    """
    calls = call_index(body)
    work = _Work(body, "normal", least)
    found = candidates(body, zones, compressor.settings.result_threshold_tokens)
    if sum(tokens - compressor.settings.result_target_tokens for _, tokens in found) < least:
        return work.finish(compressor.settings.fact_pattern)
    for row in in_order(found, order):
        if work.tokens <= goal:
            break
        item = body.items[row]
        assert item.message is not None
        tool, arguments = calls.get(str(item.message.get("tool_call_id")), ("", ""))
        done = yield from compressor.compress(
            item.text, tokens=item.tokens, tool=tool, arguments=arguments, focus=focus
        )
        work.asked += done.by_model or bool(done.failure)
        if done.changed:
            work.replace(row, {**item.message, "content": done.text}, done.kind, done.why, done.by_model, done.failure)
    return work.finish(compressor.settings.fact_pattern)


def aggressive_pass(
    body: Body, zones: Zones, goal: int, compressor: ToolOutputCompressor, least: int = 0
) -> Asking[Pass]:
    """Squeeze what is old, oldest first, until `goal`: results to a line or two, long replies and call arguments cut.

    User messages stay. Results compressed before are cut to their first lines, never compressed again. Nothing is
    done when it would free less than `least` tokens.
    """
    calls = call_index(body)
    work = _Work(body, "aggressive", least)
    target = compressor.settings.aggressive_target_tokens
    for row in zones.old:
        if work.tokens <= goal:
            break
        item = body.items[row]
        if item.message is None or item.tokens <= target or has_image(item.message):
            continue
        if item.role == "tool" and is_compressed(item.text):
            work.replace(row, {**item.message, "content": _first_lines(item, target, compressor)}, "again-cut")
        elif item.role == "tool":
            tool, arguments = calls.get(str(item.message.get("tool_call_id")), ("", ""))
            done = yield from compressor.compress(
                item.text,
                tokens=item.tokens,
                tool=tool,
                arguments=arguments,
                target=target,
                threshold=target,
                use_model=False,
            )
            if done.changed:
                work.replace(row, {**item.message, "content": done.text}, done.kind, done.why)
        elif item.role == "assistant" and item.tokens > 2 * target:
            work.replace(row, _short_reply(item, target, compressor), "reply")
    return work.finish(compressor.settings.fact_pattern)


class _Work:
    """Replacements of a pass as they gather."""

    def __init__(self, body: Body, rung: Rung, least: int) -> None:
        self.body, self.rung, self._least = body, rung, least
        self.before = self.tokens = body.tokens
        self.asked = 0
        self._new: dict[int, Chat] = {}
        self._rows: list[RowChange] = []

    def replace(
        self, row: int, message: Chat, kind: str, why: str = "", by_model: bool = False, failure: str = ""
    ) -> None:
        """Take a new message for a row, unless it is no smaller than the old one."""
        before, after = self.body.items[row].tokens, self.body.measure(message)
        if after >= before:
            return
        self._new[row] = message
        self._rows.append(RowChange(row, kind, before, after, why, by_model, failure))
        self.tokens += after - before

    def finish(self, fact_pattern: str) -> Pass:
        """Apply the replacements to the body, unless they free too little."""
        if not self._new or self.before - self.tokens < self._least:
            return Pass(self.rung, (), self.before, self.before, asked=self.asked)
        rows = sorted(self._new)
        old = [full_text(m) for m in (self.body.items[row].message for row in rows) if m is not None]
        loss = measure_loss(old, [full_text(self._new[row]) for row in rows], fact_pattern)
        changes = tuple(Change(row, row + 1, (self._new[row],)) for row in rows)
        self.body.apply(changes)
        return Pass(self.rung, changes, self.before, self.body.tokens, tuple(self._rows), loss, self.asked)


def _first_lines(item: Item, target: int, compressor: ToolOutputCompressor) -> str:
    lines, language = item.text.split("\n"), language_of(item.text, compressor.settings.language)
    pieces = [Piece(0 if i == 0 else i, clip(line, language, 120)) for i, line in enumerate(lines)]
    return fit(pieces, target, compressor.count, language).text


def _short_reply(item: Item, target: int, compressor: ToolOutputCompressor) -> dict[str, Any]:
    """The message with its text cut to the target and long string arguments cut inside valid JSON."""
    assert item.message is not None
    message = dict(item.message)
    text = content_of(message)
    if len(text) > 200:
        language = language_of(text, compressor.settings.language)
        opening = head("reply", compressor.count(text))
        pieces = [
            Piece(0, opening),
            *(Piece(1 + i, clip(s, language, 120)) for i, s in enumerate(text.split("\n")[:20])),
        ]
        short = fit(pieces, target, compressor.count, language).text
        message["content"] = short if len(short) < len(text) else text
    if calls_of(message):
        message["tool_calls"] = [_short_call(c) if isinstance(c, Mapping) else c for c in message["tool_calls"]]
    return message


def _short_call(call: Mapping[str, Any]) -> dict[str, Any]:
    arguments = function_of(call)[1]
    if len(arguments) <= _ARGUMENT_CHARACTERS:
        return dict(call)
    function = dict(call["function"])
    if isinstance(function["arguments"], str):
        try:
            data = json.loads(arguments)
        except (ValueError, RecursionError):
            data = None
        if isinstance(data, dict):
            short = {k: _short_value(v) for k, v in data.items()}
            function["arguments"] = json.dumps(short, ensure_ascii=False)
    return {**call, "function": function}


def _short_value(value: Any) -> Any:
    """A long string cut; one that was cut before is short enough to be left alone."""
    if isinstance(value, str) and len(value) > _ARGUMENT_CHARACTERS * 3 // 2:
        return clip(value, language_of(value), _ARGUMENT_CHARACTERS)
    return value
