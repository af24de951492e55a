"""Load, check and write scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any

from sim.errors import ScenarioError, Where
from sim.scenario.check import check_shape
from sim.scenario.config import looks_like_config
from sim.scenario.finding import Finding, errors_of, raise_errors
from sim.scenario.lookups import check_lookups
from sim.scenario.model import Scenario
from sim.scenario.override import apply_overrides
from sim.scenario.reader import AMBIGUOUS, Document, read_file
from sim.scenario.resolve import resolve


@dataclass(frozen=True, slots=True)
class Checked:
    """A scenario and all there is to say about it; `scenario` is None when there are errors."""

    scenario: Scenario | None
    findings: list[Finding]

    @property
    def warnings(self) -> list[Finding]:
        """What does not stop a run."""
        return [f for f in self.findings if f.level != "error"]

    def require(self) -> Scenario:
        """The scenario.

        Raises:
            ScenarioError, ManyErrors: every error found, together.
        """
        raise_errors(self.findings)
        assert self.scenario is not None
        return self.scenario


def check_scenario(path: FilePath | str, *, overrides: Sequence[str] = ()) -> Checked:
    """Read and check a scenario file without running anything.

    Raises:
        ScenarioError: the file cannot be read as keys and values at all.
        UsageError: an override names nothing.
    """
    return check_document(read_file(path), path, overrides)


def check_document(document: Document, path: FilePath | str, overrides: Sequence[str] = ()) -> Checked:
    """Check a scenario document that was read already.

    Raises:
        ScenarioError: it is a Hermes config.
        UsageError: an override names nothing.
    """
    if looks_like_config(document.data):
        raise ScenarioError(
            "this is a Hermes config, not a scenario",
            where=Where(str(path)),
            remedy="see what it does with `hermes-sim explain`, or point an arm at it with `config: PATH`",
        )
    file = FilePath(path)
    return _check(document, overrides, name=file.stem, source=str(path), base_dir=str(file.parent))


def load_scenario(path: FilePath | str, *, overrides: Sequence[str] = ()) -> Scenario:
    """Load a scenario file.

    Args:
        path: the file.
        overrides: `path=value` each, as `--set` takes them.

    Raises:
        ScenarioError, ManyErrors: what is wrong, each with file, line and column, rule and remedy.
    """
    return check_scenario(path, overrides=overrides).require()


def validate_scenario(path: FilePath | str, *, overrides: Sequence[str] = ()) -> list[Finding]:
    """Everything a check finds: errors, warnings and notes in file order."""
    try:
        found = check_scenario(path, overrides=overrides).findings
    except ScenarioError as error:
        where = error.where or Where(str(path))
        return [Finding("error", error.message, where, (), error.rule, error.remedy)]
    rest = [f for f in found if f.level != "error"]
    return sorted([*errors_of(found), *rest], key=lambda f: (f.where.file, f.where.line, f.where.col))


def from_mapping(
    data: Mapping[str, Any], *, name: str = "scenario", base_dir: FilePath | str = ".", overrides: Sequence[str] = ()
) -> Scenario:
    """A scenario from plain data with the same keys as a file, for notebooks and programs.

    Raises:
        ScenarioError, ManyErrors: what is wrong, each with the path of the value.
    """
    import copy

    document = Document(name, copy.deepcopy(dict(data)))
    return _check(document, overrides, name=name, source=name, base_dir=str(base_dir)).require()


def _combined(findings: list[Finding]) -> list[Finding]:
    """One error for a value that readers differ about and that is of the wrong type besides."""
    unclear = {f.path: f for f in findings if f.rule == AMBIGUOUS}
    kept: list[Finding] = []
    for item in findings:
        first = unclear.get(item.path)
        if first is None or item is first or item.level != "error":
            kept.append(item)
        elif not any(c.isdigit() for c in first.remedy or ""):
            better = replace(first, remedy=f"{item.message}: {item.remedy}")
            kept[kept.index(first)] = better
    return kept


def _check(document: Document, overrides: Sequence[str], *, name: str, source: str, base_dir: str) -> Checked:
    apply_overrides(document, overrides)
    file, findings = check_shape(document)
    if file is None:
        return Checked(None, findings)
    scenario, more = resolve(file, document, name=name, source=source, base_dir=base_dir)
    findings = _combined([*findings, *more])
    if scenario is not None:
        findings += check_lookups(scenario, document)
    if any(f.level == "error" for f in findings):
        scenario = None
    # Arms that share a config file or `defaults:` find the same things in it.
    return Checked(scenario, list(dict.fromkeys(findings)))
