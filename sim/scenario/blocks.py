"""What becomes of each line of Hermes's blocks: works, ignored, misplaced, renamed, unknown, wrong type, skipped.

The judgement is the engine room's (`sim.engine.hermes.settings`); here it is put in file order, with what a setting
means and what to write instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sim.engine.hermes.settings import Judgement, Remark, shown
from sim.engine.hermes.settings import check_blocks as judge
from sim.scenario.finding import Path, dotted
from sim.scenario.hermes_keys import BY_PATH, Known, number_meant

Status: TypeAlias = Literal["works", "ignored", "misplaced", "renamed", "unknown", "wrong type", "skipped"]
UNCONCERNED = "no bearing on context or cost"


@dataclass(frozen=True, slots=True)
class Line:
    """One setting of a Hermes config and what becomes of it.

    Attributes:
        path: keys from the top of the config.
        value: as read; secrets are never kept (`•••`).
        why: in one sentence.
        remedy: what to write instead, None when nothing is wrong.
        home: where the setting belongs, for misplaced, renamed and misspelt ones.
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


def check_blocks(config: Mapping[str, Any], version: str) -> list[Line]:
    """Judge every setting of a Hermes config, or of a scenario arm's blocks.

    Args:
        config: plain data as Hermes reads it.
        version: `0.19` or `0.22`.

    Returns:
        One line for each setting, in file order; a section that does not concern us is one line.
    """
    verdict = judge(version, config)
    told = _told(verdict)
    return list(_walk(config, (), told, version))


def _told(verdict: Judgement) -> dict[str, Line]:
    lines: dict[str, Line] = {}
    for item in verdict.ignored:
        lines.setdefault(item.setting, Line((), item.value, "ignored", item.reason))
    for status, remarks in (
        ("misplaced", verdict.misplaced),
        ("renamed", verdict.renamed),
        ("unknown", verdict.unknown),
        ("wrong type", verdict.wrong_type),
    ):
        for remark in remarks:
            lines[remark.path] = _line(status, remark)  # type: ignore[arg-type]  # the literals above
    return lines


def _line(status: Status, remark: Remark) -> Line:
    why, _, hint = remark.reason.partition("; ")
    remedy: str | None = hint or None
    if status == "misplaced" and remark.home:
        remedy = f"it belongs to `{remark.home.rpartition('.')[0]}:`"
    elif status == "renamed" and remark.home:
        why, remedy = "this is an old name", f"write it as `{remark.home}`"
    elif status == "unknown":
        block = remark.path.rpartition(".")[0]
        if remark.home:
            beside = remark.home.rpartition(".")[0] == block
            remedy = f"did you mean `{remark.home.rpartition('.')[2] if beside else remark.home}`?"
        else:
            remedy = f"`{block}` takes {', '.join(_children(block))}"
    return Line((), remark.value, status, why, remedy, remark.home)


def _children(block: str) -> list[str]:
    start = block + "."
    found = [known.path[len(start) :].partition(".")[0] for known in BY_PATH.values() if known.path.startswith(start)]
    return list(dict.fromkeys(found))


def _walk(node: Mapping[str, Any], at: Path, told: Mapping[str, Line], version: str) -> Iterator[Line]:
    for key, value in node.items():
        path = (*at, str(key))
        name = dotted(path)
        line = told.get(name)
        known = BY_PATH.get(name)
        if line is not None:
            yield _placed(line, path, value, known)
        elif known is not None:
            yield Line(path, value, "works", known.means)
        elif name == "model" and isinstance(value, str):
            if value:
                yield Line(path, value, "works", "the main model")
        elif isinstance(value, Mapping) and _ours(name, told):
            yield from _walk(value, path, told, version)
        elif value is not None or not _ours(name, told):
            yield Line(path, shown(name, value), "skipped", UNCONCERNED)


def _ours(name: str, told: Mapping[str, Line]) -> bool:
    """Whether a mapping holds settings that concern us, or that something is said of."""
    start = name + "."
    return any(p.startswith(start) for p in BY_PATH) or any(p.startswith(start) for p in told)


def _placed(line: Line, path: Path, value: Any, known: Known | None) -> Line:
    """A line of the judgement at its place, with the unit and the number meant for a value of the wrong kind."""
    why, remedy = line.why, line.remedy
    if line.status == "wrong type":
        if known is None:
            remedy = "write keys and values under it"
        else:
            unit = f" ({known.unit})" if known.unit else ""
            why = why.replace(", not ", f"{unit}, not ", 1)
            remedy = number_meant(known, value) or f"write for example {known.example or 'a text in quotes'}"
    kept = value if known is not None and line.status == "ignored" else line.value
    return Line(path, kept, line.status, why, remedy, line.home)
