"""Summaries of a wanted size, for the auxiliary model."""

from __future__ import annotations

import numpy as np
import pytest

from sim.history import RowMaker
from sim.tokens import ContentKind, token_model
from sim.workload import summary_text


@pytest.mark.parametrize("model", ["gpt-5", "claude-opus-4-7", "google/gemini-2.5-flash"])
@pytest.mark.parametrize("tokens", [300, 2_600, 12_000])
def test_size(model: str, tokens: int) -> None:
    maker = RowMaker(token_model(model))
    text = summary_text(np.random.default_rng(3), tokens, maker)
    assert maker.count(text, maker.tokens.classify(text)) == pytest.approx(tokens, rel=0.12)
    assert "## Goal" in text


def test_the_same_stream_gives_the_same_summary() -> None:
    maker = RowMaker(token_model("gpt-5"))
    one, two, three = (summary_text(np.random.default_rng(s), 800, maker) for s in (1, 1, 2))
    assert one == two != three


def test_chinese_and_tiny() -> None:
    maker = RowMaker(token_model("gpt-5"))
    text = summary_text(np.random.default_rng(3), 900, maker, language="chinese")
    assert maker.tokens.classify(text) is ContentKind.CHINESE
    assert maker.count(text, ContentKind.CHINESE) == pytest.approx(900, rel=0.05)
    assert 0 < maker.count(summary_text(np.random.default_rng(3), 1, maker), ContentKind.PROSE) < 20
