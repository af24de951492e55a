"""Quantities people write (`230K`, `1M`, `30m`, `5%`) and money as integer pico-dollars.

One pico-dollar is 10**-12 USD, so a price of $0.003625 per million tokens is exactly 3,625 pico-dollars a token.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

PICO = 10**12
"""Pico-dollars in one dollar."""
MAX_TOKENS = 10**9
"""The largest size anything may have: a hundred times the largest context window there is."""
MAX_SECONDS = 10 * 366 * 86_400
"""The longest pause or duration, ten years."""

_NUMBER = re.compile(r"^\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z%]*)\s*$")
_TOKEN_SUFFIX = {"": 1, "k": 1_000, "m": 1_000_000}
_SECONDS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def _short(text: object) -> str:
    shown = str(text)
    return repr(shown if len(shown) <= 24 else shown[:21] + "...")


def _split(text: str | int | float, what: str) -> tuple[Fraction, str]:
    if isinstance(text, bool):
        raise ValueError(f"{what} must be a number, not {text!r}")
    match = _NUMBER.match(str(text))
    if not match:
        raise ValueError(f"{what} {text!r} is not a number with an optional suffix")
    return Fraction(match.group(1)), match.group(2)


def parse_tokens(text: str | int) -> int:
    """Token count from `230K`, `1M` or a plain integer; `K` is 1,000 and `M` 1,000,000.

    Raises:
        ValueError: not a whole number of tokens, more than `MAX_TOKENS`, or an unknown suffix.
    """
    number, suffix = _split(text, "token count")
    factor = _TOKEN_SUFFIX.get(suffix.lower())
    if factor is None:
        raise ValueError(f"token count {text!r} has an unknown suffix {suffix!r}; use K or M")
    value = number * factor
    if value.denominator != 1:
        raise ValueError(f"token count {text!r} is not a whole number of tokens")
    if value > MAX_TOKENS:
        raise ValueError(f"token count {_short(text)} is too large; {format_tokens(MAX_TOKENS)} is the most")
    return int(value)


def parse_seconds(text: str | int | float) -> float:
    """Seconds from `30m`, `1h`, `90s`, `2d` or a plain number of seconds.

    Raises:
        ValueError: not a number with one of the suffixes s, m, min, h, d, w, or more than `MAX_SECONDS`.
    """
    number, suffix = _split(text, "duration")
    factor = _SECONDS.get(suffix.lower())
    if factor is None:
        raise ValueError(f"duration {text!r} has an unknown suffix {suffix!r}; use s, m, h, d or w")
    if number * factor > MAX_SECONDS:
        raise ValueError(f"duration {_short(text)} is too long; {MAX_SECONDS // 86_400}d is the most")
    return float(number * factor)


def parse_share(text: str | int | float) -> float:
    """A share from `5%` (0.05) or a plain number (`0.05`).

    Raises:
        ValueError: not a number, or a suffix other than `%`.
    """
    number, suffix = _split(text, "share")
    if suffix == "%":
        return float(number / 100)
    if suffix:
        raise ValueError(f"share {text!r} has an unknown suffix {suffix!r}; use % or none")
    if number > 10**9:
        raise ValueError(f"share {_short(text)} is too large; 100% is the whole")
    return float(number)


def format_tokens(tokens: int) -> str:
    """Short form for people: 950 → `950`, 230000 → `230K`, 1234567 → `1.23M`."""
    if abs(tokens) < 1_000:
        return str(tokens)
    if abs(tokens) < 999_500:
        return f"{tokens / 1_000:.3g}K"
    return f"{tokens / 1_000_000:.3g}M" if abs(tokens) < 999_500_000 else f"{tokens / 1_000_000:,.0f}M"


def usd(pico: int) -> Decimal:
    """Dollars as an exact Decimal."""
    return Decimal(pico).scaleb(-12)


def usd_text(pico: int) -> str:
    """Dollars as an exact decimal string without an exponent, at least two places: `12.34`, `0.000003625`."""
    text = f"{usd(pico):f}".rstrip("0")
    whole, _, cents = text.partition(".")
    return f"{whole}.{cents.ljust(2, '0')}"


def round_half_even(value: Fraction) -> int:
    """Nearest integer, halves to even (Python's own rule for Fractions, named)."""
    return round(value)
