"""Context at each call, a panel an arm, with its trigger and its rewrites."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from sim.report import style, text
from sim.report.figures import common
from sim.report.view import COMPACTIONS, IDLE, ArmView, View
from sim.report.words import Words

OTHERS = 24


def title(view: View, words: Words) -> str:
    """What is shown."""
    return words("fig.context.title")


def see(view: View, words: Words) -> list[str]:
    """Peak and rewrites of each arm."""
    sentences = []
    for arm in view.arms:
        sessions = max(1, int(arm.row["sessions"]))
        compactions, prunes = arm.row["compactions"] / sessions, arm.row["prunes"] / sessions
        idle, rest = (count / sessions for count in view.compactions(arm))
        times = words(
            "fig.context.times_idle" if idle else "fig.context.times",
            compactions=f"{compactions:.2g}",
            prunes=f"{prunes:.2g}",
            unit=words("unit.session"),
            idle=f"{idle:.2g}",
            rest=f"{rest:.2g}",
        )
        rewrites = times if compactions or prunes else words("fig.context.never")
        peak = text.tokens(arm.row["peak_tokens"]["max"])
        sentences.append(words("fig.context.see", arm=arm.label, peak=peak, rewrites=rewrites))
    return sentences


def draw(view: View, words: Words) -> style.ReportFigure:
    """Panels share both axes, so that heights and lengths compare."""
    count = len(view.arms)
    columns = 1 if count == 1 else 3 if count == 3 or count > 8 else 2
    rows = math.ceil(count / columns)
    height = {1: 3.3, 2: 4.4, 3: 5.6}.get(rows, min(8.2, 1.0 + 1.5 * rows))

    def fill(figure: style.ReportFigure) -> str:
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        panels = list(grid.flat)
        for axes, arm in zip(panels, view.arms, strict=False):
            _panel(axes, view, arm, words, columns)
        top = _top(view)
        for axes in panels[:count]:
            axes.set_ylim(0, top)
            axes.set_xlim(0, max(1, view.longest) * 1.02)
        for axes, arm in zip(panels, view.arms, strict=False):
            _lines(axes, view, arm, words, top)
        for axes in panels[count:]:
            axes.set_visible(False)
        for axes in grid[:, 0]:
            axes.set_ylabel(words("axis.context"))
        for column in range(columns):
            last = max(row for row in range(rows) if row * columns + column < count)
            grid[last, column].set_xlabel(words("axis.call"))
            grid[last, column].tick_params(labelbottom=True)
        _legend(figure, view, words)
        return f"{words('fig.context.caption', r=view.typical[0], n=OTHERS)} {common.world(view, words)}"

    return style.drawing(height, fill, title(view, words))


def _top(view: View) -> float:
    peak = max(
        (float(view.main_calls(arm)["input_tokens"].max()) for arm in view.arms if len(view.main_calls(arm))),
        default=1.0,
    )
    triggers = [t for t in (arm.row["trigger_tokens"] for arm in view.arms) if t is not None and t <= 1.35 * peak]
    return float(max([peak, *triggers, 1.0])) * 1.16


def _panel(axes: Axes, view: View, arm: ArmView, words: Words, columns: int) -> None:
    look = common.look(arm)
    for track in view.tracks(arm, OTHERS):
        axes.plot(track["call"], track["input_tokens"], color=look.colour, lw=0.5, alpha=0.22, zorder=1)
    typical = view.session(arm, view.typical)
    axes.plot(typical["call"], typical["input_tokens"], color=look.colour, lw=1.5, zorder=3)
    if not len(view.main_calls(arm)):
        axes.text(0.5, 0.5, words("mark.no_calls"), transform=axes.transAxes, ha="center", color=style.MUTED)
    found = view.rewrites(arm, view.typical)
    compacted = found[found["kind"].isin(COMPACTIONS)]
    pruned = found[~found["kind"].isin(COMPACTIONS)]
    idle, compacted = compacted[compacted["site"] == IDLE], compacted[compacted["site"] != IDLE]
    axes.plot(
        compacted["call"], compacted["tokens_before"], ls="none", marker="v", ms=6.0, mfc=look.colour, mec="white",
        mew=0.7, zorder=5,
    )  # fmt: skip
    axes.plot(
        idle["call"],
        idle["tokens_before"],
        ls="none",
        marker="v",
        ms=5.5,
        mfc="white",
        mec=look.colour,
        mew=1.1,
        zorder=5,
    )
    axes.plot(
        pruned["call"], pruned["tokens_before"], ls="none", marker="D", ms=3.6, mfc="white", mec=look.colour, mew=1.0,
        zorder=4,
    )  # fmt: skip
    ends = view.data.sessions
    mine = ends[
        (ends["arm"] == arm.name) & (ends["replication"] == view.typical[0]) & (ends["session"] == view.typical[1])
    ]
    if len(mine) and str(mine["end"].iloc[0]) == "overflow" and len(typical):
        axes.plot(
            typical["call"].iloc[-1], typical["input_tokens"].iloc[-1], marker="X", ms=7, color=style.INK, zorder=6
        )
    label = common.name(arm, view, words)
    axes.set_title(text.shorten(label, 84 // columns), color=look.colour)
    style.token_axis(axes.yaxis)
    style.call_axis(axes.xaxis)


def _lines(axes: Axes, view: View, arm: ArmView, words: Words, top: float) -> None:
    """The trigger line, or a note where it would lie; and the window where the view reaches it."""
    trigger = arm.row["trigger_tokens"]
    window = arm.row.get("window")
    options: dict[str, Any] = {
        "size": 7,
        "color": style.MUTED,
        "transform": axes.get_yaxis_transform(),
        "zorder": 7,
        "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.75},
    }
    if window and window <= top:
        axes.axhline(window, color=style.INK, lw=1.0)
    if trigger is None:
        axes.text(0.02, top * 0.985, words("mark.trigger_none"), va="top", **options)
    elif trigger > top:
        axes.text(0.02, top * 0.985, words("mark.trigger_above", tokens=text.tokens(trigger)), va="top", **options)
    else:
        axes.axhline(trigger, color=style.MUTED, lw=0.9, ls=(0, (4, 2)), zorder=2)
        axes.text(
            0.02, trigger + top * 0.012, words("mark.trigger", tokens=text.tokens(trigger)), va="bottom", **options
        )


def _legend(figure: style.ReportFigure, view: View, words: Words) -> None:
    ink = style.MUTED
    kinds = set(view.data.rewrites["kind"])
    handles = [
        Line2D([], [], color=ink, lw=1.5, label=words("mark.typical")),
        Line2D([], [], color=ink, lw=0.6, alpha=0.4, label=words("mark.others")),
    ]
    if kinds & COMPACTIONS:
        handles.append(
            Line2D([], [], ls="none", marker="v", ms=6, mfc=ink, mec="white", label=words("mark.compaction"))
        )
    if any(view.compactions(arm)[0] for arm in view.arms):
        handles.append(Line2D([], [], ls="none", marker="v", ms=6, mfc="white", mec=ink, label=words("mark.idle")))
    if kinds - COMPACTIONS - {"attempt"}:
        handles.append(Line2D([], [], ls="none", marker="D", ms=3.6, mfc="white", mec=ink, label=words("mark.prune")))
    if any(arm.row["overflows"] for arm in view.arms):
        handles.append(Line2D([], [], ls="none", marker="X", ms=6, color=style.INK, label=words("mark.overflow")))
    style.top_legend(figure, handles)
