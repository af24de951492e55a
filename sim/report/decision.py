"""Which arm a run speaks for, from paired savings alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from sim.report.view import ArmView, View

if TYPE_CHECKING:
    from sim.study.interval import Interval

Kind = Literal["win", "keep", "unclear", "same", "alone", "only_whole", "baseline_breaks", "all_break"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a run says.

    Attributes:
        kind: which of the answers it is.
        arm: the arm the answer speaks of (the winner, the nearest rival, the only arm).
        second: the next best arm with its paired difference from the winner, dollars.
    """

    kind: Kind
    arm: ArmView
    second: tuple[ArmView, Interval] | None = None


def decide(view: View) -> Decision:
    """The decision, from paired savings alone; an arm that breaks off more sessions than the baseline never wins."""
    base = view.baseline
    if not view.others:
        return Decision("alone", base)
    least_broken = min(arm.broken for arm in view.arms)
    if least_broken < base.broken:
        whole = [arm for arm in view.others if arm.broken == least_broken]
        return Decision("baseline_breaks", min(whole, key=lambda arm: arm.mean_cost))
    if all(arm.row["overflows"] for arm in view.arms):
        return Decision("all_break", base)
    eligible = [arm for arm in view.others if arm.broken <= base.broken]
    if not eligible:
        return Decision("only_whole", base)
    best = min(eligible, key=lambda arm: arm.mean_cost)
    verdicts = {arm.name: str((arm.pair or {})["verdict"]) for arm in eligible}
    cheaper = [arm for arm in eligible if verdicts[arm.name] == "cheaper"]
    if cheaper:
        winner = min(cheaper, key=lambda arm: arm.mean_cost)
        rest = [arm for arm in (*eligible, base) if arm is not winner]
        second = min(rest, key=lambda arm: arm.mean_cost)
        return Decision("win", winner, None if second is base else (second, _difference(view, second, winner)))
    if all(verdict == "dearer" for verdict in verdicts.values()):
        return Decision("keep", best)
    undecided = [arm for arm in eligible if verdicts[arm.name] != "dearer"]
    rival = min(undecided, key=lambda arm: arm.mean_cost)
    return Decision("same" if not np.any(view.savings(rival)) else "unclear", rival)


def _difference(view: View, dearer: ArmView, cheaper: ArmView) -> Interval:
    from sim.study.interval import paired_interval

    return paired_interval(list(view.costs[dearer.name] - view.costs[cheaper.name]), seed=1)
