"""Engine `dual` keeps every rule of the engine contract, in each of its orders and on a small window."""

from __future__ import annotations

import pytest

from sim.engine.conformance import CHECKS, Conformance
from sim.engine.dual import DualEngine

SUITES = {
    "default": Conformance(DualEngine),
    "cache-aware, context-aware, adaptive": Conformance(
        DualEngine, settings={"dual": {"order": "cache-aware", "context_aware": True, "recent": "adaptive"}}
    ),
    "small window": Conformance(DualEngine, window=16_000, settings={"dual": {"order": "oldest-first"}}),
}


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("check", CHECKS)
def test_conformance(suite, check):
    SUITES[suite].check(check)
