"""Invalidation, latency, routing, reasons, hash traces, and the rows of `prices`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sim.errors import InputError, TranscriptError
from sim.history import Prompt
from sim.insight.prices import listed_rows, price_row, stale_warning
from sim.provider import profile
from sim.provider.cache import BreakpointCache, BreakpointRules, IntervalCache, IntervalRules
from sim.provider.invalidation import SURVIVES, strips_thinking, surviving_levels, surviving_rows, with_setting
from sim.provider.latency import Latency
from sim.provider.seam import Mark
from sim.provider.validate import markdown, read_trace, validate_folder
from sim.provider.warmth import break_even_of_pings, reads_to_pay
from tests.provider.provider_play import row

AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
ROWS = [row("tools", "t" * 40), row("system", "s" * 40), row("user", "u" * 40)]


@pytest.mark.parametrize("change", sorted(SURVIVES))
def test_change_costs_exactly_what_the_table_says(change: str) -> None:
    """Through the cache: the second request differs by one setting only."""
    cache, prompt = BreakpointCache(BreakpointRules(min_tokens=1)), Prompt(ROWS)
    kept = surviving_rows(prompt, change)
    for now, value in ((0.0, "a"), (10.0, "b"), (20.0, "b")):
        sent = with_setting(prompt, change, value)
        marks = [Mark(i, "5m") for i in range(1, len(sent) + 1)]
        served = cache.serve(sent, marks, now, first_byte=now, done=now)
        if now == 10.0:
            assert served.read == prompt.sums[kept]
    assert served.read == prompt.tokens
    levels = surviving_levels(change)
    assert kept == {(): 0, ("tools",): 1, ("tools", "system"): 2}[levels]


def test_levels_of_openai_and_unknown_changes() -> None:
    assert surviving_levels("effort", provider="openai") == ()
    assert surviving_levels("effort") == ("tools", "system")
    with pytest.raises(InputError, match="there are tools"):
        surviving_levels("weather")


@pytest.mark.parametrize(
    ("model", "strips"),
    [
        ("claude-sonnet-4-5", True),
        ("claude-haiku-4-5", True),
        ("claude-opus-4-1", True),
        ("claude-opus-4-5", False),
        ("anthropic/claude-sonnet-4.6", False),
        ("claude-haiku-5-5", False),
        ("gpt-5.4", False),
    ],
)
def test_models_that_strip_thinking(model: str, strips: bool) -> None:
    assert strips_thinking(model) is strips


def test_latency() -> None:
    speed = Latency(overhead_s=1, prefill_tokens_per_s=1_000, decode_tokens_per_s=50)
    assert speed.first_byte(2_000) == 3
    assert speed.done(2_000, 100) == 5


def test_requests_above_the_routing_limit_go_to_a_cold_machine() -> None:
    cache = IntervalCache(IntervalRules(min_tokens=1, step=1, routing_rpm=3))
    prompt = Prompt(ROWS)
    got = [cache.serve(prompt, [], float(n), first_byte=n, done=n) for n in range(8)]
    assert [s.read > 0 for s in got] == [False, True, True, False, True, True, False, True]
    assert got[3].why == got[6].why == "routing"
    later = cache.serve(prompt, [], 100.0, first_byte=100.0, done=100.0)
    assert later.read > 0


def why(rules: BreakpointRules, second: Prompt, marks: list[int], pause: float = 10.0, first_byte: float = 0.0) -> str:
    cache = BreakpointCache(rules)
    cache.serve(Prompt(ROWS), [Mark(2, "5m")], 0.0, first_byte=first_byte, done=first_byte)
    return cache.serve(second, [Mark(m, "5m") for m in marks], pause, first_byte=pause, done=pause).why


def test_reasons() -> None:
    same = Prompt(ROWS)
    long = Prompt([*ROWS, *(row("user", f"{n}") for n in range(30))])
    rules = BreakpointRules(min_tokens=1)
    assert why(rules, same, [2, 3]) == "granularity", "the last row was sent before but never written"
    assert why(rules, Prompt(ROWS[:2]), [2]) == ""
    assert why(rules, same, [3], pause=300.0) == "granularity"
    assert why(rules, same, [3], pause=300.5) == "ttl"
    assert why(rules, same, [3], first_byte=11.0) == "visibility"
    assert why(rules, long, [len(long)]) == "lookback"
    assert why(BreakpointRules(min_tokens=1_000), same, [3]) == "minimum"
    assert why(BreakpointRules(min_tokens=1, p_hit=0.0), same, [3]) == "best_effort"


def test_pings_need_prices() -> None:
    tier = profile("deepseek-flash", as_of=AS_OF).card.tiers[0]
    with pytest.raises(InputError, match="no 5m write"):
        break_even_of_pings(tier, 240)
    with pytest.raises(InputError, match="never pay"):
        reads_to_pay(tier, "5m")


def trace_folder(tmp_path: Path) -> Path:
    calls = [
        {"t": 0.0, "type": "n", "model": "m", "in": 200, "hash_ids": [1, 2, 3]},
        {"t": 100.0, "type": "n", "model": "m", "in": 300, "hash_ids": [1, 2, 3, 4]},
        {
            "t": 150.0,
            "type": "subagent",
            "requests": [{"t": 1.0, "type": "n", "model": "small", "in": 128, "hash_ids": [1, 2]}],
        },
        {"t": 600.0, "type": "n", "model": "m", "in": 256, "hash_ids": [1, 2, 3, 5]},
    ]
    (tmp_path / "claude_kv_trace").mkdir()
    (tmp_path / "mooncake_trace").mkdir()
    (tmp_path / "claude_kv_trace" / "a.json").write_text(json.dumps({"block_size": 64, "requests": calls}))
    lines = [
        {"timestamp": 0, "input_length": 600, "hash_ids": [7, 8]},
        {"timestamp": 0, "input_length": 600, "hash_ids": [7, 9]},
        {"timestamp": 3_700_000, "input_length": 600, "hash_ids": [7, 8]},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    (tmp_path / "mooncake_trace" / "b.jsonl").write_text(text)
    return tmp_path


def test_hash_traces(tmp_path: Path) -> None:
    rows = validate_folder(trace_folder(tmp_path))
    assert all(r.agrees for r in rows)
    assert [(r.trace, r.lifetime, r.read_tokens) for r in rows] == [
        ("a", 300.0, 192),
        ("a", 3_600.0, 384),
        ("a", None, 384),
        ("b", 300.0, 512),
        ("b", 3_600.0, 512),
        ("b", None, 512 + 599),
    ]
    assert rows[0].input_tokens == 200 + 300 + 128 + 256
    assert markdown(rows).count("equal") == 6


@pytest.mark.parametrize("text", ["{", "[]", '{"requests": []}', '{"block_size": 64, "requests": [{"type": "n"}]}'])
def test_bad_traces(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(TranscriptError, match="not a hash trace"):
        read_trace(path)
    with pytest.raises(TranscriptError, match="no hash traces"):
        validate_folder(tmp_path)


def test_price_rows() -> None:
    found = price_row("deepseek-flash", as_of=AS_OF, today=datetime(2027, 2, 1, tzinfo=UTC))
    assert (found["provider"], found["effective"], found["cache"]) == ("deepseek", "2026-09-10", "unit")
    assert found["tiers"][0]["input_usd"] == "0.15"
    assert [w["utc"] for w in found["windows"]] == ["01:00-04:00", "06:00-10:00"]
    assert found["windows"][0]["output_usd"] == "1.20"
    assert found["yuan"][0]["cache_read_cny"] == "0.02"
    assert "62 days ago" in str(stale_warning(found))
    fresh = price_row("gemini-3.8-flash", as_of=AS_OF)
    assert stale_warning(fresh) is None
    assert fresh["changes"][0]["from"] == "2027-01-01"
    assert fresh["storage_per_mtok_hour_usd"] == "0.50"
    free = price_row("google/gemini-2.5-flash-preview:free", as_of=AS_OF)["free"]
    assert free["fallback"].endswith("gemini-2.5-flash-preview")
    json.dumps([found, fresh])


def test_price_list_holds_every_vendor_once() -> None:
    rows = listed_rows(as_of=AS_OF)
    names = [(r["provider"], r["model"]) for r in rows]
    assert len(set(names)) == len(names)
    assert {"claude-opus-4-7", "claude-sonnet-5-5", "deepseek-flash", "gpt-6.1-sol", "gemini-3.8-flash"} <= {
        m for _, m in names
    }
    old = listed_rows(as_of=datetime(2024, 10, 22, tzinfo=UTC))
    assert "claude-opus-4-7" not in {r["model"] for r in old}
