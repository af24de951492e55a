"""Worked cases whose arithmetic is a bill, through the product's own cards, caches and usage readers."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from sim.history import Blank, Prompt, RowMaker
from sim.provider import TokenUse, profile
from sim.provider.pricing import find_card
from sim.provider.seam import Mark
from sim.provider.usage import read_usage
from sim.provider.warmth import break_even_of_pings, bridge
from sim.tokens import token_model
from sim.units import usd

AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
AT = AS_OF.timestamp()


def case(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    (path,) = (Path(__file__).parent.parent / "cases").glob(f"{name}_*.yaml")
    data = yaml.safe_load(path.read_text("utf-8"))
    return data["inputs"], data["expected"]


def close(value: Any, expected: dict[str, Any]) -> bool:
    return abs(float(value) - expected["value"]) <= expected["abs_tol"]


def test_d04_keep_alive_or_expire() -> None:
    given, want = case("d04")
    found = profile("claude-opus-4-7", as_of=AS_OF)
    tier, every = found.card.tiers[0], given["ttl_min"] * 60.0
    assert (float(tier.read or 0), float(tier.writes["5m"])) == (given["read"] * 1e6, given["write_5m"] * 1e6)
    assert close(break_even_of_pings(tier, every) / 60, want["break_even_minutes"])
    for gap in given["gaps_min"]:
        pause = bridge(found.card, given["prefix"], gap * 60.0, every, AT)
        assert close(usd(pause.difference), want[f"ping_minus_expire_usd_{gap}min"])


@pytest.mark.parametrize("gap", [30, 90])
def test_d04_by_playing_the_cache(gap: int) -> None:
    """The return counts as the last read: pings every five minutes find the entry alive to the second."""
    given, want = case("d04")
    found = profile("claude-opus-4-7", as_of=AS_OF)
    prompt = Prompt([RowMaker(token_model("claude-opus-4-7")).row(Blank("user", given["prefix"], "p"))])
    totals = []
    for every in (given["ttl_min"], gap):
        cache, cost = found.open_cache(), 0
        for minute in range(0, gap + 1, every):
            now = minute * 60.0
            s = cache.serve(prompt, [Mark(1, "5m")], now, first_byte=now, done=now)
            cost += found.card.cost(TokenUse(s.read, s.writes, s.fresh), AT).total if minute else 0
        totals.append(cost)
    assert close(usd(totals[0] - totals[1]), want[f"ping_minus_expire_usd_{gap}min"])


def test_d05_turns_until_a_compaction_pays() -> None:
    given, want = case("d05")
    prices = {"input": 1, "cache_read": given["read"], "cache_write_5m": given["write"], "output": given["output"]}
    card = find_card("unlisted-model", as_of=AS_OF, prices=prices)
    warm = 1_000_000
    for keep in given["keep"]:
        kept = round(warm * keep)
        paid = (
            card.cost(TokenUse(read=warm, output=kept), AT).total + card.cost(TokenUse(writes={"5m": kept}), AT).total
        )
        spared = card.cost(TokenUse(read=warm - kept), AT).total
        assert close(Fraction(paid, spared), want[f"turns_keep_{str(keep).replace('.', '')}"])


def test_d06_lifetimes_of_one_response() -> None:
    given, want = case("d06")
    base = given["base"]
    prices = {"input": base, "output": 25, "cache_write_5m": base * 1.25, "cache_write_1h": base * 2}
    card = find_card("unlisted-model", as_of=AS_OF, prices=prices)
    short, long = given["write_5m"], given["write_1h"]
    split = {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long}
    reading = read_usage("anthropic", {"cache_creation_input_tokens": short + long, "cache_creation": split})
    assert close(usd(card.cost(reading.use, AT).total), want["split_usd"])
    assert not reading.assumed
    unsplit = read_usage("anthropic", {"cache_creation_input_tokens": short + long})
    assert close(usd(card.cost(unsplit.use, AT).total), want["all_at_5m_usd"])
    assert unsplit.assumed == ("1000000 written tokens without a lifetime are taken as 5m",)

    s = given["sonnet"]
    sonnet = find_card("claude-sonnet-4-6", as_of=AS_OF)
    usage = {
        "input_tokens": s["input"],
        "output_tokens": s["output"],
        "cache_read_input_tokens": s["read"],
        "cache_creation_input_tokens": s["write_1h"],
    }
    for default, name in (("1h", "sonnet_session_usd"), ("5m", "sonnet_session_if_5m_usd")):
        use = read_usage("anthropic", usage, default_class=default).use
        assert close(usd(sonnet.cost(use, AT).total), want[name])


def test_d09_reasoning_and_the_two_conventions() -> None:
    given, want = case("d09")
    r, l, b = given["r"], given["l"], given["b"]  # noqa: E741 - the case's own names
    card = find_card("unlisted-model", as_of=AS_OF, prices={"input": r["p_in"], "output": r["p_out"]})
    details = {"reasoning_tokens": r["reasoning"]}
    usage = {"prompt_tokens": r["input"], "completion_tokens": r["output"], "completion_tokens_details": details}
    use = read_usage("openai", usage, reasoning_included=False).use
    assert close(usd(card.cost(use, AT).total), want["reasoning_usd"])

    card = find_card("gpt-4o", as_of=AS_OF)
    usage = {
        "prompt_tokens": l["prompt"],
        "prompt_tokens_details": {"cached_tokens": l["cached"]},
        "completion_tokens": l["output"],
    }
    assert close(usd(card.cost(read_usage("openai", usage).use, AT).total), want["langchain_usd"])

    card = find_card("gpt-5", as_of=AS_OF)
    usage = {"input_tokens": b["fresh"], "cache_read_input_tokens": b["cached"], "output_tokens": b["output"]}
    assert close(usd(card.cost(read_usage("anthropic", usage).use, AT).total), want["bifrost_usd"])
