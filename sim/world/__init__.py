"""SimPy processes that play a script under one arm, and how they meet.

Offers:
    Setup                     everything one arm plays with: engine, cache and prices, settings
    play                      one replication of one arm → Ledger
    Member, play_fleet        a span of many sessions on one account → Ledger
    KeepAlive                 pings that keep the cache warm during pauses
"""

from sim.world.fleet import Member, play_fleet
from sim.world.play import play
from sim.world.setup import AuxiliaryRoute, KeepAlive, Setup

__all__ = ["AuxiliaryRoute", "KeepAlive", "Member", "Setup", "play", "play_fleet"]
