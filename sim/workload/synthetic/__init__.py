"""Synthetic sessions: person, agent and tools as SimPy processes, and the text they make.

Offers:
    Plan, make_plan           what happens in a session, in numbers: sizes, tools, times
    nominal_prefix            size of the first rows at the default memory limits
    realise                   a plan → a `Script`, with real text or with sizes only
    summary_text              a plausible summary of a wanted size
"""

from sim.workload.synthetic.plan import Plan
from sim.workload.synthetic.planner import make_plan
from sim.workload.synthetic.prefix import nominal_prefix
from sim.workload.synthetic.realise import realise
from sim.workload.synthetic.summary import summary_text

__all__ = ["Plan", "make_plan", "nominal_prefix", "realise", "summary_text"]
