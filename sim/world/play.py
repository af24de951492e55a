"""One replication of one arm: its sessions meet in one SimPy world."""

from __future__ import annotations

from collections.abc import Sequence

from sim.ledger import Ledger
from sim.provider.seam import PromptCache
from sim.streams import Streams
from sim.workload.script import Script
from sim.world.setup import Setup


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
    env.run()
    return ledger
