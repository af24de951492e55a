"""Paired saving of every replication against the baseline, with mean, interval and the zero line."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.report import style, text
from sim.report.figures import common, costs
from sim.report.view import ArmView, View
from sim.report.words import Words


def title(view: View, words: Words) -> str:
    """What is shown."""
    return words("fig.saving.title") if view.others else words("mark.alone")


def see(view: View, words: Words) -> list[str]:
    """Mean, range and how often each arm is cheaper."""
    unit = common.unit(view, words)
    if not view.others:
        cost = text.dollars(view.arms[0].mean_cost)
        return [words("fig.saving.alone", arm=view.arms[0].label, mean=cost, unit=unit)]
    sentences = []
    for arm in common.shown_first(view):
        if arm.pair is None:
            continue
        saving = {name: float(value) for name, value in arm.pair["saving_usd"].items()}
        places = text.decimals(max(abs(value) for value in saving.values()))
        shown = {name: text.dollars(value, places=places, sign=name == "mean") for name, value in saving.items()}
        wins = int(np.count_nonzero(view.savings(arm) > 0))
        sentences.append(words("fig.saving.see", arm=arm.label, unit=unit, wins=wins, n=view.replications, **shown))
    return sentences


def draw(view: View, words: Words) -> style.ReportFigure:
    """A row an arm; one arm alone shows its cost."""
    if not view.others:
        return costs.draw_as(view, words, title(view, words))

    def fill(figure: style.ReportFigure) -> str:
        axes = figure.subplots()
        values = {arm.name: view.savings(arm) for arm in view.others}
        bounds = [float(arm.pair["saving_usd"][k]) for arm in view.others if arm.pair for k in ("low", "high")]
        low = min(0.0, *bounds, *(float(v.min()) for v in values.values()))
        high = max(0.0, *bounds, *(float(v.max()) for v in values.values()))
        span = (high - low) or 1.0
        axes.set_xlim(low - 0.06 * span, high + 0.06 * span)
        axes.axvline(0, color=style.BASELINE, lw=1.3, zorder=2)
        for row, arm in enumerate(view.others):
            _row(axes, row, values[arm.name], arm, span, words)
        rows = len(view.others)
        axes.set_ylim(rows - 0.4, -0.75)
        axes.grid(axis="y", visible=False)
        axes.spines["left"].set_visible(False)
        common.arm_rows(axes, view, words, view.others)
        style.dollar_axis(axes.xaxis)
        axes.set_xlabel(words("axis.saving_unit", baseline=view.baseline.label, unit=common.unit(view, words)))
        _sides(axes, view, words, low, high, span)
        return f"{words('fig.saving.caption')}{common.world(view, words)}"

    return style.drawing(common.row_height(len(view.others), each=0.52, base=1.35), fill, title(view, words))


def _row(axes: Any, row: int, values: Any, arm: ArmView, span: float, words: Words) -> None:
    look = common.look(arm)
    saving = {name: float(value) for name, value in (arm.pair or {})["saving_usd"].items()}
    heights = common.swarm(values, span) + row + 0.12
    size = 3.8 if len(values) <= 60 else 2.2
    axes.plot(values, heights, ls="none", marker=look.marker, ms=size, mfc=look.colour, mec="none", alpha=0.4, zorder=3)
    axes.plot([saving["low"], saving["high"]], [row, row], color=look.colour, lw=3.2, solid_capstyle="butt", zorder=4)
    axes.plot(saving["mean"], row, marker="|", ms=12, mew=2.0, color=look.colour, zorder=5)
    places = text.decimals(max(abs(value) for value in saving.values()))
    mean, low, high = (text.dollars(saving[k], places=places, sign=True) for k in ("mean", "low", "high"))
    label = mean if saving["low"] == saving["high"] else words("fig.saving.range", mean=mean, low=low, high=high)
    left, right = axes.get_xlim()
    share = (saving["mean"] - left) / (right - left)
    side = "left" if share < 0.22 else "right" if share > 0.78 else "center"
    axes.annotate(
        label,
        (saving["mean"], row),
        xytext=(0, 7),
        textcoords="offset points",
        ha=side,
        va="bottom",
        size=7.5,
        color=look.colour,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85},
        zorder=6,
    )


def _sides(axes: Any, view: View, words: Words, low: float, high: float, span: float) -> None:
    """Which side of zero is which, where that side has room."""
    options = {
        "size": 7,
        "color": style.MUTED,
        "va": "bottom",
        "xycoords": ("data", "axes fraction"),
        "annotation_clip": False,
    }
    if high >= 0.25 * span or low == high:
        axes.annotate(
            words("mark.cheaper_side", baseline=view.baseline.label),
            (0, 1.0),
            xytext=(5, 1),
            textcoords="offset points",
            ha="left",
            **options,
        )
    if -low >= 0.15 * span:
        axes.annotate(
            words("mark.dearer_side"), (0, 1.0), xytext=(-5, 1), textcoords="offset points", ha="right", **options
        )
