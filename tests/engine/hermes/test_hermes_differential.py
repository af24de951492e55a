"""A sample of the differential campaign: our gates against the package's own, compared after every gate.

The full campaign is `make differential` (120 sessions and more); its figures are in docs/validation-engine.md.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from sim.engine.hermes.hostprocess import environment, host_folder

CAMPAIGN = Path(__file__).parent / "differential" / "hermes_campaign.py"


@pytest.mark.parametrize("first", [99, 3])
def test_gates_agree_with_the_packages_own(interpreters: dict[str, str], first: int) -> None:
    """Session 99 once showed a prune that our gates missed (a pending round longer than the protected zone)."""
    command = [interpreters["0.22"], "-P", "-W", "ignore", str(CAMPAIGN), str(host_folder()), "2", str(first), "60"]
    done = subprocess.run(command, capture_output=True, env=environment(None), timeout=300, check=True)
    found = json.loads(done.stdout)
    assert found["differences"] == []
    assert found["tally"]["gates"] >= 200
    assert sum(count for gate, count in found["tally"].items() if "compaction" in gate or "prune" in gate) >= 5


def test_early_figures_agree_with_the_packages_own(interpreters: dict[str, str]) -> None:
    script = CAMPAIGN.with_name("hermes_sums.py")
    command = [interpreters["0.19"], "-P", "-W", "ignore", str(script), str(host_folder()), "3", "1", "50"]
    done = subprocess.run(command, capture_output=True, env=environment(None), timeout=300, check=True)
    found = json.loads(done.stdout)
    assert found["differences"] == []
    assert found["tally"]["gates"] >= 200
    assert found["tally"]["before_call compaction"] >= 3
