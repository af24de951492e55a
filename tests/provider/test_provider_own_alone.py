"""What a person gives beside prices of their own has an effect or is refused; dates, markers and classes are read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sim.errors import InputError, PriceError
from sim.provider import profile
from sim.provider.placement import check_markers
from sim.provider.pricing import find_card

NOW = datetime(2026, 12, 1, tzinfo=UTC)
PLAIN = "prices: {input: 1, output: 2}\n"
HOSTED = {"gpu_hour": 2.5, "prefill_tokens_per_s": 9_000, "decode_tokens_per_s": 1_800}


def card_at(folder: Path, text: str) -> str:
    path = folder / "card.yaml"
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize("beside", [{"input": 9}, {"gpu_hour": 3}, {"processing": "batch"}, {"speed": "fast"}])
def test_nothing_is_passed_over_beside_a_card_file(tmp_path: Path, beside: dict[str, Any]) -> None:
    with pytest.raises(PriceError, match=next(iter(beside))):
        find_card("mine", as_of=NOW, prices={"card": card_at(tmp_path, PLAIN), **beside})


@pytest.mark.parametrize("beside", [{"input": 9}, {"cache_read": 1}, {"processing": "batch"}])
def test_nothing_is_passed_over_beside_gpu_figures(beside: dict[str, Any]) -> None:
    with pytest.raises(PriceError, match=next(iter(beside))):
        find_card("mine", as_of=NOW, prices={**HOSTED, **beside})


def test_a_modifier_beside_a_whole_card_is_refused_and_the_plain_value_is_not() -> None:
    whole = {"input": 1, "output": 2}
    with pytest.raises(PriceError, match="processing"):
        find_card("mine", as_of=NOW, prices={**whole, "processing": "batch"})
    assert find_card("mine", as_of=NOW, prices={**whole, "processing": "standard"}).tiers[0].fresh == 10**6


def test_the_fee_holds_for_a_card_file(tmp_path: Path) -> None:
    card = find_card("mine", as_of=NOW, prices={"card": card_at(tmp_path, PLAIN), "fee": "50%"})
    assert (card.tiers[0].fresh, card.tiers[0].output) == (1_500_000, 3_000_000)


@pytest.mark.parametrize("key", ["effective", "checked"])
@pytest.mark.parametrize("value", ["nonsense", "5", "[1]", "~"])
def test_a_day_that_is_none_is_refused(tmp_path: Path, key: str, value: str) -> None:
    with pytest.raises(PriceError, match=key):
        find_card("mine", as_of=NOW, prices={"card": card_at(tmp_path, f"{PLAIN}{key}: {value}\n")})


def test_a_card_holds_from_its_day(tmp_path: Path) -> None:
    path = card_at(tmp_path, PLAIN + "effective: 2026-12-01\n")
    assert find_card("mine", as_of=NOW, prices={"card": path}).effective == "2026-12-01"
    with pytest.raises(PriceError, match="no price on 2026-11-30"):
        find_card("mine", as_of=datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC), prices={"card": path})


@pytest.mark.parametrize("marker", ["9" * 5_000, "last-" + "9" * 5_000, "last\n"])
def test_places_that_no_request_has_are_refused(marker: str) -> None:
    with pytest.raises(InputError, match="no place"):
        check_markers([marker])


@pytest.mark.parametrize("wanted", [[], {}, [1], 5, True])
def test_a_class_is_a_name(wanted: object) -> None:
    with pytest.raises(InputError, match="ttl_class"):
        profile("claude-opus-4-7", as_of=NOW, cache={"ttl_class": wanted})
