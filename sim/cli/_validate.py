"""What `validate` says of one file: a scenario's findings and triggers, or a Hermes config line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sim.cli import _out
from sim.cli._words import status_word, word
from sim.errors import HermesSimError, InputError, UsageError

if TYPE_CHECKING:
    from sim.scenario import Finding, HermesConfig, Scenario
    from sim.scenario.reader import Document

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

        console = _out.console()
        if self.lines:
            console.print(Text(self.file, style="bold"))
            _show_lines(self.lines, lang)
        for item in self.findings:
            if not self.lines or item.level == "error":
                console.print(Text(f"{item.level}: ", style=_STYLE[item.level]).append(str(item), style="default"))
        if self.triggers:
            _show_triggers(self.triggers, self.kind, lang)
        if not self.findings:
            console.print(Text(f"{self.file}: {word('ok', lang)}"))


def check_file(path: str, engine: str, overrides: Sequence[str]) -> CheckedFile:
    """Check one file, whichever of the two kinds it is."""
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
        from sim.errors import Where

        where = error.where or Where(path)
        return CheckedFile(path, "scenario", [Finding("error", error.message, where, (), error.rule, error.remedy)])
    findings = [*errors_of(checked.findings), *checked.warnings]
    result = CheckedFile(path, "scenario", findings)
    if checked.scenario is not None:
        result.triggers = _explain(path, (), (), overrides)
        result.findings += _collapsed(checked.scenario, result.triggers)
    result.findings.sort(key=lambda f: (f.where.file, f.where.line, f.where.col))
    return result


def _explain(
    path: str, windows: Sequence[str], engines: Sequence[str], overrides: Sequence[str]
) -> list[dict[str, Any]]:
    """`explain`'s rows; none when an engine that would have to be asked is missing."""
    from sim.api import explain

    try:
        return [dict(row) for row in explain(path, windows=windows, engines=engines, set=overrides).json()["rows"]]
    except InputError:
        raise
    except HermesSimError as error:
        _out.warning(f"{path}: triggers are not shown: {error}")
        return []


def _collapsed(scenario: Scenario, triggers: Sequence[dict[str, Any]]) -> list[Finding]:
    """A warning for each set of arms that differ in their settings and fire at one and the same trigger."""
    from sim.errors import Where
    from sim.scenario.finding import Finding

    groups: dict[tuple[Any, ...], list[str]] = {}
    for row in triggers:
        if row.get("trigger_tokens") is not None:
            groups.setdefault((row["trigger_tokens"], row.get("window")), []).append(str(row["arm"]))
    found = []
    for (trigger, window), arms in groups.items():
        settings = {str(scenario.arm(a).settings.get("compression")) for a in arms}
        if len(arms) > 1 and len(settings) > 1:
            rules = {str(r.get("trigger_rule")) for r in triggers if r["arm"] in arms}
            found.append(
                Finding(
                    "warning",
                    f"arms {', '.join(arms)} fire at one and the same trigger, {trigger:,} tokens of {window:,}",
                    Where(scenario.source),
                    ("arms",),
                    f"decided by {' and '.join(sorted(rules))}",
                    "`hermes-sim explain` shows which rule sets each trigger",
                )
            )
    return found


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
    triggers = _explain(path, WINDOWS, (spec.label,), ())
    return CheckedFile(path, "config", config.findings, _lines(config, triggers), triggers)


def _lines(config: HermesConfig, triggers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for line in config.lines:
        where = config.document.where(line.path, key=True)
        why = line.why
        if line.name in {"compression.threshold", "compression.threshold_tokens"} and triggers:
            why = f"{why}: {_at_windows(triggers)}"
        found.append(
            {
                "line": where.line,
                "col": where.col,
                "setting": line.name,
                "value": line.value,
                "status": line.status,
                "why": why,
                "remedy": line.remedy,
                "belongs_to": line.home,
            }
        )
    return found


def _at_windows(triggers: Sequence[dict[str, Any]]) -> str:
    parts = [
        f"{row['trigger_tokens']:,} at a window of {row['window']:,} ({row['trigger_rule']})"
        for row in triggers
        if row.get("trigger_tokens") is not None
    ]
    return "fires at " + ", ".join(parts)


def _show_lines(lines: Sequence[dict[str, Any]], lang: str) -> None:
    from rich.text import Text

    from sim.cli._table import Column, print_table

    rows = [
        {
            "line": line["line"],
            "setting": line["setting"],
            "value": _value(line["value"]),
            "status": Text(status_word(line["status"], lang), style=_STYLE.get(line["status"], "red")),
            "why": "; ".join(part for part in (line["why"], line["remedy"]) if part),
        }
        for line in lines
    ]
    print_table(
        rows,
        [
            Column("line", word("line", lang), right=True),
            Column("setting", word("setting", lang), wrap=True),
            Column("value", word("value", lang), wrap=True),
            Column("status", word("what", lang), wrap=True),
            Column("why", word("why", lang), wrap=True),
        ],
    )


def _value(value: Any) -> str:
    if value is None:
        return "null"
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _show_triggers(triggers: Sequence[dict[str, Any]], kind: str, lang: str) -> None:
    from sim.cli._explain import explain_table

    explain_table(triggers, lang, arms=kind == "scenario")
