"""Cuts texts to a wanted number of tokens, counting each character about once.

Between a line break and the next line's first character no token can reach across (in both public vocabularies, when
that character is neither white space that ends in another line break nor a slash). So the count of a text is the sum
of the counts of its stretches of whole lines, and cutting or adding lines needs a count of those lines only.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate

from sim.tokens import TokenModel
from sim.workload.synthetic.text import Draft, Maker, Project

_FIRST_GUESS = 0.27
"""Tokens a character before a kind of text was seen; about 3.7 characters a token."""


def safe(following: str) -> bool:
    """Whether counts add up across a line break that is followed by this text."""
    return following[:1] not in ("\n", "\r", "/") and following[:200].split("\n", 1)[0].strip() != ""


class Fitter:
    """Makes texts of a wanted size; learns how many tokens a character of each kind takes.

    Args:
        tokens: the token counts.
    """

    def __init__(self, tokens: TokenModel) -> None:
        self.tokens = tokens
        self.rates: dict[str, float] = {}

    def rate(self, key: str) -> float:
        """Tokens a character of this kind of text, as seen so far."""
        return self.rates.get(key, _FIRST_GUESS)

    def learn(self, key: str, chars: int, count: int) -> None:
        """Take note of a counted text."""
        if chars < 40:
            return
        weight = min(0.5, chars / 4_000)
        old = self.rates.get(key)
        seen = count / chars
        self.rates[key] = seen if old is None else old + weight * (seen - old)

    def chars(self, key: str, wanted: float) -> int:
        """Characters that will take about `wanted` tokens."""
        return max(1, int(wanted / self.rate(key)))

    def make(
        self, maker: Maker, seed: int, wanted: float, key: str, project: Project, planted: str = ""
    ) -> tuple[str, int]:
        """A text of about `wanted` tokens of the vocabulary, and its exact count.

        Args:
            maker: makes drafts of at least so many characters.
            seed: the text's own.
            key: what texts of this kind are called; rates are learnt by it.
            planted: a line that must be in it.
        """
        chars = self.chars(key, wanted * 1.12) + 60
        text, size = self.cut(maker(random.Random(seed), chars, project), wanted, key, planted)
        if size < 0.97 * wanted and len(text) > 0.9 * chars:
            # This one takes fewer tokens a character than its kind does: make it again, longer.
            longer = int(chars * wanted / size * 1.1)
            text, size = self.cut(maker(random.Random(seed), longer, project), wanted, key, planted)
        return text, size

    def say(self, maker: Maker, seed: int, wanted: float, key: str, project: Project) -> tuple[str, int]:
        """What somebody says, cut at the end of a sentence, without white space at its end; and its exact count."""
        chars = self.chars(key, wanted)
        lines = maker(random.Random(seed), int(chars * 1.25) + 120, project).lines
        ends = list(accumulate(map(len, lines)))
        keep = _lines_within(ends, chars)
        text = "".join(lines[:keep]).rstrip()
        size = self.tokens.count(text)
        self.learn(key, len(text), size)
        better = _lines_within(ends, len(text) * wanted / max(1, size))
        if better != keep and abs(wanted - size) > max(12.0, 0.04 * wanted):
            text = "".join(lines[:better]).rstrip()
            size = self.tokens.count(text)
        return text, size

    def cut(self, draft: Draft, wanted: float, key: str, planted: str = "") -> tuple[str, int]:
        """The draft cut to about `wanted` tokens of the vocabulary.

        Args:
            draft: at least as long as wanted, if possible.
            planted: a line that must be in it.

        Returns:
            The text and its exact count.
        """
        rate = self.rate(key)
        head, lines, foot = draft.head, draft.lines, draft.foot
        if (len(head) + len(foot)) * rate > 0.6 * wanted:
            head = foot = ""
        budget = wanted / rate - len(head) - len(foot) - len(planted)
        ends = list(accumulate(map(len, lines)))
        keep = _lines_within(ends, budget)
        if planted:
            place = _safe_place(lines, keep // 2)
            lines = [*lines[:place], planted, *lines[place:]]
            ends = list(accumulate(map(len, lines)))
            keep += 1
        count = self.tokens.count
        text = head + "".join(lines[:keep]) + foot
        size = count(text)
        self.learn(key, len(text), size)
        least = place + 1 if planted else 1
        tolerance = max(2.0, wanted * 0.008)
        for _ in range(2):
            off = wanted - size
            if abs(off) <= tolerance:
                break
            rate_here = size / max(1, len(text))
            target = ends[keep - 1] + off / rate_here if keep else off / rate_here
            other = max(least, min(_lines_within(ends, target), len(lines)))
            other = _safe_place(lines, other, least)
            if other == keep:
                break
            low, high = min(other, keep), max(other, keep)
            if not all(_joins(lines, i) for i in (low, high)):
                size = count(head + "".join(lines[:other]) + foot)
            else:
                part = count("".join(lines[low:high]))
                size += part if other > keep else -part
            keep = other
            text = head + "".join(lines[:keep]) + foot
        if wanted - size > tolerance and not foot and keep < len(lines) and _joins(lines, keep):
            size += count(lines[keep])
            keep += 1
            text = head + "".join(lines[:keep])
        if wanted - size < -tolerance and keep and not foot:
            text, size = self._shorten(head, lines[:keep], size, wanted, bool(planted))
        return text, size

    def _shorten(self, head: str, lines: list[str], size: int, wanted: float, planted: bool) -> tuple[str, int]:
        """Cut the last line at a space, so that short texts meet their size too."""
        text = head + "".join(lines)
        if planted and len(lines) == 1:
            return text, size
        last = lines[-1].rstrip("\n")
        over = (size - wanted) * max(1, len(text)) / max(1, size)
        length = int(len(last) - over)
        if length < 1:
            return text, size
        cut = last[:length]
        if " " in cut.strip():
            cut = cut.rsplit(" ", 1)[0] or cut
        text = head + "".join(lines[:-1]) + cut
        return text, self.tokens.count(text)


def _lines_within(ends: Sequence[int], chars: float) -> int:
    """How many lines it takes to reach `chars` characters most closely, at least one if there is one."""
    from bisect import bisect_left

    place = bisect_left(ends, chars)
    if place >= len(ends):
        return len(ends)
    before = ends[place - 1] if place else 0
    return max(1, place + 1 if ends[place] - chars < chars - before else place)


def _joins(lines: Sequence[str], place: int) -> bool:
    """Whether counts add up between the lines before and after a place."""
    if not 0 < place < len(lines):
        return True
    return lines[place - 1].endswith("\n") and safe(lines[place])


def _safe_place(lines: Sequence[str], place: int, least: int = 0) -> int:
    """A place near `place` where a stretch of lines may end."""
    for shift in (0, -1, 1, -2, 2, -3, 3):
        near = place + shift
        if least <= near <= len(lines) and (near == len(lines) or safe(lines[near])):
            return near
    return place
