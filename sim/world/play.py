"""One replication of one arm: its sessions meet in one SimPy world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.errors import HermesSimError
from sim.ledger import Ledger
from sim.provider.seam import PromptCache
from sim.streams import Streams
from sim.workload.script import Script
from sim.world.setup import Setup

if TYPE_CHECKING:
    import simpy


def play(setup: Setup, scripts: Sequence[Script], *, replication: int, streams: Streams) -> Ledger:
    """Play every script under one arm.

    Args:
        setup: the arm.
        scripts: the replication's sessions; each starts at its own `started_at`.
        replication: number for the records.
        streams: the replication's random streams; the same for every arm.

    Returns:
        What happened, in simulated order.
    """
    import simpy

    from sim.world.session import Session

    ledger = Ledger()
    caches: dict[str, PromptCache] = {}
    base = min((script.started_at for script in scripts), default=0.0)
    env = simpy.Environment()
    for script in scripts:
        own = streams.child("world", script.session)
        env.process(Session(env, base, setup, script, caches, own, replication, ledger).run())
    run_to_end(env)
    return ledger


def run_to_end(env: simpy.Environment) -> None:
    """Run a world until nothing is left to happen.

    SimPy raises a copy of a process's error that is made from its arguments alone, so place, rule and remedy would be
    lost; the error itself is raised instead.
    """
    try:
        env.run()
    except HermesSimError as copy:
        original = copy.__cause__
        if isinstance(original, HermesSimError):
            raise original from None
        raise
