"""Spread of what a session costs under each arm: the worst case is on the right."""

from __future__ import annotations

from sim.report import style, text
from sim.report.figures import common
from sim.report.view import View
from sim.report.words import Words


def title(view: View, words: Words) -> str:
    """What is shown."""
    return words("fig.costs.title" if view.one_session_each else "fig.costs.title_replication")


def see(view: View, words: Words) -> list[str]:
    """Median, bad and worst of each arm."""
    sentences = []
    for arm in view.arms:
        cost = arm.row["cost_usd"]
        top = float(view.costs[arm.name].max())
        places = text.decimals(top)
        p50, p90 = (text.dollars(float(cost[k]), places=places) for k in ("p50", "p90"))
        sentences.append(words("fig.costs.see", arm=arm.label, p50=p50, p90=p90, top=text.dollars(top, places=places)))
    return sentences


def draw(view: View, words: Words) -> style.ReportFigure:
    """A row an arm."""
    return draw_as(view, words, title(view, words))


def draw_as(view: View, words: Words, heading: str) -> style.ReportFigure:
    """The same under another heading."""

    def fill(figure: style.ReportFigure) -> str:
        axes = figure.subplots()
        largest = max(float(values.max()) for values in view.costs.values())
        axes.set_xlim(0, (largest or 1.0) * 1.07)
        for row, arm in enumerate(view.arms):
            values, look, cost = view.costs[arm.name], common.look(arm), arm.row["cost_usd"]
            size = 3.4 if len(values) <= 60 else 2.2
            axes.plot(
                values, common.swarm(values, largest) + row, ls="none", marker=look.marker, ms=size, mfc=look.colour,
                mec="none", alpha=0.45, zorder=3,
            )  # fmt: skip
            for key, length in (("p50", 0.34), ("p90", 0.27), ("p99", 0.27)):
                x = float(cost[key])
                axes.plot(
                    [x, x], [row - length, row + length], color=look.colour, lw=2.0 if key == "p50" else 1.0, zorder=4
                )
            axes.annotate(
                text.dollars(float(cost["p50"])), (float(cost["p50"]), row - 0.34), xytext=(0, 1), va="bottom",
                textcoords="offset points", ha="center", size=7.2, color=look.colour,
            )  # fmt: skip
        rows = len(view.arms)
        axes.set_ylim(rows - 0.45, -0.8)
        axes.grid(axis="y", visible=False)
        axes.spines["left"].set_visible(False)
        common.arm_rows(axes, view, words)
        style.dollar_axis(axes.xaxis)
        axes.set_xlabel(words("axis.dollars_unit", unit=common.unit(view, words)))
        return f"{words('fig.costs.caption')}{common.world(view, words)}"

    return style.drawing(common.row_height(len(view.arms), each=0.5, base=1.25), fill, heading)
