"""The bill of each arm by what it was paid for."""

from __future__ import annotations

from sim.report import style, text
from sim.report.figures import common
from sim.report.view import View
from sim.report.words import Words


def title(view: View, words: Words) -> str:
    """What is shown."""
    return words("fig.money.title")


def see(view: View, words: Words) -> list[str]:
    """The largest part of each bill."""
    sentences = []
    for arm in view.arms:
        parts = view.parts(arm)
        total = sum(parts.values())
        if total <= 0:
            sentences.append(words("fig.money.free", arm=arm.label))
            continue
        part = max(parts, key=lambda name: parts[name])
        share, cost = text.percent(parts[part] / total), text.dollars(total)
        sentences.append(words("fig.money.see", arm=arm.label, part=words(f"part.{part}"), share=share, cost=cost))
    return sentences


def draw(view: View, words: Words) -> style.ReportFigure:
    """A stacked bar an arm."""

    def fill(figure: style.ReportFigure) -> str:
        axes = figure.subplots()
        amounts = {arm.name: view.parts(arm) for arm in view.arms}
        largest = max(sum(parts.values()) for parts in amounts.values())
        places = text.decimals(largest)
        common.stacked_rows(axes, view, amounts, style.PARTS, lambda value: text.dollars(value, places=places))
        common.arm_rows(axes, view, words)
        axes.set_xlabel(words("axis.dollars_unit", unit=common.unit(view, words)))
        style.dollar_axis(axes.xaxis)
        used = [part for part in style.PARTS if any(amounts[arm.name].get(part, 0) > 0 for arm in view.arms)]
        common.fill_legend(figure, used, style.PARTS, words, "part")
        return f"{words('fig.money.caption', unit=common.unit(view, words))}{common.world(view, words)}"

    return style.drawing(common.row_height(len(view.arms), base=1.45), fill, title(view, words))
