"""Compressing one tool result: detect its kind, plan with that kind's strategy, fit into the target."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from sim.engine.contract import AuxReply, AuxRequest
from sim.engine.dual.codeout import plan_code_output
from sim.engine.dual.detect import Detection, detect
from sim.engine.dual.fit import Fitted, Piece, fit
from sim.engine.dual.focus import NO_FOCUS, Focus
from sim.engine.dual.item import Count
from sim.engine.dual.jsonshape import plan_json
from sim.engine.dual.lines import unify
from sim.engine.dual.logs import plan_log
from sim.engine.dual.outline import plan_source
from sim.engine.dual.phrases import head, is_compressed, language_of, original_tokens
from sim.engine.dual.prose import plan_extract, plan_summary, summary_prompt
from sim.engine.dual.settings import DualSettings
from sim.engine.dual.strategy import Context, Plan
from sim.engine.dual.tables import plan_table

T = TypeVar("T")
Asking: TypeAlias = Generator[AuxRequest, AuxReply, T]
"""A computation that may ask an auxiliary model: yields requests, is sent replies, returns a `T`."""


def answer(asking: Asking[T], ask: Callable[[AuxRequest], AuxReply]) -> T:
    """Run such a computation to its end with a function that answers (the library's way, without a simulator)."""
    try:
        request = next(asking)
        while True:
            request = asking.send(ask(request))
    except StopIteration as stop:
        result: T = stop.value
        return result


def no_model(_: AuxRequest) -> AuxReply:
    """Answers that there is no auxiliary model: summaries become extracts."""
    return AuxReply(None, 0, 0.0, failure="no_provider")


@dataclass(frozen=True, slots=True)
class Compressed:
    """What became of a text.

    Attributes:
        text: the result; the original when it was left alone.
        kind: what it was taken for (`removed` and other notes keep their own name).
        before, after: tokens.
        changed: whether `text` differs from the original.
        why: why it was left alone (`under threshold`, `already compressed`, `image`, `no gain`) or why the target
            could not be kept; empty otherwise.
        by_model: whether an auxiliary model wrote it.
        failure: why a summary was asked for and not got.
    """

    text: str
    kind: str
    before: int
    after: int
    changed: bool
    why: str = ""
    by_model: bool = False
    failure: str = ""


class ToolOutputCompressor:
    """Compresses tool results.

    Args:
        settings: numbers of the strategies.
        count: token count of a text.
    """

    def __init__(self, settings: DualSettings, count: Count) -> None:
        self.settings = settings
        self.count = count

    def compress(
        self,
        text: str,
        *,
        tokens: int | None = None,
        tool: str = "",
        arguments: str = "",
        focus: Focus = NO_FOCUS,
        target: int | None = None,
        threshold: int | None = None,
        use_model: bool = True,
    ) -> Asking[Compressed]:
        """Compress one result's text; yields a request when its kind is summarised by a model.

        Args:
            text: the content.
            tokens: its size, counted here when None.
            tool, arguments: the call that made it, if known.
            focus: what the agent is after (used when the settings ask for it).
            target, threshold: override the settings (the aggressive rung does).
            use_model: False keeps to extracts whatever the settings say.
        """
        s = self.settings
        before = self.count(text) if tokens is None else tokens
        if before <= (s.result_threshold_tokens if threshold is None else threshold):
            return Compressed(text, "", before, before, False, "under threshold")
        if is_compressed(text):
            known = original_tokens(text)
            return Compressed(text, known[0] if known else "", before, before, False, "already compressed")
        wanted = s.result_target_tokens if target is None else target
        inner, around = unwrap(unify(text))
        context = Context(s, language_of(inner, s.language), focus if s.context_aware else NO_FOCUS)
        found = detect(inner, tool=tool, arguments=arguments)
        opening = head(found.kind.replace("_", "-"), before, around)
        room = wanted - self.count(opening) - 2
        by_model, failure, plan = False, "", None
        if found.kind in ("file", "general"):
            if use_model and s.summaries == "model":
                reply: AuxReply = yield AuxRequest(
                    task="file_summary" if found.kind == "file" else "output_summary",
                    text=summary_prompt(inner, found.kind, context),
                    model=s.summary_model,
                    max_tokens=s.summary_tokens,
                    target_tokens=max(min(room, s.summary_tokens), 1),
                )
                if reply.failure in (None, "cut_off") and reply.text and reply.text.strip():
                    by_model, plan = True, plan_summary(reply.text, context)
                else:
                    failure = reply.failure or "empty"
            plan = plan or plan_extract(inner, context)
        else:
            plan = _plan(inner, found, context)
        done = self._finish(opening, plan, wanted, context)
        if done.tokens >= before:
            return Compressed(text, found.kind, before, before, False, "no gain", failure=failure)
        return Compressed(done.text, found.kind, before, done.tokens, True, done.why, by_model, failure)

    def _finish(self, opening: str, plan: Plan, target: int, context: Context) -> Fitted:
        pieces = [Piece(0, opening), *plan.pieces]
        done = fit(pieces, target, self.count, context.language, plan.total_lines)
        why = f"target {target}: {done.why}" if done.why else ""
        return Fitted(done.text, done.tokens, why)


def _plan(text: str, found: Detection, context: Context) -> Plan:
    if found.kind == "log":
        return plan_log(text, context)
    if found.kind == "table":
        return plan_table(text, context, found.delimiter)
    if found.kind == "json":
        return plan_json(text, found.data, context)
    if found.kind == "source":
        return plan_source(text, found.language, context, numbered=found.numbered)
    return plan_code_output(text, context)


def unwrap(text: str) -> tuple[str, str]:
    """The text inside a JSON envelope such as `{"output": "...", "exit_code": 0}`, and the envelope's other values.

    Many agents' tools answer so. Text that is no such envelope comes back as it is, with an empty second part.
    """
    if text.lstrip()[:1] != "{" or len(text) > 20_000_000:
        return text, ""
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError, MemoryError):
        return text, ""
    if not isinstance(data, dict) or len(data) > 12:
        return text, ""
    name, inner = max(
        ((k, v) for k, v in data.items() if isinstance(v, str)), key=lambda kv: len(kv[1]), default=("", "")
    )
    if len(inner) * 10 < len(text) * 6 or inner.count("\n") < 2:
        return text, ""
    rest = [f"{k}={v}" for k, v in data.items() if k != name and isinstance(v, int | str | bool) and len(str(v)) <= 40]
    return unify(inner), " ".join(rest[:4]).replace("[", "(").replace("]", ")").replace("\n", " ")
