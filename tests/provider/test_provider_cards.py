"""Price cards: the package as oracle, dates, modifiers, own prices, and every way to get them wrong."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from genai_prices import Usage
from genai_prices.data import providers
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import InputError, PriceError
from sim.provider import TokenUse, profile
from sim.provider.owncards import own_card
from sim.provider.pricing import Card, find_card, stale_days
from sim.units import usd

AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
AT = AS_OF.timestamp()


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def total(card: Card, at: datetime, **use: Any) -> Decimal:
    return usd(card.cost(TokenUse(**use), at.timestamp()).total)


@pytest.mark.parametrize("vendor", ["anthropic", "openai", "google", "x-ai", "moonshotai", "mistral", "openrouter"])
def test_equal_to_the_packages_own_calculator(vendor: str) -> None:
    owner = next(p for p in providers if p.id == vendor)
    rng, checked = random.Random(vendor), 0
    for entry in owner.models if vendor != "openrouter" else rng.sample(owner.models, 120):
        if own_card(vendor, entry.id) is not None or entry.id.endswith(":free"):
            continue
        try:
            card = find_card(entry.id, as_of=AS_OF, provider=vendor)
        except PriceError:
            continue  # no text prices, or another entry answers to this name
        if card.model != entry.id:
            continue
        for size in (1_000, 150_000, 250_000, 900_000):
            tier = card.tier(size, AT)
            read = rng.randrange(size // 2) if tier.read is not None else 0
            short = rng.randrange(size // 5) if {"5m", "30m"} & tier.writes.keys() else 0
            long = rng.randrange(size // 5) if "1h" in tier.writes and vendor == "anthropic" else 0
            short_class = "30m" if "30m" in tier.writes else "5m"
            output = rng.randrange(5_000)
            use = TokenUse(read, {short_class: short, "1h": long}, size - read - short - long, output)
            fields = {"input_tokens": size, "output_tokens": output, "cache_read_tokens": read}
            if short or long:
                fields["cache_write_tokens"] = short + long
            if long:
                fields["cache_write_1h_tokens"] = long
            want = entry.calc_price(Usage(**fields), owner, genai_request_timestamp=AS_OF).total_price
            assert abs(usd(card.cost(use, AT).total) - want) <= Decimal("2e-12"), entry.id
            checked += 1
    assert checked >= 20


def test_change_of_price_inside_the_simulated_span() -> None:
    card = find_card("claude-sonnet-5-5", as_of=day("2026-10-01"))
    before, after = day("2026-10-06T23:59:59"), day("2026-10-07")
    assert total(card, before, read=10**6) == Decimal("0.2")
    assert total(card, after, read=10**6) == Decimal("0.1")
    assert card.effective == "2026-09-28"


def test_older_calls_are_billed_at_the_prices_of_as_of() -> None:
    card = find_card("claude-sonnet-5-5", as_of=AS_OF)
    assert total(card, day("2026-01-01"), read=10**6) == Decimal("0.1")


def test_change_in_the_middle_of_a_day() -> None:
    card = find_card("deepseek-v4-pro", as_of=day("2026-08-01"))
    assert total(card, day("2026-08-16T15:59:59"), fresh=10**6) == Decimal("0.435")
    assert total(card, day("2026-08-16T16:00:00"), fresh=10**6) == Decimal("0.66")


@pytest.mark.parametrize(
    ("at", "dollars"),
    [
        ("2026-08-18T02:00", "0.44"),
        ("2026-08-18T05:00", "0.22"),
        ("2026-08-22T02:00", "0.22"),
        ("2026-09-09T06:00", "0.44"),
    ],
)
def test_peak_hours_between_august_and_september(at: str, dollars: str) -> None:
    """The package has no peak price for this stretch."""
    card = find_card("deepseek-v4-flash", as_of=day("2026-08-17"))
    assert total(card, day(at), fresh=10**6) == Decimal(dollars)


@pytest.mark.parametrize(
    ("model", "date", "dollars"),
    [
        ("claude-3-5-sonnet-20241022", "2024-10-22", ("3", "15")),
        ("claude-3-5-haiku-20241022", "2024-11-10", ("1", "5")),
        ("claude-3-5-haiku-20241022", "2025-01-10", ("0.8", "4")),
        ("gpt-4o", "2024-10-22", ("2.5", "10")),
        ("o1-mini", "2024-10-22", ("3", "12")),
        ("o3", "2025-05-01", ("10", "40")),
        ("deepseek-chat", "2024-12-27", ("0.14", "0.28")),
        ("deepseek-chat", "2025-03-01", ("0.27", "1.1")),
        ("deepseek-reasoner", "2025-10-01", ("0.28", "0.42")),
        ("gemini-1.5-pro", "2024-10-22", ("1.25", "5")),
    ],
)
def test_historical_cards(model: str, date: str, dollars: tuple[str, str]) -> None:
    card, noon = find_card(model, as_of=day(date)), day(date + "T12:00")
    assert total(card, noon, fresh=10**5) * 10 == Decimal(dollars[0])
    assert total(card, noon, output=10**5) * 10 == Decimal(dollars[1])


def test_off_peak_across_midnight() -> None:
    card = find_card("deepseek-chat", as_of=day("2025-03-01"))
    for at, dollars in (("2025-03-02T16:30", "0.135"), ("2025-03-02T00:29", "0.135"), ("2025-03-02T00:30", "0.27")):
        assert total(card, day(at), fresh=10**6) == Decimal(dollars)


def test_modifiers() -> None:
    plain = find_card("claude-opus-4-8", as_of=AS_OF)
    use: dict[str, Any] = {"read": 10**6, "writes": {"5m": 10**6, "1h": 10**6}, "fresh": 10**6, "output": 10**6}
    base = total(plain, AS_OF, **use)
    assert total(find_card("claude-opus-4-8", as_of=AS_OF, prices={"processing": "batch"}), AS_OF, **use) == base / 2
    us = find_card("claude-opus-4-8", as_of=AS_OF, prices={"inference_geo": "us"})
    assert total(us, AS_OF, **use) == base * Decimal("1.1")
    assert us.modifiers == ("us",)
    assert total(find_card("claude-opus-4-8", as_of=AS_OF, prices={"speed": "fast"}), AS_OF, **use) == base * 2
    fee = find_card("anthropic/claude-opus-4.8", as_of=AS_OF, prices={"fee": "5.5%"})
    assert total(fee, AS_OF, fresh=10**6) == Decimal("5.275")
    # Google's batch leaves the cached price of the 2.5 series as it is.
    flash = find_card("gemini-2.5-flash", as_of=AS_OF, prices={"processing": "batch"})
    assert total(flash, AS_OF, read=10**6) == Decimal("0.03")
    assert total(flash, AS_OF, fresh=10**6) == Decimal("0.15")


def test_batch_before_the_package_knew_it() -> None:
    card = find_card("claude-sonnet-4-5", as_of=day("2025-12-01"), prices={"processing": "batch"})
    assert total(card, day("2025-12-01"), fresh=10**5) == Decimal("0.15")


def test_single_price_over_a_listed_card() -> None:
    card = find_card("claude-opus-4-7", as_of=AS_OF, prices={"cache_read": 1})
    assert total(card, AS_OF, read=10**6) == 1
    assert total(card, AS_OF, fresh=10**6) == 5
    assert "scenario" in card.source


def test_twelve_hour_entries_follow_the_tier() -> None:
    card = find_card("gpt-6.1-sol", as_of=AS_OF)
    assert total(card, AS_OF, writes={"12h": 200_000}) == 1
    assert total(card, AS_OF, writes={"12h": 400_000}) == 4


def test_yuan_list() -> None:
    yuan = find_card("deepseek-flash", as_of=AS_OF).in_yuan()
    assert yuan is not None
    assert yuan.currency == "CNY"
    assert total(yuan, day("2026-12-01T12:00"), read=10**6, fresh=10**6, output=10**6) == Decimal("5.02")
    assert total(yuan, day("2026-12-01T02:00"), fresh=10**6) == 2
    assert find_card("claude-opus-4-7", as_of=AS_OF).in_yuan() is None


def test_free_models_name_their_limits_and_the_priced_twin() -> None:
    card = find_card("google/gemini-2.5-flash-preview:free", as_of=AS_OF)
    assert total(card, AS_OF, read=10, fresh=10**6, output=10**6) == 0
    assert card.free is not None
    assert (card.free.requests_per_minute, card.free.requests_per_day) == (20, 50)
    assert card.free.fallback == "openrouter/google/gemini-2.5-flash-preview"


def test_self_hosted_by_gpu_time() -> None:
    prices = {"gpu_hour": 2.5, "gpus": 2, "prefill_tokens_per_s": 10_000, "decode_tokens_per_s": 1_000}
    found = profile("llama-at-home", as_of=AS_OF, prices=prices, cache={"capacity_tokens": "400K"})
    assert found.family == "block"
    hour = total(found.card, AS_OF, fresh=36_000_000)
    assert abs(hour - 5) <= Decimal("1e-12")
    assert total(found.card, AS_OF, read=10**6) == 0


def test_card_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "model: mine\nprovider: own\nwindow: 128K\nsource: contract of 2026\n"
        "prices: {input: 0.2, output: '0.6', cache_read: 0.02}\n"
    )
    found = profile("mine", as_of=AS_OF, prices={"card": str(path)})
    assert (found.window, found.card.source) == (128_000, "contract of 2026")
    assert total(found.card, AS_OF, fresh=10**6, output=10**6, read=10**6) == Decimal("0.82")


def test_age_of_a_card() -> None:
    card = find_card("claude-opus-4-7", as_of=AS_OF)
    assert stale_days(card, day("2026-12-31")) is None
    assert stale_days(card, day("2027-01-01")) == 31


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(0, 10**6))
def test_each_class_is_rounded_once(read: int, fresh: int, output: int) -> None:
    card = find_card("google/gemini-2.5-flash-lite", as_of=AS_OF, provider="openrouter")
    cost = card.cost(TokenUse(read, {"5m": 7}, fresh, output), AT)
    assert cost.write == round(7 * card.tiers[0].writes["5m"])
    assert cost.total == cost.read + cost.write + cost.fresh + cost.output


@pytest.mark.parametrize(
    ("model", "prices", "cache", "date", "says"),
    [
        ("claude-opus-9", {}, {}, "2026-12-01", ("claude-opus-9", "did you mean")),
        ("claude-opus-4-7", {}, {}, "2026-04-15", ("2026-04-16", "effective", "as_of")),
        ("deepseek-flash", {}, {}, "2026-01-01", ("2026-09-10", "as_of")),
        ("claude-opus-4-7", {"input": -5, "output": 25}, {}, "2026-12-01", ("input", "-5", "0 or more")),
        ("claude-opus-4-7", {"input": True, "output": 25}, {}, "2026-12-01", ("input", "True")),
        ("claude-opus-4-7", {"input": "nan", "output": 25}, {}, "2026-12-01", ("input", "nan")),
        ("claude-opus-4-7", {"cache_raed": 1}, {}, "2026-12-01", ("cache_raed", "cache_read")),
        ("unlisted", {"input": 3}, {}, "2026-12-01", ("output", "add")),
        ("home", {"gpu_hour": 2, "decode_tokens_per_s": 9}, {}, "2026-12-01", ("prefill_tokens_per_s", "add")),
        ("home", {"gpu_hour": 0, "prefill_tokens_per_s": 1, "decode_tokens_per_s": 9}, {}, "2026-12-01", ("gpu_hour",)),
        ("claude-opus-4-7", {"speed": "fast"}, {}, "2026-12-01", ("fast", "remove")),
        ("claude-opus-4-8", {"speed": "quick"}, {}, "2026-12-01", ("quick", "fast")),
        ("claude-opus-4-8", {"speed": "fast", "processing": "batch"}, {}, "2026-12-01", ("batch",)),
        ("claude-opus-4-7", {"fee": "x"}, {}, "2026-12-01", ("fee", "5.5%")),
        ("claude-opus-4-7", {"card": "/nowhere/x.yaml"}, {}, "2026-12-01", ("/nowhere/x.yaml", "prices.card")),
        ("claude-opus-4-7", {}, {"ttl": 0}, "2026-12-01", ("provider_cache.ttl", "0", "5m")),
        ("claude-opus-4-7", {}, {"ttls": {"5m": 0}}, "2026-12-01", ("ttls.5m",)),
        ("claude-opus-4-7", {}, {"ttl": "soon"}, "2026-12-01", ("soon",)),
        ("claude-opus-4-7", {}, {"look_back": 3}, "2026-12-01", ("look_back", "lookback")),
        ("claude-opus-4-7", {}, {"family": "magic"}, "2026-12-01", ("magic", "breakpoint")),
        ("claude-opus-4-7", {}, {"markers": ["end"]}, "2026-12-01", ("end", "last")),
        ("claude-opus-4-7", {}, {"markers": ["system"] * 5}, "2026-12-01", ("5 markers", "4")),
        ("claude-opus-4-7", {}, {"ttl_class": "2h"}, "2026-12-01", ("2h", "5m, 1h")),
        ("deepseek-flash", {}, {"p_hit": 1.5}, "2026-12-01", ("p_hit",)),
        ("gpt-5.4", {}, {"step": 0}, "2026-12-01", ("step",)),
        ("gpt-5.4", {}, {"visible": "later"}, "2026-12-01", ("later", "first_byte")),
    ],
)
def test_bad_input_says_what_where_and_what_to_do(
    model: str, prices: dict[str, Any], cache: dict[str, Any], date: str, says: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as caught:
        profile(model, as_of=day(date), prices=prices, cache=cache)
    assert caught.value.exit_code == 3
    for part in says:
        assert part in str(caught.value)
    assert caught.value.remedy


def test_missing_class_names_card_field_and_remedy() -> None:
    card = find_card("mine", as_of=AS_OF, prices={"input": 1, "output": 2})
    for use, field in (
        (TokenUse(read=1), "cache_read"),
        (TokenUse(writes={"1h": 1}), "cache_write_1h"),
        (TokenUse(storage=1), "storage_per_mtok_hour"),
    ):
        with pytest.raises(PriceError) as caught:
            card.cost(use, AT)
        assert field in str(caught.value)
        assert "scenario/mine" in str(caught.value)
        assert "prices:" in str(caught.value.remedy)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("model: [", "valid YAML"),
        ("model: m\nprices: {input: 1}", "output"),
        ("model: m\nprices: {input: 1, output: 2}\nself_hosted: {}", "exactly one"),
        ("model: m\nprice: {}", "prices"),
        ("model: m\nprices: {input: cheap, output: 2}", "cheap"),
    ],
)
def test_bad_card_files(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(PriceError) as caught:
        find_card("m", as_of=AS_OF, prices={"card": str(path)})
    assert says in str(caught.value)
    assert "bad.yaml" in str(caught.value)
