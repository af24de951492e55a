"""Prices of one's own that no table holds, and card files that are no text."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.errors import PriceError
from sim.provider.ownprices import rates_of, read_card_file


@pytest.mark.parametrize("price", [1_000_000_000, "1e30"])
def test_a_price_beyond_all_prices_is_refused(price: object) -> None:
    with pytest.raises(PriceError, match="more than 10,000 dollars"):
        rates_of("m", {"input": price})


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"model: caf\xe9", b"a: " + b"[" * 3000 + b"]" * 3000])
def test_a_card_that_is_no_text_is_told(tmp_path: Path, content: bytes) -> None:
    card = tmp_path / "card.yaml"
    card.write_bytes(content)
    with pytest.raises(PriceError, match="price card is"):
        read_card_file(str(card))
