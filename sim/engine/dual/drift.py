"""Goal drift: whether the task of the first exchange is still in what the model is shown.

Works on any list of rows or messages, so the same figure can be taken beside every engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_TERM = re.compile(r"[A-Za-z_][\w./-]{3,}|\d[\d.,:%-]*|[\u3400-\u9fff]{2,8}")


@dataclass(frozen=True, slots=True)
class GoalState:
    """Residency of the task at one call.

    Attributes:
        verbatim: the task's text stands in the request as it was given.
        share: share of its distinct terms (words of four letters, figures, paths, Chinese runs) found anywhere.
    """

    verbatim: bool
    share: float


class Goal:
    """A task to watch for.

    Args:
        task: text of the first user message.
    """

    def __init__(self, task: str) -> None:
        self.task = task.strip()
        self._terms = frozenset(_TERM.findall(self.task))

    def state(self, texts: Iterable[str]) -> GoalState:
        """Residency in the texts of a request; texts are read only until the task is found."""
        kept: list[str] = []
        for text in texts:
            if self.task and self.task in text:
                return GoalState(True, 1.0)
            kept.append(text)
        if not self._terms:
            return GoalState(False, 0.0)
        everything = "\n".join(kept)
        return GoalState(False, sum(1 for term in self._terms if term in everything) / len(self._terms))
