"""What an importer says about its work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sim.workload.replay.drafts import Draft
from sim.workload.script import Script


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a session's records; `rows = used + sum(skipped.values())`.

    Records of a file that belong to no session are counted with its first one, so sums over a file are whole.

    Attributes:
        rows: records read (lines, messages, events, database rows, as the format has them).
        used: records that are in the script.
        skipped: reason → records left out.
        notes: what a reader should know.
        calls: model calls; `recorded_calls` of them carry recorded usage.
        base_tokens: hidden base (tool schemas and system text the log does not show), the recorded model's tokens.
        hidden_output_tokens: recorded output beyond the visible one (thinking), the recorded model's tokens.
        multiplier: recorded growth of the prompt over our count of the rows it is made of; None without usage.
        compactions_undone: recorded compactions whose earlier rows are in the file and were put back.
        compactions_at: the call that came next after each recorded compaction that was undone, counted from 1.
        compactions_kept: recorded compactions whose earlier rows are missing: the session starts from the summary.
    """

    rows: int = 0
    used: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    calls: int = 0
    recorded_calls: int = 0
    base_tokens: int = 0
    hidden_output_tokens: int = 0
    multiplier: float | None = None
    compactions_undone: int = 0
    compactions_kept: int = 0
    compactions_at: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """One session out of a file.

    Attributes:
        recorded_model: the model that answered most of its calls, empty when the file does not say.
        draft: the session before tokens were counted (what `reconcile` reads).
    """

    script: Script
    report: Report
    format: str
    path: str
    recorded_model: str
    draft: Draft


class Imports(list[Imported]):
    """Sessions, and the files that gave none.

    Attributes:
        passed_over: (path, reason) of files in a folder or glob that are not transcripts or hold no model call.
    """

    def __init__(self, sessions: Iterable[Imported] = (), passed_over: Iterable[tuple[str, str]] = ()) -> None:
        super().__init__(sessions)
        self.passed_over = list(passed_over)
