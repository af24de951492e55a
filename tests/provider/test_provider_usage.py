"""Usage conventions: what is written is read back; what cannot be is an error that names both numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import TranscriptError
from sim.provider.seam import TokenUse
from sim.provider.usage import CONVENTIONS, EXCLUSIVE, read_usage, write_usage

counts = st.integers(0, 10**7)


@given(counts, counts, counts, counts, counts)
def test_round_trip(read: int, short: int, long: int, fresh: int, output: int) -> None:
    for convention, classes in (("anthropic", ("5m", "1h")), ("bedrock", ("5m",)), ("openai", ("30m", "12h"))):
        writes = {ttl: n for ttl, n in zip(classes, (short, long), strict=False) if n}
        use = TokenUse(read, writes, fresh, output)
        reading = read_usage(convention, write_usage(convention, use), default_class=classes[0])
        assert reading.use == use
        assert reading.use.input == read + sum(writes.values()) + fresh
    for convention in ("gemini", "deepseek"):
        use = TokenUse(read, {}, fresh, output)
        assert read_usage(convention, write_usage(convention, use)).use == use


def test_conventions_of_providers() -> None:
    assert {CONVENTIONS[p] for p in ("anthropic", "aws")} == EXCLUSIVE
    for convention in set(CONVENTIONS.values()):
        use = TokenUse(read=60, fresh=40, output=5)
        written = write_usage(convention, use)
        reported = written.get("input_tokens", written.get("inputTokens"))
        assert reported in ({40} if convention in EXCLUSIVE else {None})


def test_real_shapes() -> None:
    responses: dict[str, Any] = {
        "input_tokens": 5_000,
        "input_tokens_details": {"cached_tokens": 3_000, "ttl_30m_tokens": 1_000, "ttl_12h_tokens": 500},
        "output_tokens": 70,
    }
    assert read_usage("openai", responses).use == TokenUse(3_000, {"30m": 1_000, "12h": 500}, 500, 70)
    gemini = {
        "promptTokenCount": 900,
        "cachedContentTokenCount": 600,
        "candidatesTokenCount": 30,
        "thoughtsTokenCount": 50,
    }
    assert read_usage("gemini", gemini).use == TokenUse(600, {}, 300, 80)


@pytest.mark.parametrize(
    ("convention", "usage", "numbers"),
    [
        ("openai", {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 250}}, ("250", "100")),
        (
            "openai",
            {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 50}},
            ("50", "40"),
        ),
        ("gemini", {"promptTokenCount": 10, "cachedContentTokenCount": 11}, ("11", "10")),
        ("deepseek", {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 4}, ("9", "8")),
        (
            "anthropic",
            {"cache_creation_input_tokens": 5, "cache_creation": {"ephemeral_1h_input_tokens": 7}},
            ("7", "5"),
        ),
        ("anthropic", {"input_tokens": -3}, ("-3", "input_tokens")),
        ("openai", {"prompt_tokens": 2.5}, ("2.5", "prompt_tokens")),
        ("morse", {}, ("morse", "anthropic")),
    ],
)
def test_contradictions(convention: str, usage: dict[str, Any], numbers: tuple[str, str]) -> None:
    with pytest.raises(TranscriptError) as caught:
        read_usage(convention, usage)
    for number in numbers:
        assert number in str(caught.value)
    assert caught.value.exit_code == 3
