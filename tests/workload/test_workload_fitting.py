"""Presets fitted to sessions: what was put in comes out again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim.errors import InputError
from sim.history import RowMaker
from sim.streams import Streams
from sim.tokens import token_model
from sim.workload import Script, draw, fit_preset, load_preset
from sim.workload.distributions import Fixed, Lognormal, Quantiles
from sim.workload.fitting import Fitted, distance, fit_distribution, seen_table

MODEL = token_model("claude-opus-4-7")


def sessions(count: int, *, text: bool) -> list[Script]:
    preset, maker = load_preset("coding-2026", overrides={"prefix.memory": 0}), RowMaker(MODEL)
    return [draw(preset, Streams(3), n, maker, text=text) for n in range(count)]


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    return fit_preset(sessions(25, text=True), MODEL)


def test_a_lognormal_is_found_again() -> None:
    given = Lognormal(median=293, sigma=1.84, zero=0.12, max=25_000)
    found = fit_distribution(given.draws(np.random.default_rng(1), 20_000).tolist())
    assert isinstance(found, Lognormal)
    assert found.median == pytest.approx(293, rel=0.05)
    assert found.sigma == pytest.approx(1.84, rel=0.05)
    assert found.zero == pytest.approx(0.12, abs=0.01)


def test_a_heavy_tail_gets_a_tail() -> None:
    given = Lognormal(median=100, sigma=0.7, tail_from=300, tail_alpha=1.1, max=1e6)
    found = fit_distribution(given.draws(np.random.default_rng(1), 20_000).tolist())
    assert isinstance(found, Lognormal)
    assert found.tail_from is not None
    assert found.tail_alpha == pytest.approx(1.1, rel=0.2)


def test_other_shapes_keep_their_quantiles() -> None:
    two_humps = [*np.linspace(10, 12, 50), *np.linspace(900, 1_000, 50)]
    found = fit_distribution(two_humps)
    assert isinstance(found, Quantiles)
    assert distance("x", two_humps, found).ks < 0.12


@pytest.mark.parametrize("values", [[], [0.0, 0.0], [7.0, 7.0, 7.0]])
def test_constants_are_fixed(values: list[float]) -> None:
    assert fit_distribution(values) == Fixed(value=max(values, default=0))


def test_distance_of_a_perfect_and_of_a_wrong_fit() -> None:
    given = Lognormal(median=50, sigma=1)
    values = given.draws(np.random.default_rng(5), 5_000).tolist()
    assert distance("x", values, given).ks < 0.03
    assert distance("x", values, Lognormal(median=500, sigma=1)).ks > 0.6
    assert [q[0] for q in distance("x", values, given).quantiles] == [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]


def test_sessions_come_back(fitted: Fitted) -> None:
    given = load_preset("coding-2026")
    total = sum(tool.weight for tool in fitted.preset.tools.values())
    weights = sum(tool.weight for tool in given.tools.values())
    for name, tool in given.tools.items():
        assert fitted.preset.tools[name].weight / total == pytest.approx(tool.weight / weights, abs=0.06)
        if tool.weight >= 5:
            assert fitted.preset.tools[name].argument_text == tool.argument_text
    assert fitted.preset.parallel == pytest.approx(given.parallel, abs=0.04)
    assert fitted.preset.sticky == pytest.approx(given.sticky, abs=0.12)
    assert fitted.preset.prefix.tools_tokens == pytest.approx(12_400, rel=0.01)
    assert fitted.preset.tools["terminal"].fails == pytest.approx(0.08, abs=0.04)
    assert fitted.preset.tools["read_file"].repeats > 0.05
    assert max(row.ks for row in fitted.distances if row.values > 200) < 0.2


def test_a_session_drawn_from_the_fit_is_like_those_it_was_fitted_to(fitted: Fitted) -> None:
    drawn = [draw(fitted.preset, Streams(1), n, RowMaker(MODEL), text=False) for n in range(60)]
    sizes = [t.result.tokens for s in drawn for turn in s.turns for r in turn.replies for t in r.tools]
    given = [t.result.tokens for s in sessions(60, text=False) for u in s.turns for r in u.replies for t in r.tools]
    assert np.quantile(sizes, [0.5, 0.9]) == pytest.approx(np.quantile(given, [0.5, 0.9]), rel=0.3)


def test_the_file_is_a_preset(fitted: Fitted, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(fitted.yaml(), encoding="utf-8")
    assert load_preset(str(path)) == fitted.preset


def test_token_only_sessions_and_the_table(fitted: Fitted) -> None:
    sizes = fit_preset(sessions(6, text=False), MODEL, name="sizes")
    assert sizes.preset.name == "sizes"
    table = seen_table(fitted)
    assert "tools.terminal.result" in table
    assert len(table.splitlines()) == len(fitted.distances) + 1


def test_nothing_to_fit() -> None:
    with pytest.raises(InputError, match="no session to fit") as caught:
        fit_preset([], MODEL)
    assert caught.value.remedy
