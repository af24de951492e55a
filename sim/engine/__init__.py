"""Compression engines behind one contract.

Offers:
    Engine, EngineSession     what an engine is
    Open, EngineInfo          how a session starts, what its settings came to
    Rewrite, Attempt, Outcome what a hook did
    AuxRequest, AuxReply      a model call made by an engine, decided by the world
    open_engine               the engine a scenario names (none.py, parametric.py, dual/, hermes/, or a user's class)
    (conformance.py)          the suite every engine passes; users take it from `sim.testing`
"""

from sim.engine.contract import (
    NOTHING,
    Attempt,
    AuxFailure,
    AuxReply,
    AuxRequest,
    Engine,
    EngineInfo,
    EngineSession,
    Hook,
    Ignored,
    Open,
    Outcome,
    Rates,
    Rewrite,
    Usage,
    nothing,
)
from sim.engine.factory import open_engine

__all__ = [
    "NOTHING",
    "Attempt",
    "AuxFailure",
    "AuxReply",
    "AuxRequest",
    "Engine",
    "EngineInfo",
    "EngineSession",
    "Hook",
    "Ignored",
    "Open",
    "Outcome",
    "Rates",
    "Rewrite",
    "Usage",
    "nothing",
    "open_engine",
]
