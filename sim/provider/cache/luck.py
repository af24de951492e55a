"""Whether a best-effort cache serves an entry that it formally holds: the same draw for the same request everywhere."""

from __future__ import annotations

from sim.streams import digest64

_SPAN = float(1 << 64)


def lucky(p_hit: float, seed: int, session: str, count: int) -> bool:
    """Draw number `count` of a session; always true when `p_hit` is 1."""
    return p_hit >= 1 or digest64("best-effort", seed, session, count) / _SPAN < p_hit
