"""A summary as an auxiliary model would write it, of a wanted size."""

from __future__ import annotations

import random

import numpy as np

from sim.history import RowMaker
from sim.workload.synthetic.fit import Fitter
from sim.workload.synthetic.text import Draft, Project, say

_SECTIONS = (
    "## Active task", "## Goal", "## Constraints", "## Completed actions", "## Active state", "## Key decisions",
    "## Resolved questions", "## Relevant files", "## Remaining work", "## Critical context",
)  # fmt: skip
_SECTIONS_ZH = (
    "## 当前任务", "## 目标", "## 约束", "## 已完成的操作", "## 当前状态", "## 关键决定", "## 已解决的问题",
    "## 相关文件", "## 剩余工作", "## 重要背景",
)  # fmt: skip


def summary_text(rng: np.random.Generator, tokens: int, maker: RowMaker, language: str = "english") -> str:
    """A structured summary of about `tokens` billed tokens of the maker's model.

    Args:
        rng: a stream used for this summary only.
        tokens: size wanted, at least 1.
        maker: token counts of the model that writes it.
        language: `english` or `chinese`.
    """
    seed = int(rng.integers(1 << 62))
    r = random.Random(seed)
    project = Project(seed)
    model = maker.tokens
    make = say(language)
    sample = "".join(make(r, 600, project).lines)
    kind = model.classify(sample)
    wanted = max(1.0, model.unscaled(tokens, kind))
    fitter = Fitter(model)
    fitter.learn("summary", len(sample), model.count(sample))
    chars = int(fitter.chars("summary", wanted) * 1.1) + 60
    sections = _SECTIONS_ZH if language == "chinese" else _SECTIONS
    lines: list[str] = []
    for section in sections:
        lines.append(f"{section}\n")
        lines.extend(make(r, max(20, chars // len(sections) - len(section)), project).lines)
    return fitter.cut(Draft("", lines, ""), wanted, "summary")[0].rstrip("\n")
