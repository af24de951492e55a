"""What becomes of each line of Hermes's blocks: works, ignored, misplaced, renamed, unknown, wrong type, skipped."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sim.scenario.finding import Path, dotted
from sim.scenario.hermes_keys import BLOCKS, BY_PATH, EXPECTED, KNOWN, RENAMED, Known, fits, homes
from sim.scenario.hermes_other import OTHER, is_secret, reads

Status: TypeAlias = Literal["works", "ignored", "misplaced", "renamed", "unknown", "wrong type", "skipped"]


@dataclass(frozen=True, slots=True)
class Line:
    """One setting of a Hermes config and what becomes of it.

    Attributes:
        path: keys from the top of the config.
        value: as read; secrets are never kept (`•••`).
        why: in one sentence.
        remedy: what to write instead, None when nothing is wrong.
        home: where the setting belongs, for misplaced and renamed ones.
    """

    path: Path
    value: Any
    status: Status
    why: str
    remedy: str | None = None
    home: str | None = None

    @property
    def name(self) -> str:
        """Dotted path."""
        return dotted(self.path)


def check_blocks(config: Mapping[str, Any], versions: Sequence[str]) -> list[Line]:
    """Judge every setting of Hermes's blocks that concern us.

    Args:
        config: a Hermes config, or a scenario arm's blocks (`compression`, `auxiliary`, …).
        versions: Hermes versions the blocks are for; a key must be known to at least one, and is `ignored` when the
            only version asked for does not read it.

    Returns:
        One line for each setting, in file order.
    """
    return list(_walk(config, (), versions))


def _walk(node: Mapping[str, Any], at: Path, versions: Sequence[str]) -> Iterator[Line]:
    for key, value in node.items():
        path = (*at, str(key))
        name = dotted(path)
        known = BY_PATH.get(name)
        if known is not None:
            yield _setting(known, path, value, versions)
        elif name == "model" and isinstance(value, str):
            yield Line(path, value, "works", "the main model")
        elif _is_block(name):
            yield from _block(name, path, value, versions)
        else:
            yield stranger(path, value)


def _is_block(name: str) -> bool:
    return any(k.path.startswith(name + ".") for k in KNOWN)


def _block(name: str, path: Path, value: Any, versions: Sequence[str]) -> Iterator[Line]:
    if value is None or value == "":
        return
    if isinstance(value, Mapping):
        yield from _walk(value, path, versions)
        return
    yield Line(
        path, _shown(path, value), "wrong type", f"`{name}` must be a mapping", f"write `{name}:` and keys under it"
    )


def _setting(known: Known, path: Path, value: Any, versions: Sequence[str]) -> Line:
    if not fits(known, value):
        return Line(path, value, "wrong type", _mismatch(known, value), _number_remedy(known, value))
    if not any(reads(version, known.path) for version in versions):
        return Line(path, value, "ignored", f"Hermes {' and '.join(versions)} does not read it", "hermes@0.22 reads it")
    return Line(path, value, "works", known.means)


def _mismatch(known: Known, value: Any) -> str:
    shown = f"the text '{value}'" if isinstance(value, str) else "nothing" if value is None else f"`{_plain(value)}`"
    unit = f" ({known.unit})" if known.unit else ""
    null = " or null" if known.nullable else ""
    return f"`{known.path}` must be {EXPECTED[known.kind]}{null}{unit}, not {shown}"


def _plain(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _number_remedy(known: Known, value: Any) -> str:
    """The number that a suffix stands for; Hermes itself reads no suffixes."""
    if isinstance(value, str) and known.kind in {"whole", "number"}:
        from sim.units import parse_seconds, parse_share, parse_tokens

        reader = parse_seconds if known.unit == "seconds" else parse_share if "share" in known.unit else parse_tokens
        try:
            number = reader(value.replace("_", "").replace(",", ""))
        except ValueError:
            pass
        else:
            shown = int(number) if float(number).is_integer() else number
            return f"write {shown}; suffixes and quotes are not numbers to Hermes"
    return f"write for example {known.example or 'a text in quotes'}"


def stranger(path: Path, value: Any) -> Line:
    """Judge a key that is no setting of ours at this place."""
    name, shown = dotted(path), _shown(path, value)
    if name in RENAMED:
        home = RENAMED[name]
        return Line(path, shown, "renamed", f"renamed; Hermes reads `{home}`", f"write it as `{home}`", home)
    leaf, block = str(path[-1]), path[:-1]
    if _other(path):
        return Line(path, shown, "skipped", "no bearing on context or cost")
    found = homes(leaf)
    if found:
        home = found[0]
        place = f"under `{dotted(block)}`" if block else "at the top level"
        return Line(
            path, shown, "misplaced", f"Hermes does not read it {place}", f"it belongs to `{_parent(home)}:`", home
        )
    siblings = _siblings(block)
    near = difflib.get_close_matches(leaf, siblings, n=1, cutoff=0.75)
    if near:
        return Line(path, shown, "unknown", "no such setting", f"did you mean `{near[0]}`?", dotted((*block, near[0])))
    if not block:
        return Line(path, shown, "skipped", "no bearing on context or cost")
    away = difflib.get_close_matches(leaf, sorted({k.leaf for k in KNOWN}), n=1, cutoff=0.8)
    if away:
        home = homes(away[0])[0]
        return Line(path, shown, "unknown", "no such setting", f"did you mean `{home}`?", home)
    return Line(path, shown, "unknown", "no such setting", f"`{dotted(block)}` takes {', '.join(siblings)}")


def _other(path: Path) -> bool:
    """Settings that Hermes reads and that do not concern us."""
    names = [dotted(path[: i + 1]) for i in range(len(path))]
    return any(n in OTHER for n in names)


def _parent(name: str) -> str:
    return name.rpartition(".")[0]


def _siblings(block: Path) -> list[str]:
    if not block:
        return list(BLOCKS)
    prefix = dotted(block) + "."
    return list(dict.fromkeys(k.path[len(prefix) :].partition(".")[0] for k in KNOWN if k.path.startswith(prefix)))


def _shown(path: Path, value: Any) -> Any:
    """The value without secrets: those of secret keys, and those inside mappings we do not know."""
    if any(is_secret(str(p)) for p in path):
        return "•••"
    if isinstance(value, Mapping):
        return f"{{{len(value)} keys}}"
    if isinstance(value, list):
        return f"[{len(value)} items]"
    return value
