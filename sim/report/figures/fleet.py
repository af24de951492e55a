"""Dollars a day of a fleet's account over the span, with what was left out as warm-up."""

from __future__ import annotations

import numpy as np

from sim.report import style, text
from sim.report.figures import common
from sim.report.view import COSTS, ArmView, Floats, View
from sim.report.words import Words

_DAY = 86_400.0


def title(view: View, words: Words) -> str:
    """What is shown."""
    return words("fig.fleet.title")


def see(view: View, words: Words) -> list[str]:
    """A steady day and month of each arm."""
    sentences = []
    rows = {row["arm"]: row for row in view.data.summary["fleet"]["arms"]}
    for arm in view.arms:
        row = rows[arm.name]
        day, month = row["per_day_usd"], row["per_month_usd"]
        places = text.decimals(float(day["p95"]))
        mean, low, high = (text.dollars(float(day[k]), places=places) for k in ("mean", "p5", "p95"))
        each = text.dollars(float(month["mean"]))
        sentences.append(words("fig.fleet.see", arm=arm.label, day=mean, low=low, high=high, month=each))
    return sentences


def daily(view: View, arm: ArmView) -> Floats:
    """Dollars of each day, one row a replication."""
    key = ["arm", "replication", "session"]
    days = max(1, int(view.data.summary["fleet"]["days"]))
    sessions = view.data.sessions.loc[view.data.sessions["arm"] == arm.name, [*key, "started_at_s"]]
    calls = view.data.calls.loc[view.data.calls["arm"] == arm.name, [*key, "started_s", *COSTS]]
    joined = calls.merge(sessions, on=key, how="left", sort=False)
    day = ((joined["started_at_s"] + joined["started_s"]).to_numpy() // _DAY).astype(np.int64)
    inside = day < days
    spent = np.zeros((view.replications, days), dtype=np.int64)
    cost = joined[list(COSTS)].sum(axis=1).to_numpy()
    np.add.at(spent, (joined["replication"].to_numpy()[inside], day[inside]), cost[inside])
    return np.asarray(spent / 1e12, dtype=np.float64)


def draw(view: View, words: Words) -> style.ReportFigure:
    """A line an arm, mean over the replications, with a band from p5 to p95."""

    def fill(figure: style.ReportFigure) -> str:
        axes = figure.subplots()
        warm = float(view.data.summary["fleet"]["warm_up_hours"]["mean"] or 0) / 24
        for arm in view.arms:
            spent, look = daily(view, arm), common.look(arm)
            middle = np.arange(spent.shape[1]) + 0.5
            axes.plot(
                middle, spent.mean(axis=0), color=look.colour, ls=look.dash, lw=1.6, label=common.name(arm, view, words)
            )
            if view.replications > 1:
                low, high = np.quantile(spent, [0.05, 0.95], axis=0)
                axes.fill_between(middle, low, high, color=look.colour, alpha=0.12, lw=0)
        axes.set_xlim(0, spent.shape[1])
        axes.set_ylim(bottom=0)
        if warm > 0:
            axes.axvspan(0, warm, color=style.FAINT, alpha=0.35, lw=0, zorder=0)
            axes.annotate(
                words("mark.warm_up"), (warm, 1.0), xycoords=("data", "axes fraction"), xytext=(3, -3),
                textcoords="offset points", va="top", size=6.8, color=style.MUTED,
            )  # fmt: skip
        axes.set_xlabel(words("axis.day"))
        axes.set_ylabel(words("axis.dollars_day"))
        style.dollar_axis(axes.yaxis)
        axes.legend(loc="lower right", handlelength=2.6, fontsize=7.5, labelspacing=0.35)
        return f"{words('fig.fleet.caption')}{common.world(view, words)}"

    return style.drawing(3.2, fill, title(view, words))
