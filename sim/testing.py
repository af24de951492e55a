"""Suites that prove a user's own parts.

Offers:
    run_conformance, Conformance, CHECKS   every rule of an engine, at once or check by check
    ConformanceError                       a broken rule
"""

from sim.engine.conformance import CHECKS, Conformance, ConformanceError, run_conformance

__all__ = ["CHECKS", "Conformance", "ConformanceError", "run_conformance"]
