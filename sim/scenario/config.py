"""A real Hermes `config.yaml`: its blocks that concern us, and what becomes of each line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from sim.scenario.blocks import Line, check_blocks
from sim.scenario.finding import Finding
from sim.scenario.hermes_keys import BLOCKS
from sim.scenario.reader import Document, read_file

RULES = {
    "ignored": "ignored",
    "misplaced": "misplaced",
    "renamed": "renamed",
    "unknown": "unknown key",
    "wrong type": "wrong type",
}
"""Rule named in the finding for each status that is worth one."""
SCENARIO_KEYS = frozenset({"schema", "arms", "workload", "baseline", "replications"})


@dataclass(frozen=True, slots=True)
class HermesConfig:
    """A config as an arm takes it.

    Attributes:
        settings: Hermes's blocks with the settings that the version reads and that concern us; no secrets.
        lines: every setting of the file that concerns us, with what becomes of it.
        findings: the same problems as warnings with places.
        origins: dotted setting → `file:line:col`.
        misplaced: dotted setting as found → where it belongs.
        model: name of the main model, if the file names one.
    """

    settings: dict[str, Any]
    lines: list[Line]
    findings: list[Finding]
    document: Document
    origins: dict[str, str] = field(default_factory=dict)
    misplaced: dict[str, str] = field(default_factory=dict)
    model: str | None = None


def looks_like_config(data: Mapping[str, Any]) -> bool:
    """Whether a mapping is a Hermes config rather than a scenario."""
    return not SCENARIO_KEYS & set(data) and bool(set(data) & {*BLOCKS, "agent", "terminal", "_config_version"})


def read_config(path: FilePath | str, version: str = "0.22") -> HermesConfig:
    """Read a Hermes config as Hermes reads it (YAML 1.1, later duplicate wins).

    Raises:
        ConfigError: missing, not text, not YAML, empty, or not a mapping.
    """
    return judge_config(read_file(path, strict=False), version)


def judge_config(document: Document, version: str) -> HermesConfig:
    """Judge a config that was read already."""
    lines = check_blocks(document.data, version)
    settings: dict[str, Any] = {}
    origins: dict[str, str] = {}
    misplaced: dict[str, str] = {}
    for line in lines:
        if line.status == "works":
            _put(settings, line)
            origins[line.name] = str(document.where(line.path, key=True))
        elif line.home and line.status in {"misplaced", "renamed"}:
            misplaced[line.name] = line.home
    model = settings.get("model")
    if isinstance(model, str):
        settings["model"] = {"default": model}
    name = settings.get("model", {}).get("default") if settings.get("model") else None
    findings = [*document.findings, *(_finding(line, document) for line in lines if line.status in RULES)]
    return HermesConfig(settings, lines, findings, document, origins, misplaced, name)


def _put(settings: dict[str, Any], line: Line) -> None:
    node = settings
    for key in line.path[:-1]:
        node = node.setdefault(str(key), {})
    node[str(line.path[-1])] = line.value


def _finding(line: Line, document: Document) -> Finding:
    return Finding(
        "warning",
        f"`{line.name}`: {line.why}",
        document.where(line.path, key=True),
        line.path,
        RULES.get(line.status),
        line.remedy,
    )
