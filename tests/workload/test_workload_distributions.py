"""Named distributions: what they draw, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sim.workload.distributions import Distribution, Draws

ADAPTER: TypeAdapter[Any] = TypeAdapter(Distribution)


def draws(spec: Any, n: int = 40_000, seed: int = 3) -> np.ndarray[Any, Any]:
    found: np.ndarray[Any, Any] = ADAPTER.validate_python(spec).draws(np.random.default_rng(seed), n)
    return found


@pytest.mark.parametrize(("written", "value"), [(65, 65), ("2K", 2_000), ("5m", 300), ("1h", 3_600), ("12%", 0.12)])
def test_a_plain_number_is_a_fixed_value(written: Any, value: float) -> None:
    assert set(draws(written, 5)) == {value}


def test_lognormal_has_its_median_and_spread() -> None:
    values = draws({"kind": "lognormal", "median": 293, "sigma": 1.84})
    assert np.median(values) == pytest.approx(293, rel=0.03)
    assert np.log(values).std() == pytest.approx(1.84, rel=0.03)


def test_zeros_and_limits() -> None:
    values = draws({"kind": "lognormal", "median": 100, "sigma": 2, "zero": "12%", "min": 5, "max": "1K"})
    assert (values == 0).mean() == pytest.approx(0.12, abs=0.01)
    assert values[values > 0].min() == 5
    assert values.max() == 1_000


def test_the_pareto_tail_keeps_the_body_and_follows_its_exponent() -> None:
    body = {"kind": "lognormal", "median": 100, "sigma": 1}
    plain, tailed = draws(body), draws({**body, "tail_from": 400, "tail_alpha": 1.3})
    assert (tailed > 400).mean() == (plain > 400).mean()
    assert np.array_equal(tailed[tailed <= 400], plain[plain <= 400])
    beyond = tailed[tailed > 400] / 400
    assert 1 / np.log(beyond).mean() == pytest.approx(1.3, rel=0.05)  # Hill's estimate


def test_mixture_chooses_by_weight() -> None:
    values = draws({"kind": "mixture", "weights": [1, 3], "parts": [1, 9]})
    assert (values == 9).mean() == pytest.approx(0.75, abs=0.01)


def test_quantiles_are_met() -> None:
    values = draws({"kind": "quantiles", "shares": [0, 0.5, 0.9, 1], "values": [3, 40, 700, "9K"]})
    assert np.quantile(values, [0.5, 0.9]) == pytest.approx([40, 700], rel=0.05)
    assert (values.min() >= 2.999, values.max() <= 9_000.001) == (True, True)


def test_exponential_and_uniform() -> None:
    assert draws({"kind": "exponential", "mean": 40}).mean() == pytest.approx(40, rel=0.03)
    even = draws({"kind": "uniform", "low": 2, "high": 6})
    assert (even.min() >= 2, even.max() <= 6) == (True, True)
    assert even.mean() == pytest.approx(4, rel=0.02)


def test_another_median_scales_the_same_draws() -> None:
    small = draws({"kind": "lognormal", "median": 10, "sigma": 1}, 500)
    large = draws({"kind": "lognormal", "median": 30, "sigma": 1}, 500)
    assert np.allclose(large, small * 3)


@given(
    st.floats(0.01, 1e6), st.floats(0, 4), st.floats(0, 1), st.floats(0, 1e4), st.floats(0, 1e6), st.integers(0, 2**32)
)
def test_draws_are_finite_and_within_limits(
    median: float, sigma: float, zero: float, low: float, more: float, seed: int
) -> None:
    spec = {"kind": "lognormal", "median": median, "sigma": sigma, "zero": zero, "min": low, "max": low + more}
    values = draws(spec, 200, seed)
    assert np.isfinite(values).all()
    assert ((values == 0) | ((values >= low) & (values <= low + more))).all()


def test_draws_one_at_a_time_are_the_same_as_in_blocks() -> None:
    spec = ADAPTER.validate_python({"kind": "exponential", "mean": 3})
    one = Draws(spec, np.random.default_rng(1), block=16)
    assert [one.next() for _ in range(40)][:16] == spec.draws(np.random.default_rng(1), 16).tolist()
    assert Draws(spec, np.random.default_rng(1)).whole(2) >= 2


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"kind": "lognormal", "median": 0, "sigma": 1}, "greater than 0"),
        ({"kind": "lognormal", "median": 5, "sigma": -1}, "greater than or equal to 0"),
        ({"kind": "lognormal", "median": 5, "sigma": 1, "zero": 1.2}, "less than or equal to 1"),
        ({"kind": "lognormal", "median": 5, "sigma": 1, "min": 9, "max": 3}, "max 3 is below min 9"),
        ({"kind": "lognormal", "median": 5, "sigma": 1, "tail_from": 9, "tail_alpha": 0.9}, "has no mean"),
        ({"kind": "uniform", "low": 5, "high": 3}, "high 3 is below low 5"),
        ({"kind": "exponential", "mean": -3}, "greater than 0"),
        ({"kind": "mixture", "weights": [1], "parts": [1, 2]}, "1 weights for 2 parts"),
        ({"kind": "mixture", "weights": [0, 0], "parts": [1, 2]}, "not all 0"),
        ({"kind": "quantiles", "shares": [0, 0.5], "values": [1, 2]}, "rise from 0 to 1"),
        ({"kind": "quantiles", "shares": [0, 1], "values": [3, 2]}, "must not fall"),
        ({"kind": "quantiles", "shares": [0, 1], "values": [3]}, "2 items|1 values"),
        ({"kind": "gauss", "mean": 3}, "gauss"),
        (-3, "greater than or equal to 0"),
        (float("nan"), "not a finite number"),
        (True, "not a number"),
        ("soon", "not a number"),
    ],
)
def test_impossible_distributions(spec: Any, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        ADAPTER.validate_python(spec)
