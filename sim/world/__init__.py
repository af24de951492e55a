"""SimPy processes that play a script under one arm, and how they meet.

Offers:
    Setup                     everything one arm plays with: engine, cache and prices, settings
    play                      one replication of one arm → Ledger
    Requests                  optional sink for request bodies as they would be sent
"""

from sim.world.play import play
from sim.world.setup import AuxiliaryRoute, Setup

__all__ = ["AuxiliaryRoute", "Setup", "play"]
