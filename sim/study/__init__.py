"""Replications on common random numbers, pairing of arms, intervals.

Offers:
    study                     plays a scenario's replications through an executor into a run folder
    compare                   ledger tables → the comparison (`run --json`'s arms and pairs)
    paired_interval           mean with a BCa interval
"""

from sim.study.compare import compare
from sim.study.interval import paired_interval
from sim.study.study import study

__all__ = ["compare", "paired_interval", "study"]
