"""What a check found: a level, a place, the rule, and what to try next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sim.errors import InputError, ManyErrors, ScenarioError, Where

Level: TypeAlias = Literal["error", "warning", "note"]
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a check has to say about a file.

    Attributes:
        level: `error` stops a run, `warning` changes what it means, `note` is worth knowing.
        path: keys from the top of the file to the value concerned.
        rule: the rule behind it, in a few words.
        remedy: what to write instead.
    """

    level: Level
    message: str
    where: Where
    path: Path = ()
    rule: str | None = None
    remedy: str | None = None

    def __str__(self) -> str:
        return str(self.as_error())

    def as_error(self, kind: type[InputError] = ScenarioError) -> InputError:
        """The same as an exception."""
        return kind(self.message, where=self.where, remedy=self.remedy, rule=self.rule)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        return {
            "level": self.level,
            "file": self.where.file,
            "line": self.where.line or None,
            "col": self.where.col or None,
            "path": dotted(self.path),
            "message": self.message,
            "rule": self.rule,
            "remedy": self.remedy,
        }


def dotted(path: Path) -> str:
    """`compression.threshold`, `workload.transcripts[0]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def errors_of(findings: Iterable[Finding]) -> list[Finding]:
    """The errors among them, in file order, one for each place and message."""
    seen: dict[tuple[Any, ...], Finding] = {}
    for item in findings:
        if item.level == "error":
            seen.setdefault((item.where, item.message), item)
    return sorted(seen.values(), key=lambda f: (f.where.file, f.where.line, f.where.col))


def raise_errors(findings: Iterable[Finding], kind: type[InputError] = ScenarioError) -> None:
    """Raise all errors together; nothing when there are none.

    Raises:
        ScenarioError, ConfigError: exactly one error.
        ManyErrors: several.
    """
    errors = [f.as_error(kind) for f in errors_of(findings)]
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ManyErrors(errors)
