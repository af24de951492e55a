"""Many sessions of several groups on one account, in one SimPy world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.ledger import Ledger
from sim.provider.limits import AccountLimits
from sim.provider.seam import PromptCache
from sim.streams import Streams
from sim.workload.script import Script
from sim.world.play import run_to_end
from sim.world.setup import Setup


@dataclass(frozen=True, slots=True)
class Member:
    """One session of a fleet.

    Attributes:
        setup: the arm as its group has it (model, window).
        script: the session; it starts at its own `started_at`.
        group: name of its group.
        recorded: False for a session that only loads the account and the cache, and leaves no rows.
    """

    setup: Setup
    script: Script
    group: str
    recorded: bool = True


def play_fleet(
    members: Sequence[Member], limits: AccountLimits, *, started_at: float, replication: int, streams: Streams
) -> Ledger:
    """Play a span: sessions share the prompt caches (one a model) and the account's limits, each plays to its end.

    Args:
        members: the sessions.
        limits: of the account.
        started_at: wall-clock seconds (UTC) at which the span begins.
        replication: number for the records.
        streams: the replication's random streams; the same for every arm.

    Returns:
        What happened to the recorded sessions, in simulated order.
    """
    import simpy

    from sim.world.account import Account
    from sim.world.session import Session

    ledger, unseen = Ledger(), Ledger()
    caches: dict[str, PromptCache] = {}
    env = simpy.Environment()
    account = Account(env, started_at, limits)
    for member in members:
        own = streams.child("world", member.script.session)
        session = Session(
            env,
            started_at,
            member.setup,
            member.script,
            caches,
            own,
            replication,
            ledger if member.recorded else unseen,
            account,
            member.group,
        )
        env.process(session.run())
    run_to_end(env)
    return ledger
