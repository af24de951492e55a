"""Prompt caches, one family a module; all answer `serve(prompt, marks, now)`.

Offers:
    BreakpointCache           entries only where a request marked them (Anthropic)
    IntervalCache             automatic, any prefix down to a step (OpenAI up to 5.5, DeepSeek)
    NoCache                   nothing is ever read
"""

from sim.provider.cache.breakpoint import BreakpointCache, BreakpointRules
from sim.provider.cache.interval import IntervalCache, IntervalRules
from sim.provider.cache.none import NoCache

__all__ = ["BreakpointCache", "BreakpointRules", "IntervalCache", "IntervalRules", "NoCache"]
