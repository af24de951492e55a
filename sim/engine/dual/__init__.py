"""The dual compression system of the seed chapter: a library over lists of chat messages, and engine `dual`.

Offers:
    DualCompressionSystem, CompressionResult   compress a list of chat messages, without a simulator
    DualSettings, read_settings                every knob, with the chapter's numbers as defaults
    DualEngine, DualSession                    the same as an engine of the simulator
    ToolOutputCompressor, Compressed, answer   one tool result; drive what may ask a model
    detect, find_zones                         content kind of a text; the sacred zones of a history
    cheapest_set                               the set of rewrites with the least cache damage
    Statistics, LogEntry, Loss, measure_loss   the compression log; what a rewrite dropped
    (metrics.py)                               Prometheus metrics with the chapter's names; needs prometheus_client
    Goal, stable_first, effectiveness          goal residency; prompt order; what caching saved
"""

from sim.engine.dual.cacheplan import CacheUse, Effectiveness, Part, effectiveness, from_anthropic, stable_first
from sim.engine.dual.compressor import Compressed, ToolOutputCompressor, answer, no_model
from sim.engine.dual.detect import Detection, detect
from sim.engine.dual.drift import Goal, GoalState
from sim.engine.dual.engine import DualEngine, DualSession
from sim.engine.dual.loss import Loss, measure_loss
from sim.engine.dual.orders import Candidate, cheapest_set, damage
from sim.engine.dual.settings import DualSettings, read_settings
from sim.engine.dual.statistics import LogEntry, Statistics
from sim.engine.dual.system import CompressionResult, DualCompressionSystem
from sim.engine.dual.zones import Zones, find_zones

__all__ = [
    "CacheUse",
    "Candidate",
    "Compressed",
    "CompressionResult",
    "Detection",
    "DualCompressionSystem",
    "DualEngine",
    "DualSession",
    "DualSettings",
    "Effectiveness",
    "Goal",
    "GoalState",
    "LogEntry",
    "Loss",
    "Part",
    "Statistics",
    "ToolOutputCompressor",
    "Zones",
    "answer",
    "cheapest_set",
    "damage",
    "detect",
    "effectiveness",
    "find_zones",
    "from_anthropic",
    "measure_loss",
    "no_model",
    "read_settings",
    "stable_first",
]
