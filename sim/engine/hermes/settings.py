"""Hermes's own settings by version: which exist, with which default, and what becomes of each one that is set.

What exists is read from each package's own defaults (`defaults/*.json`, made by `extract.py`). The few keys that Hermes
reads without having a default for them are listed in `WITHOUT_DEFAULT`, found by reading the packages' code.
Everything here is plain data in and out; whoever knows the file adds the places.
"""

from __future__ import annotations

import copy
import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from sim.engine.contract import Ignored
from sim.engine.hermes.inert import Situation, inert, limited
from sim.engine.hermes.versions import VERSIONS, find_version

Kind: TypeAlias = Literal["bool", "whole", "number", "text", "list", "map", "ttl"]

BLOCKS = ("compression", "auxiliary", "memory", "prompt_caching", "model")
"""Hermes's top-level blocks that bear on context and cost."""

_AUXILIARY = "auxiliary.compression."
WITHOUT_DEFAULT: Mapping[str, tuple[Kind, bool]] = {
    _AUXILIARY + "context_length": ("whole", True),
    _AUXILIARY + "api_mode": ("text", False),
    "model.default": ("text", False),
    "model.name": ("text", False),
    "model.provider": ("text", False),
    "model.base_url": ("text", False),
    "model.api_key": ("text", False),
    "model.api_mode": ("text", False),
    "model.context_length": ("whole", True),
    "model.max_tokens": ("whole", True),
    "model.extra_body": ("map", False),
    "model.reasoning_effort": ("text", False),
}
"""Path → (kind, may be null), in both versions."""

_NULLABLE: Mapping[str, Kind] = {
    "compression.threshold_tokens": "whole",
    "compression.codex_responses_compact_threshold": "whole",
    _AUXILIARY + "no_progress_timeout": "number",
}
"""Keys whose default is null, with the kind of a value that is not."""

RENAMED: Mapping[str, str] = {
    "compression.summary_model": _AUXILIARY + "model",
    "compression.summary_provider": _AUXILIARY + "provider",
    "compression.summary_base_url": _AUXILIARY + "base_url",
}
"""Old key → where the packages' own configuration migration (step 17) moves it."""

_EVERYWHERE = frozenset(
    {
        *("api_key", "api_mode", "base_url", "default", "enabled", "extra_body"),
        *("language", "model", "name", "provider", "reasoning_effort", "timeout"),
    }
)
"""Names that occur in many blocks, so that one in a strange place says nothing about where it was meant to be."""

_SECRET = re.compile(r"(^|_)(api_?key|key|token|secret|password|credential)s?$", re.IGNORECASE)

EXPECTED: Mapping[Kind, str] = {
    "bool": "true or false",
    "whole": "a whole number",
    "number": "a number",
    "text": "text",
    "list": "a list",
    "map": "a mapping",
    "ttl": "5m or 1h",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting that a version reads.

    Attributes:
        path: dotted, from the top of a Hermes config.
        default: the package's own; None when it has none.
        nullable: whether null is a value of it.
    """

    path: str
    kind: Kind
    default: Any
    nullable: bool


@dataclass(frozen=True, slots=True)
class Remark:
    """A setting that will not do what was meant.

    Attributes:
        path: dotted, as found.
        value: as text; secrets are never shown (`•••`).
        reason: in one sentence.
        home: path where it belongs, or of the nearest right spelling; None when there is none.
    """

    path: str
    value: str
    reason: str
    home: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What becomes of the settings of a config, each list in file order.

    Attributes:
        ignored: known to Hermes, without effect in this version or beside these other settings.
        misplaced: known to Hermes, but not read where it stands.
        renamed: an old name; Hermes moves it.
        unknown: no such setting.
        wrong_type: a value of the wrong kind.
        works: paths that take effect.
        limited: those among them that take effect with another value, moved into Hermes's own range.
    """

    ignored: tuple[Ignored, ...] = ()
    misplaced: tuple[Remark, ...] = ()
    renamed: tuple[Remark, ...] = ()
    unknown: tuple[Remark, ...] = ()
    wrong_type: tuple[Remark, ...] = ()
    works: tuple[str, ...] = ()
    limited: tuple[Ignored, ...] = ()


@cache
def _stored(label: str) -> dict[str, Any]:
    text = (files("sim.engine.hermes") / "defaults" / f"hermes-{label}.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def defaults(version: str) -> dict[str, Any]:
    """The version's own defaults of our blocks; `model` has none. A fresh copy.

    Raises:
        EngineError: there is no such version.
    """
    blocks: dict[str, Any] = copy.deepcopy(_stored(find_version(version).label)["blocks"])
    return {name: value if isinstance(value, dict) else {} for name, value in blocks.items()}


def merge(base: Mapping[str, Any], blocks: Mapping[str, Any]) -> dict[str, Any]:
    """`blocks` laid over `base`, as Hermes does: mappings merge, anything else replaces. A fresh copy."""
    merged = copy.deepcopy(dict(base))
    for key, value in blocks.items():
        inner = merged.get(key)
        if isinstance(inner, dict) and isinstance(value, Mapping):
            merged[key] = merge(inner, value)
        elif not (isinstance(inner, dict) and value is None):
            # A block with nothing behind it keeps its defaults.
            merged[key] = copy.deepcopy(value)
    return merged


@cache
def settings(version: str) -> Mapping[str, Setting]:
    """Every setting of our blocks that the version reads, by dotted path."""
    found = {one.path: one for one in _leaves(defaults(version), "")}
    for path, (kind, nullable) in WITHOUT_DEFAULT.items():
        found.setdefault(path, Setting(path, kind, None, nullable))
    return found


def _leaves(node: Mapping[str, Any], at: str) -> Iterator[Setting]:
    for key, value in node.items():
        path = f"{at}.{key}" if at else key
        if isinstance(value, dict) and value:
            yield from _leaves(value, path)
        elif path not in BLOCKS:
            yield Setting(path, _kind(path, value), value, path in _NULLABLE)


def _kind(path: str, value: Any) -> Kind:
    if path == "prompt_caching.cache_ttl":
        return "ttl"
    if value is None:
        return _NULLABLE.get(path, "number")
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        # Hermes takes fractions of a second.
        return "number" if path.endswith(("_seconds", "timeout")) and "idle_compact" not in path else "whole"
    if isinstance(value, float):
        return "number"
    return "list" if isinstance(value, list) else "map" if isinstance(value, dict) else "text"


def reads(version: str, path: str) -> bool:
    """Whether a version reads a setting, or anything under it."""
    known = settings(version)
    return path in known or any(name.startswith(path + ".") for name in known) or _free(version, path)


def _free(version: str, path: str) -> bool:
    """Whether the path lies inside a mapping that takes any key (`model_thresholds`, `extra_body`)."""
    parts = path.split(".")
    known = settings(version)
    parents = (".".join(parts[:i]) for i in range(1, len(parts)))
    return any(parent in known and known[parent].kind == "map" for parent in parents)


def check_blocks(version: str, blocks: Mapping[str, Any], situation: Situation | None = None) -> Judgement:
    """Judge every setting of a config, or of a scenario arm's blocks.

    Args:
        version: `0.19` or `0.22`.
        blocks: a whole Hermes config or some of its blocks, as plain data; other sections are passed over.
        situation: window, model and route, for settings whose effect depends on them.

    Raises:
        EngineError: there is no such version.
    """
    label = find_version(version).label
    judge = _Judge(label, situation or Situation())
    judge.walk(blocks, "")
    return judge.judgement(blocks)


class _Judge:
    def __init__(self, label: str, situation: Situation) -> None:
        self.label = label
        self.situation = situation
        self.known = settings(label)
        self.ignored: list[Ignored] = []
        self.misplaced: list[Remark] = []
        self.renamed: list[Remark] = []
        self.unknown: list[Remark] = []
        self.wrong: list[Remark] = []
        self.works: list[str] = []

    def judgement(self, blocks: Mapping[str, Any]) -> Judgement:
        given = {name: blocks[name] for name in BLOCKS if isinstance(blocks.get(name), Mapping)}
        merged = merge(defaults(self.label), given)
        without = {
            one.setting: one for one in inert(self.label, given, merged, self.situation) if one.setting in self.works
        }
        works = tuple(path for path in self.works if path not in without)
        return Judgement(
            (*self.ignored, *without.values()),
            tuple(self.misplaced),
            tuple(self.renamed),
            tuple(self.unknown),
            tuple(self.wrong),
            works,
            tuple(one for one in limited(self.label, given, merged, self.situation) if one.setting in works),
        )

    def walk(self, node: Mapping[str, Any], at: str) -> None:
        for key, value in node.items():
            path = f"{at}.{key}" if at else str(key)
            if path == "model" and isinstance(value, str):
                self.works.append(path)
            elif path in self.known:
                self.setting(self.known[path], value)
            elif any(name.startswith(path + ".") for name in self.known):
                self.block(path, value)
            else:
                self.stranger(path, value)

    def block(self, path: str, value: Any) -> None:
        if isinstance(value, Mapping):
            self.walk(value, path)
        elif value not in (None, ""):
            self.wrong.append(Remark(path, shown(path, value), f"`{path}` must be a mapping"))

    def setting(self, known: Setting, value: Any) -> None:
        if fits(known, value, self.label):
            self.works.append(known.path)
            return
        null = " or null" if known.nullable else ""
        expected = EXPECTED[known.kind] + null
        if known.kind == "ttl" and self.label != "0.19":
            expected += ", auto, or off"
        text = f"`{known.path}` must be {expected}, not {_named(known.path, value)}"
        self.wrong.append(Remark(known.path, shown(known.path, value), text))

    def stranger(self, path: str, value: Any) -> None:
        home: str | None
        block, _, leaf = path.rpartition(".")
        text = shown(path, value)
        elsewhere = [v for v in VERSIONS if v != self.label and reads(v, path)]
        if elsewhere and block:
            reason = f"hermes@{self.label} has no such setting; {' and '.join(f'hermes@{v}' for v in elsewhere)} has"
            self.ignored.append(Ignored(path, text, reason))
        elif path in RENAMED:
            home = RENAMED[path]
            self.renamed.append(Remark(path, text, f"an old name; Hermes reads `{home}`", home))
        elif home := self._home(leaf, block):
            place = f"under `{block}:`" if block else "at the top level"
            above = home.rpartition(".")[0]
            self.misplaced.append(
                Remark(path, text, f"Hermes does not read it {place}; it belongs under `{above}:`", home)
            )
        elif near := self._near(path, leaf, block):
            self.unknown.append(Remark(path, text, f"no such setting; did you mean `{near}`?", near))
        elif block:
            self.unknown.append(Remark(path, text, f"no such setting under `{block}:`"))

    def _home(self, leaf: str, block: str) -> str | None:
        """Where a key of this name belongs, in this version or, failing that, in another."""
        if leaf in _EVERYWHERE or (not block and leaf in _stored(self.label)["top_level"]):
            return None
        for version in (self.label, *VERSIONS):
            homes = [path for path in settings(version) if path.rpartition(".")[2] == leaf]
            if homes:
                return min(homes, key=lambda path: (not path.startswith(("compression.", _AUXILIARY)), path.count(".")))
        return None

    def _near(self, path: str, leaf: str, block: str) -> str | None:
        """The nearest right spelling: beside it first, then anywhere in our blocks."""
        siblings = _siblings(self.label, block)
        if not block:
            tops = _stored(self.label)["top_level"]
            if leaf in tops:
                return None
            siblings = list(BLOCKS)
        close = difflib.get_close_matches(leaf, siblings, n=1, cutoff=0.75)
        if close:
            return f"{block}.{close[0]}" if block else close[0]
        leaves = {name.rpartition(".")[2]: name for name in reversed(list(self.known))}
        away = difflib.get_close_matches(leaf, [one for one in leaves if one not in _EVERYWHERE], n=1, cutoff=0.82)
        return leaves[away[0]] if away else None


def _siblings(version: str, block: str) -> list[str]:
    start = f"{block}." if block else ""
    return list(dict.fromkeys(p[len(start) :].partition(".")[0] for p in settings(version) if p.startswith(start)))


def fits(known: Setting, value: Any, version: str) -> bool:
    """Whether a value is of the setting's kind, without a conversion."""
    if value is None:
        return known.nullable or (known.kind == "ttl" and version != "0.19")
    if isinstance(value, float) and not math.isfinite(value):
        return False  # `.inf` and `.nan` end Hermes's own arithmetic
    if known.kind == "ttl":
        return value in ("5m", "1h") or (version != "0.19" and (value in ("auto", "off", "none", "") or value is False))
    if known.kind == "bool":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    kinds = {"whole": int, "number": (int, float), "text": str, "list": list, "map": Mapping}
    return isinstance(value, kinds[known.kind])  # type: ignore[arg-type]  # a type or a tuple of types, both accepted


def _named(path: str, value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"`{'true' if value else 'false'}`"
    return f"the text '{shown(path, value)}'" if isinstance(value, str) else f"`{shown(path, value)}`"


def shown(path: str, value: Any) -> str:
    """The value as short text, without secrets."""
    if any(_SECRET.search(part) and not part.endswith("_tokens") for part in path.split(".")):
        return "•••"
    if isinstance(value, Mapping):
        return f"{{{len(value)} key{'' if len(value) == 1 else 's'}}}"
    if isinstance(value, list):
        return f"[{len(value)} item{'' if len(value) == 1 else 's'}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "null" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "…"
