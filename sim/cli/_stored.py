"""A stored run as the report room takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.api import Result
    from sim.report import RunData


def run_data(result: Result) -> RunData:
    """The tables and the comparison of a run."""
    from sim.report import RunData

    tables = {name: result.frame(name) for name in ("calls", "rewrites", "breaks", "sessions")}
    return RunData(**tables, summary=result.json(), manifest=result.manifest)


def question_of(result: Result, lang: str) -> str:
    """What was compared, on which model and sessions, in the report's own words."""
    from sim.report.document import question
    from sim.report.words import Words

    return question(run_data(result).view, Words(lang))


def answer_of(result: Result, lang: str) -> list[str]:
    """What the run says, in the report's own words."""
    from sim.report.answer import answer
    from sim.report.decision import decide
    from sim.report.words import Words

    view = run_data(result).view
    return answer(view, decide(view), Words(lang))
