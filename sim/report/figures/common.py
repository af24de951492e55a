"""Pieces that several figures share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from sim.report import style, text
from sim.report.view import ArmView, Floats, View
from sim.report.words import Words


def unit(view: View, words: Words) -> str:
    """`a session` where a replication is one session, else `a replication`."""
    return words("unit.session" if view.one_session_each else "unit.replication")


def look(arm: ArmView) -> style.Look:
    """The arm's look."""
    return style.look(arm.position)


def name(arm: ArmView, view: View, words: Words) -> str:
    """The arm's label; the baseline says that it is one where there is something to compare."""
    return words("mark.baseline", arm=arm.label) if arm.is_baseline and view.others else arm.label


def workload(view: View, words: Words) -> str:
    """The workload in a few words."""
    assumptions = view.data.manifest.get("assumptions", {})
    fleet = assumptions.get("fleet")
    if fleet is not None:
        groups = [text.printable(row["group"]) for row in view.data.summary["fleet"]["arms"][0]["groups"]]
        return words("world.fleet", groups=words.listing(groups[:4]), days=f"{fleet['days']:g}")
    assumed = assumptions.get("workload", {})
    kind = assumed.get("kind", "unknown")
    if kind == "synthetic":
        return words("world.synthetic", preset=text.printable(assumed.get("preset", "?")))
    if kind == "replay":
        count = len(assumed.get("transcripts", ()))
        return words("world.replay_one") if count == 1 else words("world.replay", n=count)
    return words("world.curve" if kind == "curve" else "world.unknown")


def world(view: View, words: Words) -> str:
    """The assumptions every figure rests on, one sentence."""
    cards = view.data.summary.get("stamp", {}).get("price_cards", [])
    prices = [
        words("world.price", model=text.printable(c.get("model", "?")), date=c.get("checked", "?")) for c in cards
    ]
    return words(
        "world",
        workload=workload(view, words),
        n=view.replications,
        prices=("; " if words.lang == "en" else "；").join(prices[:3]) or words("world.no_prices"),
    )


def shown_first(view: View) -> list[ArmView]:
    """Arms by mean cost, cheapest first."""
    return sorted(view.arms, key=lambda arm: (arm.mean_cost, view.arms.index(arm)))


def row_height(rows: int, each: float = 0.36, base: float = 1.15, least: float = 1.9, most: float = 7.2) -> float:
    """Inches for a figure with one row an arm."""
    return min(most, max(least, base + each * rows))


def stacked_rows(
    axes: Axes,
    view: View,
    amounts: Mapping[str, Mapping[str, float]],
    fills: Mapping[str, tuple[str, str]],
    total: Callable[[float], str],
    *,
    largest: float | None = None,
    empty: str = "",
    least_share: float = 0.065,
) -> None:
    """One horizontal bar an arm, stacked by part, each wide part with its value, the total at the end.

    Args:
        axes: where.
        view: the run; its arms are the rows, first on top.
        amounts: arm → part → value.
        fills: part → fill and hatch.
        total: value → label.
        largest: longest bar; computed when None.
        empty: label of an arm without anything.
        least_share: of the longest bar from which a part is labelled.
    """
    sums = {arm: math.fsum(parts.values()) for arm, parts in amounts.items()}
    longest = largest if largest is not None else max(sums.values(), default=0.0)
    longest = longest if longest > 0 else 1.0
    rows = len(view.arms)
    size = 7.2 if rows <= 8 else 6.4
    for row, arm in enumerate(view.arms):
        left = 0.0
        for part, (colour, hatch) in fills.items():
            value = amounts[arm.name].get(part, 0.0)
            if value <= 0:
                continue
            axes.barh(
                row, value, left=left, height=0.64, color=colour, hatch=hatch, edgecolor=style.EDGE, linewidth=0.5
            )
            if value >= least_share * longest:
                axes.text(
                    left + value / 2, row, total(value), ha="center", va="center", size=size,
                    bbox={"facecolor": colour, "edgecolor": "none", "pad": 0.8} if hatch else None,
                )  # fmt: skip
            left += value
        label = total(left) if left > 0 else empty or total(0.0)
        axes.annotate(
            label, (left, row), xytext=(4, 0), textcoords="offset points", va="center", size=size + 0.6, color=style.INK
        )
    axes.set_ylim(rows - 0.45, -0.55)
    axes.set_xlim(0, longest * 1.13)
    axes.grid(axis="y", visible=False)
    axes.spines["left"].set_visible(False)


def arm_rows(axes: Axes, view: View, words: Words, arms: Sequence[ArmView] | None = None) -> None:
    """Arm names as the labels of rows, each in its colour."""
    shown = view.arms if arms is None else arms
    size = 8.0 if len(shown) <= 8 else 7.0
    axes.set_yticks(range(len(shown)), [name(arm, view, words) for arm in shown], size=size)
    for tick, arm in zip(axes.get_yticklabels(), shown, strict=True):
        tick.set_color(look(arm).colour)


def fill_legend(
    figure: Any, keys: Sequence[str], fills: Mapping[str, tuple[str, str]], words: Words, prefix: str
) -> None:
    """A legend of fills below the title, only of what appears."""
    if not keys:
        return
    handles = [
        Patch(
            facecolor=fills[k][0], hatch=fills[k][1], edgecolor=style.EDGE, linewidth=0.5, label=words(f"{prefix}.{k}")
        )
        for k in keys
    ]
    style.top_legend(figure, handles)


def swarm(values: Floats, span: float, room: float = 0.30, dot: float = 0.012) -> Floats:
    """Heights for dots on a row so that near ones do not cover each other; deterministic."""
    heights = np.zeros(len(values))
    if not len(values):
        return heights
    step = dot * (span or 1.0)
    order = np.argsort(values, kind="stable")
    bins: dict[int, int] = {}
    counts: dict[int, int] = {}
    for i in order:
        slot = int(values[i] // step) if step else 0
        counts[slot] = counts.get(slot, 0) + 1
    tallest = max(counts.values())
    lift = min(0.075, 2 * room / max(1, tallest - 1)) if tallest > 1 else 0.0
    for i in order:
        slot = int(values[i] // step) if step else 0
        k = bins.get(slot, 0)
        bins[slot] = k + 1
        heights[i] = ((k + 1) // 2) * lift * (1 if k % 2 else -1)
    return heights
