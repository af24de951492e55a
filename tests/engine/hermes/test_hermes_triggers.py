"""The triggers the real classes resolve, for twelve windows and six columns in both versions."""

from __future__ import annotations

import pytest
from hermes_play import make, request

from sim.engine.contract import EngineInfo
from sim.engine.hermes.client import HermesEngine
from sim.engine.hermes.settings import defaults
from sim.errors import EngineError

PLAYED = make(1, 1)
# Window: trigger at 0.5, 0.7, 0.85, 0.9, at 0.5 with 32,000 tokens reserved, and at 0.5 with a cap of 230,000.
# Where a cell holds two numbers, the first is 0.19's. They were taken from both packages by running their classes.
TABLE: dict[int, tuple[object, ...]] = {
    8_000: (6_800, 6_800, 6_800, (6_800, 7_200), 6_800, 6_800),
    16_000: (13_600, 13_600, 13_600, (13_600, 14_400), 13_600, 13_600),
    32_000: (27_200, 27_200, 27_200, (27_200, 28_800), 27_200, 27_200),
    64_000: (54_400, 54_400, 54_400, (54_400, 57_600), 27_200, 54_400),
    100_000: (75_000, 75_000, 85_000, 90_000, (64_000, 57_800), 75_000),
    128_000: (96_000, 96_000, 108_800, 115_200, 72_000, 96_000),
    200_000: (150_000, 150_000, 170_000, 180_000, 126_000, 150_000),
    260_000: (195_000, 195_000, 221_000, 234_000, 171_000, 195_000),
    400_000: (300_000, 300_000, 340_000, 360_000, 276_000, 230_000),
    511_999: (383_999, 383_999, 435_199, 460_799, 359_999, 230_000),
    512_000: (256_000, 358_400, 435_200, 460_800, 240_000, 230_000),
    1_000_000: (500_000, 700_000, 850_000, 900_000, 484_000, 230_000),
}
COLUMNS: tuple[tuple[dict[str, object], int | None], ...] = (
    ({"threshold": 0.5}, None),
    ({"threshold": 0.7}, None),
    ({"threshold": 0.85}, None),
    ({"threshold": 0.9}, None),
    ({"threshold": 0.5}, 32_000),
    ({"threshold": 0.5, "threshold_tokens": 230_000}, None),
)


def resolve(engine: HermesEngine, window: int, compression: dict[str, object], **more: object) -> EngineInfo:
    return engine.resolve(request(PLAYED, {"compression": compression}, window=window, **more))


@pytest.mark.parametrize("window", TABLE)
@pytest.mark.parametrize("label", ["0.19", "0.22"])
def test_trigger_table(engines: dict[str, HermesEngine], label: str, window: int) -> None:
    found = [
        resolve(engines[label], window, compression, max_tokens=reserved).trigger_tokens
        for compression, reserved in COLUMNS
    ]
    expected = [cell[label == "0.22"] if isinstance(cell, tuple) else cell for cell in TABLE[window]]
    if label == "0.19":
        expected[5] = expected[0]  # it has no absolute cap
    assert found == expected


@pytest.mark.parametrize(
    ("window", "compression", "more", "rule"),
    [
        (1_000_000, {"threshold": 0.5}, {}, "threshold"),
        (1_000_000, {"threshold": 0.7, "threshold_tokens": 230_000}, {}, "threshold_tokens"),
        (260_000, {"threshold": 0.7, "threshold_tokens": 230_000}, {}, "floor_75"),
        (260_000, {"threshold": 0.7, "threshold_tokens": 182_000}, {}, "threshold_tokens"),
        (260_000, {"threshold": 0.9}, {}, "threshold"),
        (96_000, {"threshold": 0.5}, {"max_tokens": 20_000}, "floor_64k"),
        (64_000, {"threshold": 0.5}, {}, "degenerate_85"),
        (1_000_000, {"threshold": 0.5}, {"auxiliary_window": 131_072}, "auxiliary_window"),
        (1_000_000, {"threshold": 0.5, "model_thresholds": {"sim-": 0.6}}, {}, "model_thresholds"),
        (1_000_000, {"enabled": False}, {}, "disabled"),
    ],
)
def test_the_rule_that_set_the_trigger(
    late: HermesEngine, window: int, compression: dict[str, object], more: dict[str, object], rule: str
) -> None:
    assert resolve(late, window, compression, **more).trigger_rule == rule


def test_ratios_up_to_three_quarters_are_one_trigger_below_512k(late: HermesEngine) -> None:
    assert {resolve(late, 200_000, {"threshold": r}).trigger_tokens for r in (0.3, 0.5, 0.7, 0.75)} == {150_000}


def test_a_lower_auxiliary_window_takes_the_legacy_tail_with_it(late: HermesEngine, early: HermesEngine) -> None:
    legacy = resolve(late, 1_000_000, {"threshold": 0.5, "tail_mode": "legacy"}, auxiliary_window=100_000)
    lean = resolve(late, 1_000_000, {"threshold": 0.5}, auxiliary_window=100_000)
    first = resolve(early, 1_000_000, {"threshold": 0.5}, auxiliary_window=100_000)
    assert (legacy.trigger_tokens, legacy.tail_tokens) == (100_000, 20_000)
    assert (lean.trigger_tokens, lean.tail_tokens) == (100_000, 25_000)
    assert (first.trigger_tokens, first.tail_tokens) == (100_000, 20_000)


def test_an_auxiliary_window_below_the_minimum_is_said(late: HermesEngine) -> None:
    found = resolve(late, 1_000_000, {"threshold": 0.5}, auxiliary_window=32_000)
    assert found.details["auxiliary_window_refused"] is True
    assert found.trigger_tokens == 500_000


def test_lean_tails_of_the_worked_case(late: HermesEngine) -> None:
    """Case d07: clamp(2.5 %, 10K, 25K), at most a fifth of the window; the target ratio plays no part."""
    windows = (8_000, 16_000, 32_000, 64_000, 260_000, 600_000, 1_000_000)
    tails = [resolve(late, window, {"tail_mode": "lean"}).tail_tokens for window in windows]
    assert tails == [1_600, 3_200, 6_400, 10_000, 10_000, 15_000, 25_000]
    assert resolve(late, 1_000_000, {"tail_mode": "lean", "target_ratio": 0.5}).tail_tokens == 25_000


def test_legacy_tails_of_the_worked_case(late: HermesEngine) -> None:
    """Case d07: the effective trigger times the target ratio."""
    capped = resolve(late, 1_000_000, {"tail_mode": "legacy", "threshold": 0.7, "threshold_tokens": 230_000})
    half = resolve(late, 1_000_000, {"tail_mode": "legacy", "threshold": 0.5})
    assert (capped.tail_tokens, half.tail_tokens) == (46_000, 100_000)


def test_soft_ceiling_of_the_tail(late: HermesEngine, early: HermesEngine) -> None:
    assert resolve(late, 1_000_000, {}).tail_kept_tokens == 37_500
    assert resolve(late, 400_000, {}).tail_kept_tokens == 15_000
    assert resolve(late, 8_000, {}).tail_kept_tokens == 1_600
    assert resolve(early, 1_000_000, {}).tail_kept_tokens == 150_000


def test_what_a_version_cannot_do_is_reported(late: HermesEngine, early: HermesEngine) -> None:
    given: dict[str, object] = {
        "threshold": 0.7,
        "threshold_tokens": 230_000,
        "tail_mode": "lean",
        "proactive_prune_tokens": 60_000,
        "max_attempts": 10,
        "idle_compact_after_seconds": 1_800,
        "micro_compact": True,
    }
    # The threshold comes to 700,000 here, so the cap decides and the threshold is the only one without effect.
    assert [one.setting for one in resolve(late, 1_000_000, given).ignored] == ["compression.threshold"]
    ignored = {one.setting for one in resolve(early, 1_000_000, given).ignored}
    assert ignored == {f"compression.{key}" for key in given if key != "threshold"}


@pytest.mark.parametrize("label", ["0.19", "0.22"])
def test_unset_settings_are_the_packages_own_defaults(engines: dict[str, HermesEngine], label: str) -> None:
    """An empty block and the version's default block come to the same."""
    written = {key: value for key, value in defaults(label)["compression"].items() if not isinstance(value, dict)}
    bare, full = resolve(engines[label], 260_000, {}), resolve(engines[label], 260_000, written)
    assert (bare.trigger_tokens, bare.tail_tokens, bare.details) == (
        full.trigger_tokens,
        full.tail_tokens,
        full.details,
    )


def test_settings_are_converted_as_the_agent_converts_them(late: HermesEngine) -> None:
    """A config.yaml may hold numbers as text; the agent converts them before it builds the compressor."""
    written: dict[str, object] = {"threshold": "0.6", "threshold_tokens": "400000", "tail_mode": " LEGACY "}
    found = resolve(late, 1_000_000, written)
    assert (found.trigger_tokens, found.details["tail_mode"]) == (400_000, "legacy")
    with pytest.raises(EngineError, match=r"compression\.threshold must be a number, not 'half'"):
        resolve(late, 1_000_000, {"threshold": "half"})
