"""Numbers and names as people read them. Pure functions; no language in here beyond digits and units."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from sim.units import format_tokens

if TYPE_CHECKING:
    from matplotlib.ft2font import FT2Font

MINUS = "\u2212"


@cache
def _font() -> FT2Font:
    from matplotlib.ft2font import FT2Font
    from pylopdf_fonts_zh_cn import sans_path

    font = FT2Font(str(sans_path()))
    font.set_size(100, 72)
    return font


@cache
def _glyphs() -> frozenset[int]:
    """Code points the report's font can draw."""
    return frozenset(_font().get_charmap())


@cache
def _advance(char: str) -> float:
    from matplotlib.ft2font import LoadFlags

    return float(_font().load_char(ord(char), flags=LoadFlags.NO_HINTING).linearHoriAdvance) / 65536 / 100


def ems(line: str) -> float:
    """Width of a line in the report's font, in units of its size."""
    return sum(_advance(char) for char in line)


def printable(text: object) -> str:
    """Text that the report's font can draw: a character without a glyph becomes its code point, `[U+1F600]`.

    White space of any kind becomes one space, so that a line break in a name cannot tear a table.
    """
    known = _glyphs()
    out = []
    for char in unicodedata.normalize("NFC", str(text)):
        if char.isspace() or unicodedata.category(char) == "Cc":
            out.append(" ")
        elif ord(char) in known:
            out.append(char)
        else:
            out.append(f"[U+{ord(char):04X}]")
    return " ".join("".join(out).split())


def width(text: str) -> int:
    """Columns a text takes, wide (Chinese) characters counted twice."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, columns: int) -> str:
    """Text cut in its middle to a number of columns, the ends (which tell names apart) kept."""
    if width(text) <= columns:
        return text
    head, tail = "", ""
    for i in range(len(text)):
        left, right = text[i], text[-1 - i]
        if width(head + left + tail) + 1 > columns:
            break
        head += left
        if width(head + tail + right) + 1 > columns:
            break
        tail = right + tail
    return f"{head}…{tail}"


def distinct(names: Iterable[str], columns: int) -> list[str]:
    """Shortened names that still differ; those that collide get a number."""
    found: list[str] = []
    for name in names:
        short = shorten(printable(name) or "?", columns)
        number = 2
        while short in found:
            short = f"{shorten(printable(name) or '?', columns - 4)} ({number})"
            number += 1
        found.append(short)
    return found


def decimals(largest: float) -> int:
    """Digits after the point for a set of dollar amounts whose largest is given: three figures, cents from $1 on."""
    size = abs(largest)
    if size == 0 or size >= 1_000:
        return 0
    if size >= 1:
        return 2
    return min(9, 2 - math.floor(math.log10(size)))


def dollars(value: float, *, places: int | None = None, sign: bool = False) -> str:
    """`$12.41`, `$1,234`, `−$0.0124`; with `sign` a plus stands before gains.

    Args:
        value: dollars.
        places: digits after the point; by the size of the value when None.
        sign: show `+`.
    """
    digits = decimals(value) if places is None else places
    text = f"{abs(value):,.{digits}f}"
    zero = not any(c in "123456789" for c in text)
    mark = "" if zero else (MINUS if value < 0 else "+" if sign else "")
    return f"{mark}${text}"


def tokens(value: float) -> str:
    """`950`, `230K`, `1.23M`, `45.6M`, `1,234M`."""
    return format_tokens(round(value))


def percent(share: float, places: int = 0) -> str:
    """A share (0.123) as `12%`."""
    return f"{share * 100:.{places}f}%".replace("-", MINUS)


def hit_percent(share: float) -> str:
    """A hit ratio with one place, more where rounding would show a full 100%."""
    for places in (1, 2, 3):
        text = percent(share, places)
        if share == 1 or not text.startswith("100"):
            return text
    return "<100%"
