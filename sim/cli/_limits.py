"""`--fail-if EXPR`: a small, safe expression over the rows of a comparison.

    saving_usd.low < 0                     any arm whose saving may be negative
    cap-230k.saving_usd.low < 0            that arm only
    cost_usd.mean > 50 or overflows > 0

Names are keys of `run --json` (`arms` and `paired` rows merged by arm); numbers may end in K, M or %.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from sim.cli._table import flat
from sim.errors import UsageError

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?[KkMm%]?(?![\w.]))|(?P<text>'[^']*'|\"[^\"]*\")"
    r"|(?P<op><=|>=|==|!=|[<>+\-*/()])|(?P<name>[^\W\d][\w.@%-]*))"
)
_SUFFIX = {"k": Fraction(1_000), "m": Fraction(1_000_000), "%": Fraction(1, 100)}
_WORDS = {"and", "or", "not", "null"}


@dataclass(frozen=True, slots=True)
class Limit:
    """A parsed expression."""

    source: str
    tokens: tuple[tuple[str, str], ...]


def parse_limit(source: str, arms: Sequence[str] = ()) -> Limit:
    """Parse an expression.

    Args:
        source: as given.
        arms: names of arms, which may hold characters that an expression would read otherwise.

    Raises:
        UsageError: not an expression.
    """
    limit = Limit(source, tuple(_tokens(source, arms)))
    _Reader(limit, None).whole()
    return limit


def broken_by(limit: Limit, arms: Sequence[Mapping[str, Any]], paired: Sequence[Mapping[str, Any]]) -> list[str]:
    """Arms for which the expression holds, each with the figures it rests on; empty when the limit is kept.

    Raises:
        UsageError: a name that no arm has.
    """
    pairs = {row["arm"]: row for row in paired}
    rows = {row["arm"]: flat({**row, **pairs.get(row["arm"], {})}) for row in arms}
    known = sorted({key for row in rows.values() for key in row})
    for kind, name in limit.tokens:
        if kind == "name":
            _check_name(name, rows, known)
    found = []
    for arm, row in rows.items():
        reader = _Reader(limit, partial(_look_up, row=row, rows=rows))
        if reader.whole() is True:
            seen = ", ".join(f"{n} = {v}" for n, v in reader.seen.items())
            found.append(f"{arm} ({seen})" if reader.bare else f"({seen})")
        if not reader.bare:
            break
    return found


def _tokens(source: str, arms: Sequence[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while source[at:].strip():
        rest = source[at:].lstrip()
        at = len(source) - len(rest)
        arm = max((a for a in arms if rest.startswith(a + ".")), key=len, default=None)
        if arm is not None:
            tail = re.match(r"\.[\w.]+", rest[len(arm) :])
            if tail:
                found.append(("name", arm + tail.group()))
                at += len(arm) + tail.end()
                continue
        match = _TOKEN.match(source, at)
        if not match:
            raise UsageError(f"--fail-if {source!r}: cannot read {rest[:12]!r}", remedy=_EXAMPLE)
        kind = str(match.lastgroup)
        text = match.group(kind)
        found.append(("op", text) if kind == "name" and text in _WORDS else (kind, text))
        at = match.end()
    return found


_EXAMPLE = "write a comparison such as 'saving_usd.low < 0' or 'cap-230k.cost_usd.mean > 50'"


def _check_name(name: str, rows: Mapping[str, Mapping[str, Any]], known: Sequence[str]) -> None:
    for arm in rows:
        if name.startswith(arm + "."):
            name = name[len(arm) + 1 :]
            break
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}"
        raise UsageError(f"--fail-if: no figure is called '{name}'", remedy=hint)


def _look_up(name: str, row: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> tuple[Any, bool]:
    for arm in sorted(rows, key=len, reverse=True):
        if name.startswith(arm + "."):
            return _number(rows[arm].get(name[len(arm) + 1 :])), False
    return _number(row.get(name)), True


def _number(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return Fraction(str(value))
    try:
        return Fraction(str(value))
    except ValueError:
        return str(value)


class _Reader:
    """Recursive descent over the tokens; evaluates when given a look-up, only checks the grammar when not."""

    def __init__(self, limit: Limit, look_up: Callable[[str], tuple[Any, bool]] | None) -> None:
        self.limit = limit
        self.look_up = look_up
        self.at = 0
        self.bare = False
        self.seen: dict[str, Any] = {}

    def fail(self, what: str) -> UsageError:
        return UsageError(f"--fail-if {self.limit.source!r}: {what}", remedy=_EXAMPLE)

    def peek(self) -> tuple[str, str]:
        return self.limit.tokens[self.at] if self.at < len(self.limit.tokens) else ("end", "")

    def take(self, *texts: str) -> str | None:
        kind, text = self.peek()
        if kind == "op" and text in texts:
            self.at += 1
            return text
        return None

    def whole(self) -> Any:
        value = self.either()
        if self.peek()[0] != "end":
            raise self.fail(f"{self.peek()[1]!r} is not expected here")
        if self.look_up is None and not any(t == ("op", c) for t in self.limit.tokens for c in _COMPARE):
            raise self.fail("nothing is compared")
        return value

    def either(self) -> Any:
        value = self.both()
        while self.take("or"):
            other = self.both()
            value = bool(value) or bool(other)
        return value

    def both(self) -> Any:
        value = self.negated()
        while self.take("and"):
            other = self.negated()
            value = bool(value) and bool(other)
        return value

    def negated(self) -> Any:
        if self.take("not"):
            return not self.negated()
        return self.compared()

    def compared(self) -> Any:
        left = self.sum()
        sign = self.take(*_COMPARE)
        if sign is None:
            return left
        right = self.sum()
        if self.look_up is None:
            return False
        if sign in {"==", "!="}:
            return _COMPARE[sign](left, right)
        # A figure that an arm does not have (its saving against itself, a call it never wins from) breaks no limit.
        if left is None or right is None:
            return False
        if isinstance(left, str) or isinstance(right, str):
            raise self.fail("texts are compared with == and != only")
        return _COMPARE[sign](left, right)

    def sum(self) -> Any:
        value = self.product()
        while sign := self.take("+", "-"):
            value = self.arithmetic(sign, value, self.product())
        return value

    def product(self) -> Any:
        value = self.atom()
        while sign := self.take("*", "/"):
            value = self.arithmetic(sign, value, self.atom())
        return value

    def arithmetic(self, sign: str, left: Any, right: Any) -> Any:
        if self.look_up is None or left is None or right is None:
            return None
        if isinstance(left, str) or isinstance(right, str):
            raise self.fail("a text cannot be reckoned with")
        if sign == "/":
            return left / right if right else None
        return {"+": operator.add, "-": operator.sub, "*": operator.mul}[sign](left, right)

    def atom(self) -> Any:
        if self.take("-"):
            value = self.atom()
            return None if value is None or self.look_up is None else -value
        if self.take("("):
            value = self.either()
            if not self.take(")"):
                raise self.fail("a bracket is not closed")
            return value
        if self.take("null"):
            return None
        kind, text = self.peek()
        if kind not in {"number", "name", "text"}:
            raise self.fail("it ends too early" if kind == "end" else f"{text!r} is not expected here")
        self.at += 1
        if kind == "number":
            factor = _SUFFIX.get(text[-1].lower(), Fraction(1))
            return Fraction(text.rstrip("KkMm%")) * factor
        if kind == "text":
            return text[1:-1]
        return self.named(text)

    def named(self, name: str) -> Any:
        if self.look_up is None:
            return None
        value, bare = self.look_up(name)
        self.bare = self.bare or bare
        self.seen[name] = float(value) if isinstance(value, Fraction) else value
        return value
