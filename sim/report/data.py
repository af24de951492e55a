"""What a report is made of: the stored tables of one run, its comparison and its manifest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from sim.report.view import View


@dataclass(frozen=True, eq=False)
class RunData:
    """One stored run; nothing is simulated from here on.

    Attributes:
        calls, rewrites, breaks, sessions: the ledger's tables (`sim/ledger/records.py`).
        summary: the run as `hermes-sim run --json` prints it (`arms`, `paired`, `stamp`, …).
        manifest: the stored manifest (`title`, `hash`, `assumptions`, …).
    """

    calls: pd.DataFrame
    rewrites: pd.DataFrame
    breaks: pd.DataFrame
    sessions: pd.DataFrame
    summary: dict[str, Any]
    manifest: dict[str, Any]

    @cached_property
    def drawn(self) -> dict[tuple[str, str], bytes]:
        """(figure, language) → SVG of figures already drawn, so that files and report share one drawing."""
        return {}

    @cached_property
    def view(self) -> View:
        """The derived quantities that figures and text share, computed once."""
        from sim.report.view import View

        return View(self)
