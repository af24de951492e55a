"""Published and derived bills, to the stated digits, through the product's own cards and caches."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest

from sim.history import Blank, Prompt, Row, RowMaker
from sim.provider import TokenUse, profile
from sim.provider.cache import BlockCache, BlockRules, BreakpointCache, BreakpointRules, UnitCache, UnitRules
from sim.provider.fees import running_time
from sim.provider.pricing import Card, find_card
from sim.provider.seam import Mark
from sim.provider.usage import read_usage
from sim.provider.warmth import longest_worthwhile_pause, padded_break_even, reads_to_pay
from sim.streams import digest64
from sim.tokens import token_model
from sim.units import usd
from tests.provider.provider_play import row

LATEST = "2026-12-01"


def when(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def card(model: str, day: str = LATEST, **prices: object) -> Card:
    return find_card(model, as_of=when(day), prices=prices)


def bill(found: Card, *, at: str = LATEST, **use: object) -> Decimal:
    return usd(found.cost(TokenUse(**use), when(at).timestamp()).total)  # type: ignore[arg-type]


def prompt(*sizes: int, role: str = "user") -> Prompt:
    maker = RowMaker(token_model("gpt-4o"))
    return Prompt(maker.row(Blank(role, size, f"{i}")) for i, size in enumerate(sizes))  # type: ignore[arg-type]


def d(text: str) -> Decimal:
    return Decimal(text)


# Anthropic ----------------------------------------------------------------------------------------------------------


def test_a1_a2_managed_agent_session() -> None:
    opus = card("claude-opus-5")
    assert bill(opus, fresh=50_000, output=15_000) + usd(running_time(3_600)) == d("0.705")
    assert bill(opus, fresh=10_000, read=40_000, output=15_000) + usd(running_time(3_600)) == d("0.525")


def test_a3_support_tickets() -> None:
    assert bill(card("claude-haiku-4-5"), fresh=3_700) * 10_000 == d("37.00")


@pytest.mark.parametrize(
    ("model", "write", "read", "times"),
    [("claude-fable-5-1", "1.25", "0.025", 50), ("claude-opus-5", "0.625", "0.05", 12.5)],
)
def test_a4_one_broken_turn(model: str, write: str, read: str, times: float) -> None:
    found = card(model)
    lost, kept = bill(found, writes={"5m": 100_000}), bill(found, read=100_000)
    assert (lost, kept) == (d(write), d(read))
    assert float(lost / kept) == times


def test_a5_usage_page() -> None:
    opus = card("claude-opus-4-6")
    assert bill(opus, writes={"5m": 188_086}, fresh=21, output=393) == d("1.1854675")
    assert bill(opus, read=188_086, fresh=21, output=393) == d("0.103973")


def test_a6_compaction_pass() -> None:
    sonnet = card("claude-sonnet-5")
    written, read = bill(sonnet, writes={"5m": 81_000}), bill(sonnet, read=81_000)
    assert (written, read) == (d("0.2025"), d("0.0162"))
    assert abs(written - d("0.21")) <= d("0.03")
    assert abs(read - d("0.04")) <= d("0.03")


def test_a7_mixed_lifetimes_through_the_cache() -> None:
    found = profile("claude-opus-5-5", as_of=when(LATEST))
    cache = found.open_cache()
    sent = prompt(50_000, 30_000, 20_000, 1_000)
    first = Prompt(sent.rows[:1])
    cache.serve(first, [Mark(1, "1h")], 0.0, first_byte=1.0, done=2.0)
    served = cache.serve(sent, [Mark(1, "1h"), Mark(2, "1h"), Mark(3, "5m")], 10.0, first_byte=11.0, done=12.0)
    assert (served.read, dict(served.writes), served.fresh) == (50_000, {"1h": 30_000, "5m": 20_000}, 1_000)
    assert bill(found.card, read=served.read, writes=served.writes, fresh=served.fresh) == d("0.354")


def test_a8_length_tier_of_the_whole_request() -> None:
    haiku = card("claude-haiku-5-5")
    assert bill(haiku, fresh=100_000, output=1_000) == d("0.0105")
    assert bill(haiku, fresh=100_001, output=1_000) == d("0.0525005")
    assert bill(haiku, read=100_000, fresh=1, output=1_000) == d("0.0075005")


@pytest.mark.parametrize(("day", "dollars"), [("2026-03-01", "1.8225"), ("2026-04-01", "0.915")])
def test_a9_dated_surcharge(day: str, dollars: str) -> None:
    assert bill(card("claude-sonnet-4-6", day), at=day, fresh=300_000, output=1_000) == d(dollars)


@pytest.mark.parametrize(("day", "warm"), [("2026-10-06", "0.156"), ("2026-10-07", "0.128")])
def test_a10_fan_out(day: str, warm: str) -> None:
    found = profile("claude-sonnet-5-5", as_of=when(day))
    sent = prompt(40_000)
    marks = [Mark(1, "5m")]

    def run(starts: list[float]) -> Decimal:
        cache, total = found.open_cache(), d("0")
        for i, now in enumerate(starts):
            s = cache.serve(sent, marks, now, first_byte=now + 2, done=now + 9, session=str(i))
            total += bill(found.card, at=day, read=s.read, writes=s.writes, fresh=s.fresh)
        return total

    assert run([0.0] * 8) == d("0.80")
    assert run([0.0] + [5.0] * 7) == d(warm)
    assert bill(found.card, at=day, fresh=40_000) * 8 == d("0.64")


def test_a11_fast_mode() -> None:
    assert bill(card("claude-fable-5-2", "2026-11-10", speed="fast"), fresh=10**6, output=10**6) == d("96")


def test_a12_reads_that_pay_for_a_write() -> None:
    tier = card("claude-opus-5").tiers[0]
    assert reads_to_pay(tier, "5m") == 1
    assert reads_to_pay(tier, "1h") == 2


@pytest.mark.parametrize(("second", "third"), [(None, 0), (15, 15)])
def test_a13_lookback(second: int | None, third: int) -> None:
    cache = BreakpointCache(BreakpointRules(min_tokens=1))
    rows = prompt(*[100] * 35)

    def send(n: int, marks: list[int], now: float) -> int:
        part = Prompt(rows.rows[:n])
        return cache.serve(part, [Mark(m, "5m") for m in marks], now, first_byte=now, done=now).read // 100

    assert send(10, [10], 0) == 0
    assert send(15, [15], 10) == 10
    assert send(35, [35] if second is None else [second, 35], 20) == third


def test_a14_changing_block_before_the_marker() -> None:
    def twice(mark: int) -> int:
        cache = BreakpointCache(BreakpointRules(min_tokens=1))
        for now, stamp in ((0.0, "t1"), (10.0, "t2")):
            maker = RowMaker(token_model("gpt-4o"))
            rows = [maker.row(Blank("user", 100, str(i))) for i in range(5)]
            rows += [maker.row(Blank("user", 100, stamp)), maker.row(Blank("user", 100, "end"))]
            served = cache.serve(Prompt(rows), [Mark(mark, "5m")], now, first_byte=now, done=now)
        return served.read

    assert twice(6) == 0
    assert twice(5) == 500


def test_a15_total_input_of_the_exclusive_convention() -> None:
    usage = {"cache_read_input_tokens": 100_000, "cache_creation_input_tokens": 0, "input_tokens": 50}
    assert read_usage("anthropic", usage).use.input == 100_050


@pytest.mark.parametrize(
    ("model", "minutes"), [("claude-opus-5", 46), ("claude-opus-5-5", 96), ("claude-fable-5-1", 196)]
)
def test_a16_longest_pause_for_pings(model: str, minutes: float) -> None:
    assert longest_worthwhile_pause(card(model).tiers[0], 240) / 60 == minutes


# OpenAI -------------------------------------------------------------------------------------------------------------


def test_o1_multiples_of_the_input_price() -> None:
    sol = card("gpt-6-sol")
    plain = bill(sol, fresh=1_000)
    assert (bill(sol, writes={"30m": 1_000}) + bill(sol, read=1_000)) / plain == d("1.35")
    assert (bill(sol, writes={"30m": 1_000}) + 9 * bill(sol, read=1_000)) / plain == d("2.15")


def test_o2_padding_to_the_minimum() -> None:
    multiples = {"read": Fraction(1, 10), "write": Fraction(5, 4)}
    assert padded_break_even(1_024, multiples, 10) == Fraction("220.16")
    assert padded_break_even(1_024, multiples, 1_963) <= 103 < padded_break_even(1_024, multiples, 1_962)


def test_o3_o4_tiers() -> None:
    sol = card("gpt-6.1-sol")
    assert bill(sol, fresh=272_000, output=1_000) == d("0.554")
    assert bill(sol, fresh=272_001, output=1_000) == d("1.103004")
    assert bill(card("gpt-5.6-sol"), fresh=300_000) == d("2.40")


@pytest.mark.parametrize("cheap", [{"service_tier": "flex"}, {"processing": "batch"}])
def test_o5_flex_and_batch(cheap: dict[str, str]) -> None:
    assert bill(card("o3", "2026-10-20", **cheap), fresh=10**6, output=10**6) == d("5")


# DeepSeek -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "parts", "total", "uncached"),
    [
        ("deepseek-v4-flash", ("12.18", "0.11", "0.05"), "12.34", "60.63"),
        ("deepseek-v4-pro", ("60.47", "1.28", "0.60"), "62.35", "727.08"),
    ],
)
def test_d1_d2_a_real_day(model: str, parts: tuple[str, ...], total: str, uncached: str) -> None:
    found = card(model, "2026-05-01")
    hit, miss, out = 435_033_856, 767_616, 179_763
    at = when("2026-05-01").timestamp()
    cost = found.cost(TokenUse(read=hit, fresh=miss, output=out), at)
    assert tuple(str(round(usd(c), 2)) for c in (cost.read, cost.fresh, cost.output)) == parts
    assert round(usd(cost.total), 2) == d(total)
    assert round(bill(found, at="2026-05-01", fresh=hit + miss, output=out), 2) == d(uncached)
    assert round(hit / (hit + miss), 4) == 0.9982


@pytest.mark.parametrize(
    ("at", "dollars"),
    [
        ("2026-11-30T00:30", "0.0177"),
        ("2026-11-30T05:30", "0.0177"),
        ("2026-11-30T12:30", "0.0177"),
        ("2026-11-30T02:30", "0.0354"),
        ("2026-11-30T07:30", "0.0354"),
        ("2026-11-28T02:30", "0.0177"),  # Saturday
        ("2026-10-01T02:30", "0.0177"),  # National Day, a Thursday
        ("2026-11-30T04:00", "0.0177"),
        ("2026-11-30T09:59", "0.0354"),
    ],
)
def test_d3_peak_hours(at: str, dollars: str) -> None:
    found = card("deepseek-flash", "2026-09-10")
    assert bill(found, at=at, fresh=100_000, read=900_000) == d(dollars)


@pytest.mark.parametrize(("size", "interval"), [(100, 128), (5_000, 0)])
def test_d4_shared_beginnings_become_units(size: int, interval: int) -> None:
    cache = UnitCache(UnitRules(interval=interval))
    reads = []
    for now, end in ((0.0, "B"), (100.0, "C"), (200.0, "D")):
        sent = Prompt([row("system", "a" * (size - 4)), row("user", end * 50)])
        reads.append(cache.serve(sent, [], now, first_byte=now + 1, done=now + 2, session=end).read)
    # The rows B, C and D begin alike by their frame; a unit is what the requests share.
    assert reads[0] == reads[1] == 0
    assert reads[2] >= size


# Gemini and self-hosted ---------------------------------------------------------------------------------------------


def test_g1_g2_g3_gemini() -> None:
    pro = card("gemini-2.5-pro")
    assert bill(pro, fresh=100_000, output=50_000) == d("0.625")
    assert bill(pro, fresh=300_000) == d("0.75")
    assert bill(card("gemini-3.1-pro-preview"), fresh=50_001, read=150_000, output=1_000) == d("0.278004")
    flash = card("gemini-3.8-flash", "2026-12-01")
    assert bill(flash, at="2026-12-31", fresh=10**6) == d("0.75")
    assert bill(flash, at="2027-01-01", fresh=10**6) == d("1.50")


def test_g4_explicit_cache_with_its_rent() -> None:
    found = profile("gemini-3.1-pro-preview", as_of=when(LATEST), cache={"family": "object", "ttl": "1h"})
    cache, sent, total = found.open_cache(), prompt(1_000_000, role="system"), d("0")
    marks = found.place(sent, engine_version="0.22", cache_ttl="5m")
    for minute in range(11):
        at = minute * 300.0
        s = cache.serve(sent, marks, at, first_byte=at, done=at)
        total += bill(found.card, read=s.read, writes=s.writes, fresh=s.fresh, storage=s.storage)
    assert total == d("12.50")


@pytest.mark.parametrize(("size", "same", "hit"), [(1_000, 1_000, 992), (1_000, 999, 992), (16, 16, 0)])
def test_v1_full_blocks_but_the_last_token(size: int, same: int, hit: int) -> None:
    def text(content: str) -> Prompt:
        message = {"role": "user", "content": content}
        return Prompt([Row("user", digest64(content), len(content), message)])

    cache = BlockCache(BlockRules(block=16))
    first, second = text("x" * size), text("x" * same + "y" * (size - same))
    assert cache.serve(first, [], 0.0, first_byte=0.0, done=0.0, session="a").read == 0
    assert cache.serve(second, [], 1.0, first_byte=1.0, done=1.0, session="b").read == hit
