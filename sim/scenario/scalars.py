"""Plain YAML scalars: what they mean, and which of them YAML 1.1 and YAML 1.2 read differently.

PyYAML follows YAML 1.1 (yaml.org/type), YAML 1.2 has its own core schema (yaml.org/spec/1.2.2, chapter 10.3.2).
A scalar that the two read alike is a value; any other is ambiguous and has to be written in another way.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

_NULL = {"", "~", "null", "Null", "NULL"}
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INF = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NAN = {".nan", ".NaN", ".NAN"}
# PyYAML leaves these two as text although the YAML 1.1 type page and ruamel.yaml make them booleans.
_LETTERS = {"y": True, "Y": True, "n": False, "N": False}


@dataclass(frozen=True, slots=True)
class Reading:
    """One plain scalar.

    Attributes:
        value: what YAML 1.1 makes of it, which is what Hermes itself reads.
        ambiguous: how the two versions differ, None when they agree.
        remedy: how to write it so that they agree.
        date: whether YAML 1.1 takes it for a date or a time stamp.
    """

    value: Any
    ambiguous: str | None = None
    remedy: str | None = None
    date: bool = False


def core(text: str) -> Any:
    """The value of a plain scalar under the YAML 1.2 core schema."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEX.fullmatch(text):
        return int(text[2:], 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INF.fullmatch(text):
        return -math.inf if text.startswith("-") else math.inf
    return math.nan if text in _NAN else text


@cache
def _old() -> tuple[yaml.resolver.Resolver, yaml.constructor.SafeConstructor]:
    return yaml.resolver.Resolver(), yaml.constructor.SafeConstructor()


def implicit_tag(text: str, *, plain: bool) -> str:
    """The tag PyYAML gives a scalar that carries none of its own."""
    tag: str = _old()[0].resolve(yaml.ScalarNode, text, (plain, not plain))  # type: ignore[no-untyped-call]
    return tag


def old(text: str) -> Any:
    """The value of a plain scalar under YAML 1.1, as PyYAML reads it."""
    tag = implicit_tag(text, plain=True)
    if tag == "tag:yaml.org,2002:str":
        return text
    try:
        return _old()[1].construct_object(yaml.ScalarNode(tag, text))
    except (ValueError, IndexError, yaml.YAMLError):
        return text  # such as the date 2026-99-99: no reader makes a value of it


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and (a == b or (a != a and b != b))


def read_plain(text: str) -> Reading:
    """Read one plain (unquoted) scalar."""
    first, second = old(text), core(text)
    if text in _LETTERS:
        return Reading(
            text,
            f"`{text}` is {_show(_LETTERS[text])} to some readers and the text '{text}' to others",
            f"write {_show(_LETTERS[text])}, or '{text}' in quotes",
        )
    if _same(first, second):
        return Reading(first)
    is_date = not isinstance(first, (str, int, float, bool, type(None)))
    value = text if is_date else first
    return Reading(
        value,
        f"`{text}` is {_describe(first)} in YAML 1.1 and {_describe(second)} in YAML 1.2",
        _remedy(text, first, second),
        is_date,
    )


def _remedy(text: str, first: Any, second: Any) -> str:
    if isinstance(first, bool):
        return f"write {_show(first)}, or '{text}' in quotes for the text"
    numbers = [v for v in (second, first) if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if ":" in text and len(numbers) == 1 and not isinstance(second, (int, float)):
        return f"write {_show(numbers[0])} for the number, or '{text}' in quotes for the text"
    if len(numbers) == 2:
        return f"write {_show(numbers[0])} or {_show(numbers[1])}, whichever is meant"
    if numbers:
        return f"write {_show(numbers[0])}"
    return f"write '{text}' in quotes"


def _describe(value: Any) -> str:
    if isinstance(value, bool):
        return f"the truth value {_show(value)}"
    if isinstance(value, (int, float)):
        return f"the number {_show(value)}"
    if isinstance(value, str):
        return f"the text '{value}'"
    if value is None:
        return "nothing"
    return "a date"


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
