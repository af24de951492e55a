"""What `validate` says of one file: a scenario's findings and triggers, or a Hermes config line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sim.cli import _out
from sim.cli._words import status_word, word
from sim.errors import HermesSimError, InputError, UsageError, Where

if TYPE_CHECKING:
    from sim.scenario import Finding, HermesConfig
    from sim.scenario.reader import Document

_COMPARE = "`hermes-sim explain` shows which rule sets each trigger"
WINDOWS = ("200K", "260K", "1M")
"""Windows at which a config's trigger is shown."""
_STYLE = {"works": "green", "ignored": "yellow", "skipped": "dim", "error": "red", "warning": "yellow", "note": "dim"}


@dataclass(slots=True)
class CheckedFile:
    """One file's verdict.

    Attributes:
        kind: `scenario` or `config`.
        lines: of a config, every setting with what becomes of it.
        triggers: `explain`'s rows: of a scenario one for each arm, of a config one for each window.
    """

    file: str
    kind: str
    findings: list[Finding] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    triggers: list[dict[str, Any]] = field(default_factory=list)

    @property
    def errors(self) -> list[Finding]:
        """What stops a run."""
        return [f for f in self.findings if f.level == "error"]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        return {
            "file": self.file,
            "kind": self.kind,
            "ok": not self.errors,
            "findings": [f.as_dict() for f in self.findings],
            "lines": self.lines,
            "triggers": self.triggers,
        }

    def csv_rows(self) -> list[dict[str, Any]]:
        """One row a finding, or one a line of a config."""
        if self.kind == "config" and self.lines:
            return [{"file": self.file, **line} for line in self.lines]
        return [f.as_dict() for f in self.findings]

    def show(self, lang: str) -> None:
        """Print it for people."""
        from rich.text import Text

        fine = "" if self.findings else f": {word('ok', lang)}"
        _out.emit(Text(self.file, style="bold").append(fine, style="green"))
        if self.lines:
            _show_lines(self.lines, lang)
        for item in self.findings:
            if not self.lines or item.level == "error":
                _out.emit(Text(f"{item.level}: ", style=_STYLE[item.level]).append(str(item), style="default"))
        if self.triggers:
            print()
            _show_triggers(self.triggers, self.kind, lang)
        print()


@dataclass(slots=True)
class Explained:
    """What `explain` said: rows, settings without effect by window, arms with one trigger."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    ignored: list[dict[str, Any]] = field(default_factory=list)
    same: list[Finding] = field(default_factory=list)


def check_file(path: str, engine: str, overrides: Sequence[str]) -> CheckedFile:
    """Check one file, whichever of the two kinds it is."""
    from sim.cli._transcripts import examine
    from sim.scenario import looks_like_config
    from sim.scenario.finding import Finding, errors_of
    from sim.scenario.load import check_document
    from sim.scenario.reader import read_file

    try:
        lenient = read_file(path, strict=False)
        if looks_like_config(lenient.data):
            if overrides:
                raise UsageError("--set goes with a scenario, not with a Hermes config", remedy="edit the config")
            return _config(path, lenient, engine)
        checked = check_document(read_file(path), path, overrides)
    except InputError as error:
        where = error.where or Where(path)
        return CheckedFile(path, "scenario", [Finding("error", error.message, where, (), error.rule, error.remedy)])
    findings = [*errors_of(checked.findings), *checked.warnings]
    result = CheckedFile(path, "scenario", findings)
    if checked.scenario is not None:
        result.findings += examine(checked.scenario)
        explained = _explain(path, (), (), overrides)
        result.triggers = explained.rows
        result.findings += explained.same
    result.findings.sort(key=lambda f: (f.where.file, f.where.line, f.where.col))
    return result


def _explain(path: str, windows: Sequence[str], engines: Sequence[str], overrides: Sequence[str]) -> Explained:
    """`explain`'s rows and findings; none when an engine that would have to be asked is missing."""
    from sim.cli._progress import progress
    from sim.insight.explain import explain
    from sim.scenario.finding import Finding

    try:
        with progress() as note:
            explanation = explain(path, windows=windows, engines=engines, overrides=overrides, progress=note)
    except InputError:
        raise
    except HermesSimError as error:
        _out.warning(f"{path}: triggers are not shown: {error}")
        return Explained()
    document = explanation.json()
    arms = {said["text"]: said["arm"] for said in document["findings"]}
    found = [
        Finding("warning", f"arms {arm}: {text}" if "," in arm else text, Where(path), (), "one trigger", _COMPARE)
        for text, arm in arms.items()
    ]
    return Explained(list(document["rows"]), list(document["ignored"]), found)


# a Hermes config ------------------------------------------------------------------------------------------------


def _config(path: str, document: Document, engine: str) -> CheckedFile:
    from sim.scenario.config import judge_config
    from sim.scenario.engines import EngineFormError, parse_engine

    try:
        spec = parse_engine(engine)
    except EngineFormError as error:
        raise UsageError(str(error), remedy=error.remedy) from None
    if spec.kind != "hermes" or spec.version is None:
        raise UsageError(f"--engine {engine} reads no Hermes config", remedy="give hermes@0.19 or hermes@0.22")
    config = judge_config(document, spec.version)
    explained = _explain(path, WINDOWS, (spec.label,), ())
    return CheckedFile(path, "config", config.findings, _lines(config, explained), explained.rows)


def _lines(config: HermesConfig, explained: Explained) -> list[dict[str, Any]]:
    found = []
    for line in config.lines:
        where = config.document.where(line.path, key=True)
        notes = _notes(line.name, line.value, explained)
        found.append(
            {
                "line": where.line,
                "col": where.col,
                "setting": line.name,
                "value": line.value,
                "status": line.status,
                "why": line.why,
                "remedy": line.remedy,
                "belongs_to": line.home,
                "at_windows": notes,
            }
        )
    return found


def _notes(name: str, value: Any, explained: Explained) -> list[str]:
    """Where the setting's effect depends on the window."""
    if name == "compression.threshold" and isinstance(value, (int, float)):
        notes = []
        for row in explained.rows:
            plain = int(value * row["window"])
            if row["trigger_tokens"] not in (None, plain):
                notes.append(
                    f"window {row['window']:,}: fires at {row['trigger_tokens']:,} ({row['trigger_rule']}), "
                    f"not at {value:g} × {row['window']:,} = {plain:,}"
                )
        return notes
    return [
        f"window {item['window']:,}: no effect: {item['reason']}"
        for item in explained.ignored
        if item["setting"] == name and item["window"]
    ]


def _show_lines(lines: Sequence[dict[str, Any]], lang: str) -> None:
    """One setting after the other: line, what becomes of it, and why below."""
    from rich.cells import cell_len
    from rich.padding import Padding
    from rich.text import Text

    wide = max(cell_len(status_word(line["status"], lang)) for line in lines)
    for line in lines:
        verdict = status_word(line["status"], lang)
        verdict += " " * (wide - cell_len(verdict))
        status = Text(verdict, style=_STYLE.get(line["status"], "red"))
        head = Text(f"{line['line']:>4}  ").append(status)
        _out.emit(head.append(f"  {line['setting']}: {_value(line['value'])}"))
        why = "; ".join(part for part in (line["why"], line["remedy"]) if part)
        for text in (why, *line["at_windows"]):
            style = "dim" if text is why and line["status"] in {"works", "skipped"} else ""
            _out.emit(Padding(Text(text, style=style), (0, 0, 0, wide + 8), expand=False))


def _value(value: Any) -> str:
    if value is None:
        return "null"
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _show_triggers(triggers: Sequence[dict[str, Any]], kind: str, lang: str) -> None:
    from sim.cli._explain import explain_table

    explain_table(triggers, lang, arms=kind == "scenario")
