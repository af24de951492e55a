"""Multipliers on a whole card: batch, flex, fast mode, inference geography, region, purchase fee."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sim.errors import PriceError
from sim.provider import owncards
from sim.units import parse_share

VALUES: Mapping[str, tuple[str, ...]] = {
    "processing": ("standard", "batch"),
    "service_tier": ("default", "flex", "priority"),
    "speed": ("standard", "fast"),
    "inference_geo": ("global", "us"),
    "region": ("global", "regional"),
}
"""Modifier → its values; the first is the plain price."""
FEE = "fee"
"""A share on top of everything, such as OpenRouter's fee on credit purchases (`5.5%`)."""


def chosen_modifiers(prices: Mapping[str, Any]) -> dict[str, str]:
    """The modifiers named in a `prices:` block that change anything.

    Raises:
        PriceError: an unknown value, or two that exclude each other.
    """
    found = {}
    for key, values in VALUES.items():
        if key not in prices:
            continue
        value = prices[key]
        if value not in values:
            raise PriceError(f"prices.{key} is {value!r}", remedy=f"it is one of {', '.join(values)}")
        if value != values[0]:
            found[key] = str(value)
    if found.get("processing") == "batch" and "speed" in found:
        raise PriceError("fast mode is not sold with batch processing", remedy="remove `speed` or `processing`")
    return found


def fee_factor(prices: Mapping[str, Any]) -> Fraction:
    """One plus the purchase fee.

    Raises:
        PriceError: not a share.
    """
    if FEE not in prices:
        return Fraction(1)
    try:
        return 1 + Fraction(str(parse_share(prices[FEE])))
    except ValueError as error:
        raise PriceError(f"prices.fee: {error}", remedy="write a share such as 5.5%") from None


def factor(provider: str, model: str, key: str, value: str) -> Fraction:
    """The multiplier of one modifier.

    Raises:
        PriceError: the provider does not sell it for that model, as far as known.
    """
    for item in owncards.items():
        if item.get("modifier") == {key: value} and provider in item["providers"] and re.search(item["match"], model):
            return Fraction(str(item["factor"]))
    raise PriceError(
        f"no price is known for {provider}/{model} with {key}: {value}",
        remedy=f"remove `{key}`, or give the prices themselves under `prices:`",
    )
