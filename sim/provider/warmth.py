"""Keeping a cache warm: what pings cost, what letting it expire costs, and where the two meet.

A ping is the last request again with `max_tokens: 0`: it bills the read when warm and the write when cold, no output.
Anthropic refuses it with streaming, enabled thinking, structured output, a forced tool choice or in batches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sim.errors import InputError
from sim.provider.rates import Card, Tier
from sim.provider.seam import TokenUse

PING_REFUSED_WITH = ("stream", "thinking", "output_format", "tool_choice", "batch")
"""Request settings with which `max_tokens: 0` is refused."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Cost in pico-dollars of bridging a pause; the request after it is counted as far as it differs."""

    pings: int
    ping_cost: int
    expire_cost: int

    @property
    def difference(self) -> int:
        """Pinging less letting it expire; below 0 pinging is cheaper."""
        return self.ping_cost - self.expire_cost


def longest_worthwhile_pause(tier: Tier, ping_every: float, ttl: str = "5m") -> float:
    """Seconds of pause up to which pings every `ping_every` seconds cost no more than a fresh write at the return.

    `every * (write / read - 1)`: the return pays a read either way, so one ping's worth is spared.

    Raises:
        InputError: the provider sells no reads or no such writes, or the time is not above 0.
    """
    return float(Fraction(str(ping_every)) * (_ratio(tier, ttl, ping_every) - 1))


def break_even_of_pings(tier: Tier, ping_every: float, ttl: str = "5m") -> float:
    """Seconds of pause at which the pings alone cost as much as the write: `every * write / read`.

    The return counts as the last read here, which is how rules of thumb state it.
    """
    return float(Fraction(str(ping_every)) * _ratio(tier, ttl, ping_every))


def _ratio(tier: Tier, ttl: str, ping_every: float) -> Fraction:
    if ping_every <= 0:
        raise InputError(f"pings every {ping_every} s", remedy="give a time above 0")
    if not tier.read or ttl not in tier.writes:
        raise InputError(f"this price card has no cache read or no {ttl} write", remedy="name another model or class")
    return tier.writes[ttl] / tier.read


def bridge(card: Card, prefix: int, pause: float, ping_every: float, at: float, ttl: str = "5m") -> Pause:
    """Bridge a pause by pings, or let the entry expire and write it again.

    Args:
        prefix: cached tokens.
        pause, ping_every: seconds; the return itself counts as the last read, so a pause of six intervals takes six
            reads.
        at: moment for dated prices, seconds since the epoch.
    """
    pings = int(pause // ping_every)
    read = card.cost(TokenUse(read=prefix), at).total
    write = card.cost(TokenUse(writes={ttl: prefix}), at).total
    return Pause(pings, pings * read, write)


def reads_to_pay(tier: Tier, ttl: str) -> int:
    """Reads after which one write and its reads cost less than sending the text anew each time.

    Raises:
        InputError: caching never pays at these prices.
    """
    if tier.read is None or ttl not in tier.writes or tier.read >= tier.fresh:
        raise InputError(f"{ttl} writes never pay at these prices", remedy="name another model or class")
    reads = 1
    while tier.writes[ttl] + reads * tier.read >= (reads + 1) * tier.fresh:
        reads += 1
    return reads


def padded_break_even(minimum: int, multiples: Mapping[str, Fraction], uses: int) -> Fraction:
    """Length below the minimum from which padding a prompt up to it pays: `M * (r + (w - r) / N)`.

    Args:
        minimum: tokens of the shortest cached prefix.
        multiples: `read` and `write` as multiples of the input price.
        uses: requests that share the prompt.
    """
    read, write = multiples["read"], multiples["write"]
    return minimum * (read + (write - read) / uses)
