"""The shared engine suite on both Hermes versions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sim.engine.hermes.client import open_hermes
from sim.testing import CHECKS, Conformance

PRUNING = {
    "compression": {
        "threshold": 0.5,
        "proactive_prune_tokens": 20_000,
        "proactive_prune_min_result_chars": 1_000,
        "idle_compact_after_seconds": 600,
    }
}


@pytest.fixture(
    scope="module", params=[("0.22", {}), ("0.22", PRUNING), ("0.19", {})], ids=["late", "pruning", "early"]
)
def suite(request: pytest.FixtureRequest, interpreters: dict[str, str]) -> Iterator[Conformance]:
    label, settings = request.param
    with Conformance(lambda: open_hermes(interpreters[label], label), settings=settings) as opened:
        yield opened


@pytest.mark.parametrize("name", CHECKS)
def test_conformance(suite: Conformance, name: str) -> None:
    suite.check(name)
