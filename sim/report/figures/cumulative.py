"""Dollars spent and saved after each call, with the call from which an arm stays ahead of the baseline."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.report import style, text
from sim.report.figures import common
from sim.report.view import ArmView, View, first_arms
from sim.report.words import Words


def title(view: View, words: Words) -> str:
    """What is shown."""
    return words("fig.cumulative.title")


def see(view: View, words: Words) -> list[str]:
    """Who is ahead, and from which call on."""
    if not view.others:
        cost = text.dollars(view.arms[0].mean_cost)
        return [words("fig.cumulative.alone", arm=view.arms[0].label, cost=cost, unit=common.unit(view, words))]
    base = view.baseline.label
    sentences = []
    for arm in common.shown_first(view):
        if arm.pair is None:
            continue
        saving, call = float(arm.pair["saving_usd"]["mean"]), arm.pair["wins_from_call"]
        if saving == 0:
            sentences.append(words("fig.cumulative.same", arm=arm.label, baseline=base))
        elif call is None or saving < 0:
            sentences.append(words("fig.cumulative.loses", arm=arm.label, baseline=base, loss=text.dollars(-saving)))
        else:
            sentences.append(
                words("fig.cumulative.wins", arm=arm.label, baseline=base, call=call, saving=text.dollars(saving))
            )
    return sentences


def draw(view: View, words: Words) -> style.ReportFigure:
    """Two panels: spent so far, and saved so far against the baseline."""
    height = 4.7 + 0.22 * max(0, len(view.arms) - 7)
    return _figure(view, words, height if view.others else 3.1, view.arms, both=True)


def draw_key(view: View, words: Words) -> style.ReportFigure:
    """The lower panel alone (the upper where there is one arm): the figure of the first page."""
    return _figure(view, words, 2.7, first_arms(view), both=False)


def _figure(view: View, words: Words, height: float, arms: tuple[ArmView, ...], *, both: bool) -> style.ReportFigure:
    def fill(figure: style.ReportFigure) -> str:
        spent: Any
        saved: Any
        if not view.others:
            spent, saved = figure.subplots(), None
        elif both:
            spent, saved = figure.subplots(2, 1, sharex=True, height_ratios=(1.0, 1.0))
        else:
            spent, saved = None, figure.subplots()
        if spent is not None:
            _spent(spent, view, words, height * (0.34 if saved is not None else 0.6))
        if saved is not None:
            _saved(saved, view, words, arms, height * (0.34 if spent is not None else 0.6))
        lowest = saved if saved is not None else spent
        lowest.set_xlabel(words("axis.call"))
        return f"{words('fig.cumulative.caption')}{common.world(view, words)}"

    key = not both and bool(view.others)
    heading = words("fig.cumulative.key_title", baseline=view.baseline.label) if key else title(view, words)
    return style.drawing(height, fill, heading)


def _calls(view: View) -> Any:
    return np.arange(0, view.longest + 1)


def _with_start(curve: Any) -> Any:
    return np.concatenate([[0.0], curve])


def _spent(axes: Any, view: View, words: Words, height: float) -> None:
    largest, ends = 0.0, []
    axes.set_xlim(0, max(1, view.longest))
    for arm in view.arms:
        look = common.look(arm)
        curve = _with_start(view.spend_matrix(arm).mean(axis=0))
        axes.plot(_calls(view), curve, color=look.colour, ls=look.dash, lw=1.6)
        largest = max(largest, float(curve[-1]))
        ends.append(
            (float(view.longest), float(curve[-1]), f"{arm.label}  {text.dollars(float(curve[-1]))}", look.colour)
        )
    axes.set_ylim(0, largest * 1.06 or 1.0)
    axes.set_ylabel(words("axis.spent"))
    style.dollar_axis(axes.yaxis)
    style.call_axis(axes.xaxis)
    style.end_labels(axes, ends, height=height)


def _saved(axes: Any, view: View, words: Words, arms: tuple[ArmView, ...], height: float) -> None:
    base = view.spend_matrix(view.baseline)
    axes.set_xlim(0, max(1, view.longest))
    axes.axhline(0, color=common.look(view.baseline).colour, lw=1.4)
    low = high = 0.0
    ends = [(float(view.longest), 0.0, common.name(view.baseline, view, words), common.look(view.baseline).colour)]
    curves: dict[str, Any] = {}
    for arm in (arm for arm in arms if not arm.is_baseline):
        look = common.look(arm)
        saved = base - view.spend_matrix(arm)
        curves[arm.name] = curve = _with_start(saved.mean(axis=0))
        if len(arms) <= 5 and view.replications > 2 and saved.shape[1]:
            lower, upper = (_with_start(v) for v in np.quantile(saved, [0.1, 0.9], axis=0))
            axes.fill_between(_calls(view), lower, upper, color=look.colour, alpha=0.13, lw=0)
            low, high = min(low, float(lower.min())), max(high, float(upper.max()))
        axes.plot(_calls(view), curve, color=look.colour, ls=look.dash, lw=1.6)
        low, high = min(low, float(curve.min())), max(high, float(curve.max()))
        label = f"{arm.label}  {text.dollars(float(curve[-1]), sign=True)}"
        ends.append((float(view.longest), float(curve[-1]), label, look.colour))
    room = (high - low) or 1.0
    axes.set_ylim(low - 0.08 * room, high + 0.1 * room)
    axes.set_ylabel(words("axis.saved"))
    style.dollar_axis(axes.yaxis)
    style.call_axis(axes.xaxis)
    _crossings(axes, view, words, curves)
    style.end_labels(axes, ends, height=height)


def _crossings(axes: Any, view: View, words: Words, curves: dict[str, Any]) -> None:
    """Where an arm goes ahead for good: a ring on its curve, and the call of the best arm in words."""
    winners = [arm for arm in common.shown_first(view) if arm.name in curves and _ahead(arm) is not None]
    for arm in winners:
        call = _ahead(arm)
        if call is not None and call < len(curves[arm.name]):
            axes.plot(
                call,
                curves[arm.name][call],
                marker="o",
                ms=5.5,
                mfc="white",
                mec=common.look(arm).colour,
                mew=1.4,
                zorder=6,
            )
    if not winners:
        return
    best, call = winners[0], _ahead(winners[0])
    if call is None or call >= len(curves[best.name]):
        return
    right = call < 0.7 * view.longest
    axes.annotate(
        f"{best.label}\n{words('mark.wins_from', call=call)}",
        (call, curves[best.name][call]),
        xytext=(0.03 if right else 0.45, 0.94), textcoords="axes fraction",
        size=7.5, color=common.look(best).colour, ha="left", va="top",
        arrowprops={"arrowstyle": "-", "lw": 0.6, "color": style.MUTED, "shrinkB": 3.5},
    )  # fmt: skip


def _ahead(arm: ArmView) -> int | None:
    if arm.pair is None or float(arm.pair["saving_usd"]["mean"]) <= 0:
        return None
    call: int | None = arm.pair["wins_from_call"]
    return call
