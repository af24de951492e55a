"""The scenario that `hermes-sim init` writes."""

from __future__ import annotations

from importlib.resources import files


def starter_yaml() -> str:
    """A commented scenario that validates and runs as it is."""
    return (files("sim.scenario") / "starter.yaml").read_text("utf-8")
