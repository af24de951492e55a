"""Prose and other files: a summary by the auxiliary model, or an extract when there is none or it failed."""

from __future__ import annotations

import re

from sim.engine.dual.fit import Piece
from sim.engine.dual.lines import clip
from sim.engine.dual.phrases import say
from sim.engine.dual.strategy import Context, Plan, focus_hits

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


def summary_prompt(text: str, kind: str, context: Context) -> str:
    """Prompt for the auxiliary model: the first characters of the text, and the task when it steers the summary."""
    part = text[: context.settings.summary_characters]
    task = context.focus.task[:600]
    if context.language == "zh":
        what = "文件内容" if kind == "file" else "工具输出"
        aim = f"\n当前任务：{task}\n优先保留与任务有关的信息。" if task else ""
        ask = f"请为以下{what}生成简洁摘要（100 字以内），重点说明主要内容和关键信息（数值、路径、名称）。"
        return f"{ask}{aim}\n\n{part}\n\n摘要："
    what = "file" if kind == "file" else "tool output"
    aim = f"\nThe task at hand: {task}\nPrefer what matters to it." if task else ""
    return (
        f"Summarise this {what} in at most 80 words. Keep its main content and key facts (figures, paths, names)."
        f"{aim}\n\n{part}\n\nSummary:"
    )


def plan_extract(text: str, context: Context) -> Plan:
    """Pieces of a text without a model: lines that meet the focus, its opening and its closing sentences."""
    language = context.language
    opening = [s for s in _SENTENCE.split(text[:8_000]) if s.strip()][:12]
    closing = [s for s in _SENTENCE.split(text[max(len(text) - 3_000, 8_000) :]) if s.strip()][-4:]
    pieces = [Piece(3 + i, clip(s.strip(), language)) for i, s in enumerate(opening)]
    for i, start in enumerate([s for s in focus_hits(text, context.focus) if s > 2_000][:4]):
        pieces.append(Piece(2 + i, clip(text[start : start + 400].split("\n", 1)[0], language)))
    pieces.append(Piece(1, say("extract", language, n=len(text))))
    pieces += [Piece(4 + 2 * (len(closing) - i), clip(s.strip(), language)) for i, s in enumerate(closing)]
    return Plan(pieces)


def plan_summary(summary: str, context: Context) -> Plan:
    """Pieces of a model's summary, sentence by sentence so that the target can be kept."""
    text = say("summary", context.language, text=summary.strip())
    sentences = [s.strip() for s in _SENTENCE.split(text) if s.strip()]
    return Plan([Piece(1 + i, clip(s, context.language, 1_000)) for i, s in enumerate(sentences)])
