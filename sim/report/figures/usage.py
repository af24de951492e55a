"""Share of the window in use and share of the prompt read from cache, over simulated time."""

from __future__ import annotations

from sim.report import style, text
from sim.report.figures import common
from sim.report.view import View
from sim.report.words import Words

LAST_CALLS = 10


def title(view: View, words: Words) -> str:
    """What is shown."""
    return words("fig.usage.title")


def see(view: View, words: Words) -> list[str]:
    """Hit ratio and fullest window of each arm, over all sessions."""
    sentences = []
    for arm in view.arms:
        hit = text.hit_percent(float(arm.row["hit_ratio"]))
        peak = int(arm.row["peak_tokens"]["max"])
        window = arm.row.get("window")
        share = text.percent(peak / window) if window else text.tokens(peak)
        sentences.append(words("fig.usage.see", arm=arm.label, hit=hit, peak=share))
    return sentences


def draw(view: View, words: Words) -> style.ReportFigure:
    """Two panels over the same time."""
    height = 4.4 + 0.22 * max(0, len(view.arms) - 7)
    tall = height * 0.33

    def fill(figure: style.ReportFigure) -> str:
        used, hits = figure.subplots(2, 1, sharex=True)
        sessions = {arm.name: view.session(arm, view.typical) for arm in view.arms}
        longest = max((float(s["ended_s"].max()) for s in sessions.values() if len(s)), default=0.0)
        scale, axis = (3600.0, "axis.hours") if longest >= 2 * 3600 else (60.0, "axis.minutes")
        fullest, lowest = 0.0, 1.0
        used_ends, hit_ends = [], []
        for arm in view.arms:
            session, look = sessions[arm.name], common.look(arm)
            if not len(session):
                continue
            at = session["started_s"] / scale
            window = float(arm.row.get("window") or session["input_tokens"].max())
            share = session["input_tokens"] / window
            sums = session[["cache_read_tokens", "input_tokens"]].rolling(LAST_CALLS, min_periods=1).sum()
            ratio = sums["cache_read_tokens"] / sums["input_tokens"].clip(lower=1)
            used.plot(at, share, color=look.colour, ls=look.dash, lw=1.3)
            hits.plot(at, ratio, color=look.colour, ls=look.dash, lw=1.1, drawstyle="steps-post")
            fullest, lowest = (
                max(fullest, float(share.max())),
                min(lowest, float(ratio.iloc[LAST_CALLS:].min() if len(ratio) > LAST_CALLS else ratio.min())),
            )
            used_ends.append((float(at.iloc[-1]), float(share.iloc[-1]), arm.label, look.colour))
            hit_ends.append(
                (
                    float(at.iloc[-1]),
                    float(ratio.iloc[-1]),
                    f"{arm.label}  {text.hit_percent(float(arm.row['hit_ratio']))}",
                    look.colour,
                )
            )
        if not used_ends:
            for axes in (used, hits):
                axes.text(0.5, 0.5, words("mark.no_calls"), transform=axes.transAxes, ha="center", color=style.MUTED)
        used.set_xlim(0, longest / scale * 1.01 or 1.0)
        used.set_ylim(0, fullest * 1.08 or 1.0)
        hits.set_ylim(max(0.0, lowest - 0.08 * (1 - lowest) - 0.01), 1.0 + 0.03 * (1 - lowest) + 0.002)
        for axes, label in ((used, "axis.window_share"), (hits, "axis.hit")):
            axes.set_ylabel(words(label))
            style.share_axis(axes.yaxis)
        hits.set_xlabel(words(axis))
        style.end_labels(used, used_ends, height=tall)
        style.end_labels(hits, hit_ends, height=tall)
        return f"{words('fig.usage.caption', r=view.typical[0], k=LAST_CALLS)} {common.world(view, words)}"

    return style.drawing(height, fill, title(view, words))
