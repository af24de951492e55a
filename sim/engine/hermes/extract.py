"""Reads the engines' own default configuration into `defaults/*.json`: `python -m sim.engine.hermes.extract`.

To be run again when a lock moves to another Hermes; a test compares the files with the installed packages.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sim.engine.hermes import envs
from sim.engine.hermes.versions import VERSIONS

HOW = "python -m sim.engine.hermes.extract: DEFAULT_CONFIG of hermes_cli.config, read in that version's own environment"


def extract(version: str) -> dict[str, Any]:
    """What the installed package says its defaults are.

    Raises:
        EngineMissing: not installed.
        EngineError: it cannot be read.
    """
    return {"made_by": HOW, **envs.probe(envs.ensure(version), "defaults")}


def main() -> None:
    """Write every version's file."""
    for version in VERSIONS:
        target = Path(__file__).parent / "defaults" / f"hermes-{version}.json"
        target.write_text(json.dumps(extract(version), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
