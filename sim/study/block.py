"""One block of work: a replication, all arms on the same scripts. Runs in this process or in a worker."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING

from sim.ledger import Ledger
from sim.streams import Streams
from sim.study.fleet import FleetPlayer
from sim.study.prepare import BlockTask, Workbench
from sim.world import play

if TYPE_CHECKING:
    from sim.workload.script import Script

_bench: Workbench | None = None


def worker_bench() -> Workbench:
    """This process's workbench; its engines live until the process ends."""
    global _bench
    if _bench is None:
        _bench = Workbench()
        atexit.register(_bench.close)
    return _bench


def run_block(task: BlockTask) -> Ledger:
    """Play one replication; the result depends on the task alone, never on which process runs it."""
    return play_block(worker_bench(), task)


def play_block(bench: Workbench, task: BlockTask) -> Ledger:
    """Play one replication of every arm with a given workbench."""
    if task.scenario.fleet is not None:
        return FleetPlayer(bench, task.scenario).play(task.replication)
    ledger = Ledger()
    drawn: dict[str, list[Script]] = {}
    streams = Streams(task.scenario.seed).child("replication", task.replication)
    for arm in task.scenario.arms:
        setup = bench.setup(task.scenario, arm)
        scripts = bench.scripts(task.scenario, task.replication, drawn, arm)
        ledger.extend(play(setup, scripts, replication=task.replication, streams=streams))
    return ledger
