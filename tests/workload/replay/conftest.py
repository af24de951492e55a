"""One token counter for all replay tests: rows are counted once a session of tests."""

from __future__ import annotations

import pytest

from sim.history import RowMaker
from sim.tokens import token_model


@pytest.fixture(scope="session")
def maker() -> RowMaker:
    """Counts of the family most samples were recorded with."""
    return RowMaker(token_model("claude-sonnet-4-5"))
