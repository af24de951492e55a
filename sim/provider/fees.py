"""Charges beside tokens (platform.claude.com pricing, 2026-12-01)."""

from __future__ import annotations

from fractions import Fraction

from sim.units import PICO, round_half_even

MANAGED_AGENT_HOUR = Fraction(8, 100)
"""Dollars per running session-hour of Anthropic's Managed Agents; not reduced in batches."""
WEB_SEARCH = Fraction(10, 1_000)
"""Dollars per web search."""


def running_time(seconds: float) -> int:
    """Pico-dollars of a managed session that ran for some seconds."""
    return round_half_even(MANAGED_AGENT_HOUR * PICO * Fraction(str(seconds)) / 3_600)


def web_searches(count: int) -> int:
    """Pico-dollars of web searches."""
    return round_half_even(WEB_SEARCH * PICO * count)
