"""Progress on stderr: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sim.cli import _out

Progress = Callable[[str, int, int, str], None]

_WORDS = {
    "en": {"engine": "installing engine", "draw": "drawing sessions", "session": "playing", "report": "report"},
    "zh": {"engine": "安装引擎", "draw": "生成会话", "session": "模拟中", "report": "生成报告"},
}


def _nothing(event: str, done: int, total: int, label: str) -> None:
    """Progress nobody watches."""


@contextmanager
def progress(lang: str = "en") -> Iterator[Progress]:
    """A callable `(event, done, total, label)`; one bar for each event, gone when the block ends."""
    if not sys.stderr.isatty():
        yield _nothing
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    words = _WORDS.get(lang, _WORDS["en"])
    tasks: dict[str, TaskID] = {}
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=_out.console(err=True),
        transient=True,
    )

    def note(event: str, done: int, total: int, label: str) -> None:
        text = " ".join(part for part in (words.get(event, event), label if event == "engine" else "") if part)
        if event not in tasks:
            tasks[event] = bars.add_task(text, total=total or None)
        bars.update(tasks[event], completed=done, total=total or None, description=text)

    with bars:
        yield note
