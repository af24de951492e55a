"""One look for every figure: font, palette, line styles, tick formats, sizes and deterministic bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontEntry, fontManager
from matplotlib.ticker import Formatter, FuncFormatter, MaxNLocator
from pylopdf_fonts_zh_cn import sans_path

from sim.report import text

FAMILY = "hermes-sim sans"
WIDTH = 6.7
"""Inches; the text width of the report's page, so figures print at their own size."""
CAPTION = 6.8
"""Points; the size of a figure's caption."""
EDGE = "#8A8A8A"
"""Outline of filled parts, so that pale ones keep their shape on paper."""
INK, MUTED, FAINT, GRID = "#222222", "#5A5A5A", "#B5B5B5", "#E6E6E6"
BASELINE = "#3C3C3C"
ARM_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#BF5B93", "#B07D00", "#4C9BD0", "#7D5F22")
"""After Okabe and Ito, the pale ones darkened so that labels in them can be read; the baseline is dark grey."""
_DASHES: tuple[Any, ...] = ("solid", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.6, 1.2, 1.6)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")

PARTS: dict[str, tuple[str, str]] = {
    "cache_read": ("#7DB0D6", ""),
    "cache_write": ("#F2C878", "////"),
    "fresh": ("#E59A76", "xxxx"),
    "output": ("#EDEDED", ""),
    "auxiliary": ("#DDB0CA", "...."),
    "storage": ("#9FD3C4", "----"),
}
"""Part of the bill → fill and hatch; pale, so that they are not taken for arms."""
CAUSES: dict[str, tuple[str, str]] = {
    "compaction": ("#7DB0D6", ""),
    "prune": ("#F2C878", "////"),
    "ttl": ("#EDEDED", ""),
    "minimum": ("#9FD3C4", "...."),
    "system": ("#E59A76", "xxxx"),
    "model": ("#DDB0CA", "\\\\\\\\"),
    "lookback": ("#D9CF9F", "----"),
    "other": ("#FFFFFF", "++++"),
}

RC: Any = {
    "font.family": [FAMILY],
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.0,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.unicode_minus": True,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.size": 2.5,
    "ytick.major.size": 0,
    "text.color": INK,
    "text.parse_math": False,
    "hatch.linewidth": 0.45,
    "hatch.color": "#6A6A6A",
    "lines.linewidth": 1.5,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "hermes-sim",
}


@dataclass(frozen=True, slots=True)
class Look:
    """How an arm is drawn everywhere: colour, and a dash and marker that tell arms apart without colour."""

    colour: str
    dash: Any
    marker: str


def look(position: int | None) -> Look:
    """The look of an arm by its place among the arms that are not the baseline; None is the baseline."""
    if position is None:
        return Look(BASELINE, "solid", "o")
    colour = ARM_COLOURS[position % len(ARM_COLOURS)]
    return Look(colour, _DASHES[(position + 1) % len(_DASHES)], _MARKERS[(position + 1) % len(_MARKERS)])


class ReportFigure(Figure):
    """A figure without pyplot that shows itself in Jupyter and saves with the same bytes every time."""

    def _repr_svg_(self) -> str:
        return self.svg().decode()

    def svg(self) -> bytes:
        """The figure as SVG, text as outlines."""
        return self._bytes("svg", {"Date": None, "Creator": None})

    def png(self, dpi: int = 160) -> bytes:
        """The figure as PNG."""
        return self._bytes("png", {"Software": None}, dpi=dpi)

    def _bytes(self, kind: str, metadata: dict[str, None], **options: Any) -> bytes:
        target = io.BytesIO()
        with mpl.rc_context(RC):
            self.savefig(target, format=kind, metadata=metadata, **options)
        return target.getvalue()


@cache
def register_font() -> None:
    """Make the report's own font known under a name of its own, so that no font of the machine takes its place."""
    entry = FontEntry(
        fname=str(sans_path()),
        name=FAMILY,
        style="normal",
        variant="normal",
        weight=400,
        stretch="normal",
        size="scalable",
    )
    fontManager.ttflist.append(entry)


def drawing(height: float, draw: Callable[[ReportFigure], str], title: str) -> ReportFigure:
    """A finished figure in the shared style.

    Args:
        height: inches.
        draw: fills the figure and returns its caption (the assumptions it rests on).
        title: what is shown, at the top left.
    """
    register_font()
    with mpl.rc_context(RC):
        figure = ReportFigure(figsize=(WIDTH, height), layout="constrained")
        caption = draw(figure)
        lines = wrap(caption, (WIDTH - 0.15) * 72 / CAPTION)
        bottom = (0.08 + 0.135 * len(lines)) / height
        top = (0.5 if figure.legends else 0.27) / height
        engine: Any = figure.get_layout_engine()
        engine.set(rect=(0.0, bottom, 1.0, 1.0 - bottom - top), w_pad=0.05, h_pad=0.05)
        figure.text(0.008, 1 - 0.06 / height, title, size=9.5, va="top", color=INK).set_in_layout(False)
        figure.text(
            0.008, 0.04 / height, "\n".join(lines), size=CAPTION, va="bottom", color=MUTED, linespacing=1.25
        ).set_in_layout(False)
        return figure


def top_legend(figure: Figure, handles: Sequence[Any], columns: int = 6) -> None:
    """A legend in one line below the title."""
    figure.legend(
        handles=list(handles), loc="upper left", bbox_to_anchor=(0.0, 1 - 0.25 / figure.get_figheight()),
        ncols=columns, handlelength=1.6, handleheight=1.0, columnspacing=1.4, borderaxespad=0.0,
    ).set_in_layout(False)  # fmt: skip


def wrap(sentence: str, room: float) -> list[str]:
    """Lines no wider than that many ems; Chinese may break anywhere, other text at spaces."""
    lines, line, used = [], "", 0.0
    for word in _pieces(sentence):
        size = text.ems(word.rstrip())
        if line and used + size > room:
            lines.append(line.rstrip())
            line, used = "", 0.0
        line, used = line + word, used + text.ems(word)
    return [*lines, line.rstrip()] if line.strip() else lines


def _pieces(sentence: str) -> list[str]:
    """Pieces that may not be broken; closing punctuation stays with what it closes."""
    pieces, word = [], ""
    for char, after in zip(sentence, sentence[1:] + " ", strict=True):
        word += char
        if char == " " or (text.width(char) == 2 and char not in "（“" and after not in "，。；：、）”！？"):
            pieces.append(word)
            word = ""
    return [*pieces, word] if word else pieces


def token_axis(axis: Any, bins: int = 5) -> None:
    """K and M on an axis of tokens."""
    axis.set_major_locator(MaxNLocator(nbins=bins, steps=[1, 2, 2.5, 5, 10], integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: text.tokens(value)))


class _Dollars(Formatter):
    """As many places as the ticks at hand need to be told apart."""

    def __call__(self, value: float, position: int | None = None) -> str:
        """One tick."""
        return text.dollars(value, places=self._places)

    def set_locs(self, locs: Any) -> None:
        """Called by matplotlib with all ticks before any is written."""
        exact = [f"{value:.12g}" for value in locs]
        places = max((_places(e) for e in exact), default=0)
        self._places = 2 if places == 1 else min(places, 9)


def _places(number: str) -> int:
    exponent = Decimal(number).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def dollar_axis(axis: Any, bins: int = 5) -> None:
    """Dollars on an axis, with as many places as the spacing of the ticks needs."""
    axis.set_major_locator(MaxNLocator(nbins=bins, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(_Dollars())


def share_axis(axis: Any, bins: int = 5) -> None:
    """Per cent on an axis of shares."""
    axis.set_major_locator(MaxNLocator(nbins=bins, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(
        FuncFormatter(lambda v, _: text.percent(v, 0 if abs(v * 100 - round(v * 100)) < 1e-6 else 1))
    )


def call_axis(axis: Any) -> None:
    """Whole calls on an axis."""
    axis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def spread(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions near the values, at least `gap` apart where there is room, within `low` and `high`."""
    order = sorted(range(len(values)), key=lambda i: (values[i], i))
    gap = min(gap, (high - low) / max(1, len(values) - 1)) if len(values) > 1 else gap
    placed = [0.0] * len(values)
    floor = low
    for i in order:
        placed[i] = max(values[i], floor)
        floor = placed[i] + gap
    ceiling = high
    for i in reversed(order):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - gap
    return placed


def end_labels(axes: Axes, ends: Sequence[tuple[float, float, str, str]], *, height: float, size: float = 7.5) -> None:
    """Labels to the right of the axes, each beside the end of its line, none over another.

    Args:
        axes: final limits already set, linear y.
        ends: (x, y, label, colour) per line.
        height: of the axes, inches, about.
        size: of the text, points.
    """
    low, high = axes.get_ylim()
    span = (high - low) or 1.0
    size = min(size, height * 72 / max(1, len(ends)) / 1.05)
    gap = span * size * 1.22 / (height * 72)
    places = spread([y for _, y, _, _ in ends], gap, low + gap / 2, high - gap / 2)
    edge = axes.get_xlim()[1]
    for (x, y, label, colour), place in zip(ends, places, strict=True):
        axes.annotate(
            label,
            xy=(x, y),
            xytext=(1.018, (place - low) / span),
            textcoords="axes fraction",
            va="center",
            ha="left",
            size=size,
            color=colour,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5, "alpha": 0.6, "shrinkA": 1, "shrinkB": 0}
            if abs(place - y) > gap / 3 or x < edge - (edge - axes.get_xlim()[0]) * 0.03
            else None,
        )
