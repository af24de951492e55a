"""Tokens that fell out of the cache, by cause: what they cost, and how many they were."""

from __future__ import annotations

from sim.report import style, text
from sim.report.figures import common
from sim.report.view import ArmView, View
from sim.report.words import Words


def title(view: View, words: Words) -> str:
    """What is shown."""
    return words("fig.misses.title")


def see(view: View, words: Words) -> list[str]:
    """Dollars and main cause of each arm."""
    sentences = []
    for arm in view.arms:
        lost = view.lost[arm.name]
        dollars = sum(value for _, value in lost.values())
        if not any(tokens for tokens, _ in lost.values()):
            sentences.append(words("fig.misses.none", arm=arm.label))
            continue
        cause = max(lost, key=lambda name: (lost[name][1], lost[name][0]))
        share = text.percent(dollars / arm.mean_cost, 1) if arm.mean_cost else text.percent(0)
        sentences.append(
            words(
                "fig.misses.see", arm=arm.label, dollars=text.dollars(dollars), unit=common.unit(view, words),
                share=share, cause=words(f"cause.{cause}"), each=_each(view, arm, cause, words),
            )
        )  # fmt: skip
    return sentences


def _each(view: View, arm: ArmView, cause: str, words: Words) -> str:
    """How often that cause struck a replication, and what one time cost."""
    times = view.strikes(arm, cause)
    if not times:
        return ""
    each = text.dollars(view.lost[arm.name][cause][1] / times)
    return words("fig.misses.each", n=f"{times:.2g}", unit=common.unit(view, words), dollars=each)


def draw(view: View, words: Words) -> style.ReportFigure:
    """Dollars on the left, tokens on the right."""

    def fill(figure: style.ReportFigure) -> str:
        money, count = figure.subplots(1, 2, sharey=True, width_ratios=(1.15, 1.0))
        causes = [cause for cause in style.CAUSES if any(cause in lost for lost in view.lost.values())]
        fills = {cause: style.CAUSES[cause] for cause in causes}
        paid = {arm: {c: v[1] for c, v in lost.items()} for arm, lost in view.lost.items()}
        gone = {arm: {c: v[0] for c, v in lost.items()} for arm, lost in view.lost.items()}
        largest = max(sum(parts.values()) for parts in paid.values())
        most = max(sum(parts.values()) for parts in gone.values())
        places = text.decimals(largest)
        nothing = words("mark.nothing")
        common.stacked_rows(
            money, view, paid, fills, lambda v: text.dollars(v, places=places), empty=nothing, least_share=0.17
        )
        common.stacked_rows(count, view, gone, fills, text.tokens, empty=nothing, least_share=0.17)
        for axes, longest in ((money, largest), (count, most)):
            axes.set_xlim(0, (longest or 1.0) * 1.3)
        common.arm_rows(money, view, words)
        count.tick_params(labelleft=False)
        unit = common.unit(view, words)
        money.set_xlabel(words("axis.dollars_unit", unit=unit))
        count.set_xlabel(words("axis.tokens_unit", unit=unit))
        style.dollar_axis(money.xaxis, bins=4)
        style.token_axis(count.xaxis, bins=4)
        common.fill_legend(figure, causes, style.CAUSES, words, "cause")
        return f"{words('fig.misses.caption')}{common.world(view, words)}"

    return style.drawing(common.row_height(len(view.arms), base=1.45), fill, title(view, words))
