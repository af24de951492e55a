"""Prompt caches, one family a module; all answer `serve(prompt, marks, now, …)`.

Offers:
    BreakpointCache           entries only where a request marked them (Anthropic, OpenAI from 5.6, Qwen, Kimi K3)
    IntervalCache             automatic, any prefix down to a step (OpenAI up to 5.5, Kimi, Mistral, Grok, Gemini)
    UnitCache                 whole units only (DeepSeek)
    BlockCache                full blocks until memory is needed (vLLM, SGLang)
    ObjectCache               named objects that pay rent (Gemini `cachedContents`)
    NoCache                   nothing is ever read
"""

from sim.provider.cache.block import BlockCache, BlockRules
from sim.provider.cache.breakpoint import BreakpointCache, BreakpointRules
from sim.provider.cache.interval import IntervalCache, IntervalRules
from sim.provider.cache.none import NoCache
from sim.provider.cache.objects import ObjectCache, ObjectRules
from sim.provider.cache.unit import UnitCache, UnitRules

__all__ = [
    "BlockCache",
    "BlockRules",
    "BreakpointCache",
    "BreakpointRules",
    "IntervalCache",
    "IntervalRules",
    "NoCache",
    "ObjectCache",
    "ObjectRules",
    "UnitCache",
    "UnitRules",
]
