"""Where a replayed session stops being what happened: from there on its figures are counterfactual.

A replay plays recorded words through other settings. As long as an arm's history equals the recorded one the figures
are those of the real session; after the first rewrite the model would have seen something else and might have answered
otherwise, and so after a recorded compaction that the replay undid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Divergence:
    """One session under one arm.

    Attributes:
        first_call: first call whose history differs from the recorded one, None when none does.
        calls: calls of the session.
        cause: `compaction`, `prune`, … of this arm, or `recorded compaction undone`; empty without a divergence.
    """

    arm: str
    session: str
    calls: int
    first_call: int | None
    cause: str

    @property
    def counterfactual_calls(self) -> int:
        """Calls from the divergence on."""
        return 0 if self.first_call is None else max(0, self.calls - self.first_call + 1)


def divergences(
    sessions: pd.DataFrame, rewrites: pd.DataFrame, undone: Mapping[str, Sequence[int]] | None = None
) -> list[Divergence]:
    """First difference of every session under every arm, in the order of `sessions`.

    Args:
        sessions, rewrites: tables of a stored run.
        undone: session → calls before which the recorded agent had compacted (`Report.compactions_at`).
    """
    first: dict[tuple[str, str], tuple[int, str]] = {}
    real = rewrites[rewrites["kind"] != "attempt"]
    for arm, session, call, kind in zip(real["arm"], real["session"], real["call"], real["kind"], strict=True):
        key = (str(arm), str(session))
        if key not in first or int(call) < first[key][0]:
            first[key] = (int(call), str(kind))
    found = []
    for arm, session, calls in zip(sessions["arm"], sessions["session"], sessions["calls"], strict=True):
        place, cause = first.get((str(arm), str(session)), (None, ""))
        recorded = min((undone or {}).get(str(session), ()), default=None)
        if recorded is not None and (place is None or recorded < place):
            place, cause = recorded, "recorded compaction undone"
        if place is not None and place > int(calls):
            place, cause = None, ""
        found.append(Divergence(str(arm), str(session), int(calls), place, cause))
    return found


def summary(found: Sequence[Divergence]) -> list[dict[str, object]]:
    """One row an arm: sessions that differ from what happened, and the share of calls after that.

    Keys: `arm, sessions, diverged, calls, counterfactual_calls, counterfactual_share`.
    """
    rows: dict[str, dict[str, int]] = {}
    for one in found:
        row = rows.setdefault(one.arm, {"sessions": 0, "diverged": 0, "calls": 0, "counterfactual_calls": 0})
        row["sessions"] += 1
        row["diverged"] += one.first_call is not None
        row["calls"] += one.calls
        row["counterfactual_calls"] += one.counterfactual_calls
    return [
        {"arm": arm, **row, "counterfactual_share": row["counterfactual_calls"] / row["calls"] if row["calls"] else 0.0}
        for arm, row in rows.items()
    ]
