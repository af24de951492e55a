"""Tokens sent against calls, log-log: the price of sending everything again."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from sim.report import style, text
from sim.report.figures import common
from sim.report.view import ArmView, View
from sim.report.words import Words


def title(view: View, words: Words) -> str:
    """What is shown."""
    return words("fig.growth.title")


def see(view: View, words: Words) -> list[str]:
    """Tokens sent and fitted exponents of each arm, the largest first."""
    arms = sorted(view.arms, key=lambda arm: -int(arm.row["input_tokens"]))
    unit = common.unit(view, words)
    sentences = []
    for arm in arms:
        exponent = view.exponent(arm)
        sent = text.tokens(int(arm.row["input_tokens"]) / view.replications)
        if exponent is None:
            sentences.append(words("fig.growth.see_none", arm=arm.label, sent=sent, unit=unit))
        else:
            sentences.append(words("fig.growth.see", arm=arm.label, sent=sent, unit=unit, n=f"{exponent:.2f}"))
    return sentences


def _label(arm: ArmView, view: View, words: Words) -> str:
    exponent = view.exponent(arm)
    if exponent is None:
        return words("fig.growth.label_none", arm=arm.label)
    return words("fig.growth.label", arm=arm.label, n=f"{exponent:.2f}")


def draw(view: View, words: Words) -> style.ReportFigure:
    """One curve an arm; thin guides of slope 1 and 2 from the same start."""

    def fill(figure: style.ReportFigure) -> str:
        axes = figure.subplots()
        axes.set_xscale("log")
        axes.set_yscale("log")
        starts = []
        for arm in view.arms:
            sent, look = view.sent(arm), common.look(arm)
            drawn = sent > 0
            if not drawn.any():
                continue
            calls = np.arange(1, len(sent) + 1)[drawn]
            axes.plot(calls, sent[drawn], color=look.colour, ls=look.dash, lw=1.6, label=_label(arm, view, words))
            starts.append((float(calls[0]), float(sent[drawn][0])))
            first = view.first_compaction(arm)
            if first is not None and 1 <= first <= len(sent) and sent[first - 1] > 0:
                axes.plot(first, sent[first - 1], marker="v", ms=5.5, mfc=look.colour, mec="white", mew=0.7, zorder=5)
        if starts:
            _guides(axes, starts[0], view.longest, words)
        else:
            axes.text(0.5, 0.5, words("mark.no_calls"), transform=axes.transAxes, ha="center", color=style.MUTED)
        axes.set_xlabel(words("axis.calls_log"))
        axes.set_ylabel(words("axis.sent_log"))
        axes.xaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else ""))
        axes.yaxis.set_major_locator(LogLocator(10))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: text.tokens(value)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_formatter(NullFormatter())
        if starts:
            size = 7.5 if len(view.arms) <= 8 else 6.5
            axes.legend(loc="upper left", handlelength=2.6, fontsize=size, labelspacing=0.35)
        first, last = view.fitted_calls
        return f"{words('fig.growth.caption', first=first, last=last)} {common.world(view, words)}"

    return style.drawing(3.9 if len(view.arms) <= 8 else 4.6, fill, title(view, words))


def _guides(axes: object, start: tuple[float, float], longest: int, words: Words) -> None:
    """Straight lines of slope 1 and 2 through the first call, for the eye."""
    x = np.array([max(start[0], 2.0), max(float(longest), 4.0)])
    for slope in (1, 2):
        y = start[1] * (x / start[0]) ** slope
        axes.plot(x, y, color=style.FAINT, lw=0.8, zorder=1)  # type: ignore[attr-defined]
        axes.annotate(  # type: ignore[attr-defined]
            words("mark.slope", n=slope), (x[1], y[1]), xytext=(-34, 1) if slope == 2 else (0, -8),
            textcoords="offset points", size=6.8, color=style.MUTED, ha="right", va="center" if slope == 2 else "top",
        )  # fmt: skip
