"""When an entry can be read, and whether a best-effort cache serves it (the same draw for the same request)."""

from __future__ import annotations

from sim.streams import digest64

_SPAN = float(1 << 64)


def lucky(p_hit: float, seed: int, session: str, count: int) -> bool:
    """Draw number `count` of a session; always true when `p_hit` is 1."""
    return p_hit >= 1 or digest64("best-effort", seed, session, count) / _SPAN < p_hit


def moment(visible: str, delay: float, now: float, first_byte: float, done: float) -> float:
    """When an entry of a request becomes readable: `delay` seconds after its start, first byte or end."""
    if visible == "first_byte":
        return first_byte + delay
    return (now if visible == "immediate" else done) + delay
