"""Quantities that several figures and sentences share, computed once from the stored tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sim.ledger import CAUSES
from sim.report.text import distinct, printable
from sim.units import PICO

if TYPE_CHECKING:
    import pandas as pd

    from sim.report.data import RunData

Floats = npt.NDArray[np.float64]
COSTS = ("cost_read_pico", "cost_write_pico", "cost_fresh_pico", "cost_output_pico", "cost_storage_pico")
PART_NAMES = ("cache_read", "cache_write", "fresh", "output", "auxiliary", "storage")
LABEL_COLUMNS = 26
FIRST_PAGE_ARMS = 6
"""Arms on the first page; more get a page of their own."""
COMPACTIONS = frozenset({"compaction", "micro_compaction", "restart"})
IDLE = "idle"
"""Site of a compaction that a pause brought about, not the trigger."""


@dataclass(frozen=True, slots=True)
class ArmView:
    """One arm as figures and tables see it.

    Attributes:
        name: as in the tables.
        label: short, drawable and distinct.
        full: the whole name, drawable.
        position: place among the arms that are not the baseline, None for the baseline; decides its look.
        row: its entry in `summary["arms"]`.
        pair: its entry in `summary["paired"]`, None for the baseline.
    """

    name: str
    label: str
    full: str
    position: int | None
    row: Mapping[str, Any]
    pair: Mapping[str, Any] | None

    @property
    def is_baseline(self) -> bool:
        """Whether the others are compared with this arm."""
        return self.position is None

    @property
    def mean_cost(self) -> float:
        """Mean cost of a replication, dollars."""
        return float(self.row["cost_usd"]["mean"])

    @property
    def broken(self) -> int:
        """Sessions that did not reach their end."""
        return int(self.row["overflows"]) + int(self.row["unfinished"])


class View:
    """One run, ready to be drawn.

    Attributes:
        data: the stored run.
        arms: in the scenario's order.
        baseline: the arm the others are compared with.
        replications: how many were played.
    """

    def __init__(self, data: RunData) -> None:
        self.data = data
        rows = list(data.summary["arms"])
        pairs = {pair["arm"]: pair for pair in data.summary["paired"]}
        others = [row["arm"] for row in rows if row["arm"] in pairs]
        labels = distinct((row["arm"] for row in rows), LABEL_COLUMNS)
        self.arms = tuple(
            ArmView(
                name=row["arm"],
                label=label,
                full=printable(row["arm"]),
                position=others.index(row["arm"]) if row["arm"] in pairs else None,
                row=row,
                pair=pairs.get(row["arm"]),
            )
            for row, label in zip(rows, labels, strict=True)
        )
        self.baseline = next((arm for arm in self.arms if arm.is_baseline), self.arms[0])
        self.others = tuple(arm for arm in self.arms if not arm.is_baseline)
        self.replications = int(data.summary["replications"])
        self.one_session_each = all(int(arm.row["sessions"]) == self.replications for arm in self.arms)

    def arm(self, name: str) -> ArmView:
        """The arm of that name."""
        return next(arm for arm in self.arms if arm.name == name)

    # calls ------------------------------------------------------------------------------------------------------

    @cached_property
    def _by_arm(self) -> dict[str, pd.DataFrame]:
        columns = ["arm", "replication", "session", "call", "kind", "outcome", "started_s", "ended_s"]
        columns += ["input_tokens", "cache_read_tokens", *COSTS]
        frame = self.data.calls[columns].copy()
        frame["cost_pico"] = frame[list(COSTS)].sum(axis=1)
        empty = frame.iloc[:0]
        found = dict(iter(frame.groupby("arm", sort=False)))
        return {arm.name: found.get(arm.name, empty) for arm in self.arms}

    @cached_property
    def _main(self) -> dict[str, pd.DataFrame]:
        return {n: f[(f["kind"] == "main") & (f["outcome"] == "ok")] for n, f in self._by_arm.items()}

    def main_calls(self, arm: ArmView) -> pd.DataFrame:
        """Answered main calls of an arm, all replications."""
        return self._main[arm.name]

    @cached_property
    def longest(self) -> int:
        """Calls of the longest session of any arm."""
        return max((int(f["call"].max()) for f in self._by_arm.values() if len(f)), default=0)

    # money ------------------------------------------------------------------------------------------------------

    @cached_property
    def costs(self) -> dict[str, Floats]:
        """Arm → cost of each replication, dollars, summed exactly first."""
        found = {}
        for arm in self.arms:
            frame = self._by_arm[arm.name]
            sums = np.zeros(self.replications, dtype=np.int64)
            np.add.at(sums, frame["replication"].to_numpy(), frame["cost_pico"].to_numpy())
            found[arm.name] = sums / PICO
        return found

    def savings(self, arm: ArmView) -> Floats:
        """Baseline's cost minus the arm's, per replication, dollars."""
        return self.costs[self.baseline.name] - self.costs[arm.name]

    def spend_matrix(self, arm: ArmView) -> Floats:
        """Cumulative dollars, replications × calls up to the run's longest session; level after a session's end."""
        frame = self._by_arm[arm.name]
        spent = np.zeros((self.replications, self.longest + 1), dtype=np.int64)
        index = (frame["replication"].to_numpy(), frame["call"].to_numpy())
        np.add.at(spent, index, frame["cost_pico"].to_numpy())
        return np.cumsum(spent[:, 1:], axis=1) / PICO

    def parts(self, arm: ArmView) -> dict[str, float]:
        """Mean dollars a replication by part of the bill."""
        return {name: float(arm.row["cost_parts_usd"].get(name, 0)) for name in PART_NAMES}

    # tokens -----------------------------------------------------------------------------------------------------

    def sent(self, arm: ArmView) -> Floats:
        """Mean cumulative input tokens by call (index 0 is call 1), up to the arm's own longest session."""
        frame = self._main[arm.name]
        if not len(frame):
            return np.zeros(0)
        sums = np.zeros(int(frame["call"].max()) + 1, dtype=np.int64)
        np.add.at(sums, frame["call"].to_numpy(), frame["input_tokens"].to_numpy())
        return np.cumsum(sums[1:]) / self.replications

    @cached_property
    def lost(self) -> dict[str, dict[str, tuple[float, float]]]:
        """Arm → cause → (tokens, dollars) lost to cache breaks, mean a replication."""
        frame = self.data.breaks
        found: dict[str, dict[str, tuple[float, float]]] = {arm.name: {} for arm in self.arms}
        for (arm, cause), group in frame.groupby(["arm", "cause"], sort=True):
            if arm in found:
                tokens, pico = int(group["tokens"].sum()), int(group["penalty_pico"].sum())
                found[arm][str(cause)] = (tokens / self.replications, pico / PICO / self.replications)
        order = {cause: i for i, cause in enumerate(CAUSES)}
        return {arm: dict(sorted(by.items(), key=lambda item: order.get(item[0], 99))) for arm, by in found.items()}

    def strikes(self, arm: ArmView, cause: str) -> float:
        """Cache breaks of one cause, mean a replication."""
        frame = self.data.breaks
        return int(((frame["arm"] == arm.name) & (frame["cause"] == cause)).sum()) / self.replications

    # one session to look at -------------------------------------------------------------------------------------

    @cached_property
    def typical(self) -> tuple[int, str]:
        """(replication, session) whose baseline cost is the median one."""
        frame = self._by_arm[self.baseline.name]
        if not len(frame):
            frame = self.data.calls
        if not len(frame):
            return (0, "")
        if "cost_pico" not in frame:
            frame = frame.assign(cost_pico=frame[list(COSTS)].sum(axis=1))
        totals = frame.groupby(["replication", "session"], sort=True)["cost_pico"].sum().sort_values(kind="stable")
        replication, session = totals.index[(len(totals) - 1) // 2]
        return int(replication), str(session)

    def session(self, arm: ArmView, which: tuple[int, str]) -> pd.DataFrame:
        """Answered main calls of one session, in order."""
        frame = self._main[arm.name]
        return frame[(frame["replication"] == which[0]) & (frame["session"] == which[1])]

    def tracks(self, arm: ArmView, at_most: int) -> list[pd.DataFrame]:
        """Up to that many sessions of an arm, the first ones, for a light background."""
        groups = self._main[arm.name].groupby(["replication", "session"], sort=True)
        return [group for _, (_, group) in zip(range(at_most), groups, strict=False)]

    def rewrites(self, arm: ArmView, which: tuple[int, str] | None = None) -> pd.DataFrame:
        """Rewrites that changed something, of one session or of all."""
        frame = self.data.rewrites
        mask = (frame["arm"] == arm.name) & (frame["kind"] != "attempt")
        if which is not None:
            mask &= (frame["replication"] == which[0]) & (frame["session"] == which[1])
        return frame[mask]

    def compactions(self, arm: ArmView) -> tuple[int, int]:
        """Compactions of an arm after a pause (idle), and all others."""
        found = self.rewrites(arm)
        found = found[found["kind"].isin(COMPACTIONS)]
        idle = int((found["site"] == IDLE).sum())
        return idle, len(found) - idle

    def first_compaction(self, arm: ArmView) -> int | None:
        """Median call before which sessions are first compacted, None without a compaction."""
        found = self.rewrites(arm)
        found = found[found["kind"].isin(COMPACTIONS)]
        if not len(found):
            return None
        return int(found.groupby(["replication", "session"])["call"].min().median())

    @property
    def fitted_calls(self) -> tuple[int, int]:
        """Calls over which exponents are fitted: the last three quarters of the run's longest session."""
        return max(5, self.longest // 4), self.longest

    def exponent(self, arm: ArmView) -> float | None:
        """Slope of log(tokens sent) over log(calls), over the same calls for every arm.

        Least squares on calls evenly spread in the logarithm; None where there are too few (less than 12 calls or
        less than a factor of 1.4).
        """
        sent = self.sent(arm)
        first, last = self.fitted_calls
        return _slope(sent, first, min(last, len(sent)))


def _slope(sent: Floats, first: int, last: int) -> float | None:
    """Log-log slope of a cumulative series over calls first..last (1-based)."""
    if last - first < 12 or last < 1.4 * first or last > len(sent):
        return None
    at = np.unique(np.geomspace(first, last, 40).round().astype(int))
    values = sent[at - 1]
    if values[0] <= 0:
        return None
    slope: float = np.polyfit(np.log(at), np.log(values), 1)[0]
    return float(slope)


def first_arms(view: View) -> tuple[ArmView, ...]:
    """The arms of the first page: all, or the baseline and the cheapest others that finish their sessions."""
    if len(view.arms) <= FIRST_PAGE_ARMS:
        return view.arms
    ranked = sorted(view.others, key=lambda arm: (arm.broken > view.baseline.broken, arm.mean_cost))
    return (view.baseline, *ranked[: FIRST_PAGE_ARMS - 1])
