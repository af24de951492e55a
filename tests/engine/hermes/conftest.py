"""Engines for the tests of this folder, installed from the project's own locks when missing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sim.engine.hermes import envs
from sim.engine.hermes.client import HermesEngine


@pytest.fixture(scope="session")
def interpreters() -> dict[str, str]:
    """Version label to interpreter."""
    return {label: str(envs.ensure(label)) for label in ("0.19", "0.22")}


@pytest.fixture(scope="session")
def engines(interpreters: dict[str, str]) -> Iterator[dict[str, HermesEngine]]:
    """One engine a version, its host kept for all tests."""
    opened = {label: HermesEngine(path, label) for label, path in interpreters.items()}
    yield opened
    for engine in opened.values():
        engine.close()


@pytest.fixture
def late(engines: dict[str, HermesEngine]) -> HermesEngine:
    """Hermes 0.22."""
    return engines["0.22"]


@pytest.fixture
def early(engines: dict[str, HermesEngine]) -> HermesEngine:
    """Hermes 0.19."""
    return engines["0.19"]
