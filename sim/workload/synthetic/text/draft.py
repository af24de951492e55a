"""A text before it is cut to size."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Draft:
    """A text as parts that all end with a newline (but perhaps `foot`).

    Attributes:
        head: what it starts with.
        lines: its body, at least as long as was asked for; cut from the end.
        foot: what it ends with, such as a test summary or closing brackets.
    """

    head: str
    lines: list[str]
    foot: str


def fill(chars: int, make: Callable[[int], Iterable[str]], sample: int = 40) -> list[str]:
    """Lines of at least `chars` characters in all from a maker of n lines.

    Args:
        chars: characters wanted.
        make: returns n lines, newlines included; called a few times with growing n.
        sample: lines of the first helping.
    """
    lines: list[str] = []
    have = 0
    n = sample
    while have < chars:
        more = list(make(n))
        lines.extend(more)
        have += sum(map(len, more))
        missing = chars - have
        n = max(4, int(missing * len(lines) / max(1, have) * 1.05) + 1)
    return lines
