"""An account's limits by themselves."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sim.provider.limits import AccountLimits, AuxiliaryLimits, Bucket, FreeQuota, Outage, Retry


@given(st.lists(st.floats(0, 30), max_size=200), st.integers(1, 50))
def test_no_minute_sees_more_than_its_rate_beyond_the_burst(gaps: list[float], rate: int) -> None:
    bucket, now, passed = Bucket(rate, whole=True), 0.0, []
    for gap in gaps:
        now += gap
        if bucket.wait(now) == 0:
            bucket.take(1)
            passed.append(now)
    for i, start in enumerate(passed):
        for j in range(i, len(passed)):
            assert j - i + 1 <= rate + (passed[j] - start) * rate / 60 + 1e-6


@given(st.lists(st.tuples(st.floats(0, 30), st.integers(0, 5_000)), max_size=100))
def test_a_client_that_waits_as_told_is_served(steps: list[tuple[float, int]]) -> None:
    bucket, now = Bucket(1_000.0), 0.0
    for gap, amount in steps:
        now += gap
        now += bucket.wait(now)
        assert bucket.wait(now + 1e-6) == 0
        bucket.take(amount)


@given(st.integers(1, 200), st.floats(0, 1, exclude_max=True))
def test_backoff_grows_twofold_to_its_cap_with_half_its_length_by_chance(refusals: int, draw: float) -> None:
    retry = Retry(first=2.0, most=60.0)
    full = min(60.0, 2.0 * 2.0 ** min(refusals - 1, 60))
    # A draw next to 1 may round up to the full length.
    assert full / 2 <= retry.wait(refusals, draw) <= full


def test_cached_tokens_count_as_the_provider_says() -> None:
    assert AccountLimits().counts_cached("openai")
    assert not AccountLimits().counts_cached("anthropic")
    assert AccountLimits().counts_cached("somebody")
    assert AccountLimits(cached_counts=True).counts_cached("anthropic")


def test_a_daily_quota_begins_anew_at_midnight_utc() -> None:
    quota = FreeQuota.of("m:free", AuxiliaryLimits(per_day=2, rpm=100))
    assert quota is not None
    late = 86_400.0 * 20_000 - 10
    assert [quota.take(late + i, float(i)) for i in range(3)] == [True, True, False]
    assert quota.take(late + 11, 11.0)


def test_only_free_models_have_a_quota_unasked() -> None:
    assert FreeQuota.of("claude-haiku-4-5", AuxiliaryLimits()) is None
    assert FreeQuota.of("claude-haiku-4-5", AuxiliaryLimits(rpm=3)) is not None
    free = FreeQuota.of("x/y:free", AuxiliaryLimits())
    assert free is not None
    assert sum(free.take(1e9, 0.0) for _ in range(50)) == 20


def test_outages_are_half_open_windows() -> None:
    limits = AccountLimits(outages=(Outage(at="1h", lasts="30m"),))
    assert [limits.outage_at(t) for t in (3_599.0, 3_600.0, 5_399.0, 5_400.0)] == [False, True, True, False]


def test_a_budget_is_exact() -> None:
    assert AccountLimits(budget=12.5).budget_pico == 12_500_000_000_000
    assert AccountLimits(budget="0.000001").budget == Decimal("0.000001")


@pytest.mark.parametrize(
    "bad",
    [
        {"rpm": 0},
        {"tpm": "0K"},
        {"budget": -1},
        {"budget": "many"},
        {"budget": float("inf")},
        {"concurrency": 0},
        {"retry": {"first": 10, "most": 5}},
        {"retry": {"attempts": 0}},
        {"outages": [{"at": "1d", "lasts": 0}]},
        {"auxiliary": {"rpm": -1}},
        {"rps": 3},
    ],
)
def test_impossible_limits_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AccountLimits.model_validate(bad)
