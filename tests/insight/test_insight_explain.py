"""`explain`: what settings come to in the real engines, and what has no effect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sim.engine import Open
from sim.engine.factory import open_engine
from sim.errors import ConfigError, InputError, UsageError
from sim.insight.diagnose import collapses
from sim.insight.explain import explain, explain_cases
from sim.insight.gates import Case, Opened, resolve_cases
from sim.scenario import EngineSpec, load_scenario

EARLY = EngineSpec(kind="hermes", version="0.19")
LATE = EngineSpec(kind="hermes", version="0.22")


@pytest.fixture(scope="module")
def opened() -> Iterator[Opened]:
    """Both Hermes engines, their hosts kept for all tests."""
    engines = {spec.model_dump_json(): open_engine(spec) for spec in (EARLY, LATE)}
    yield engines
    for engine in engines.values():
        engine.close()


# Window: trigger at 0.5, 0.7, 0.85, 0.9, at 0.5 with 32,000 tokens reserved, at 0.5 with a cap of 230,000. Pairs are
# 0.19's and 0.22's. Taken from both packages by running their classes.
TABLE: dict[int, tuple[Any, ...]] = {
    8_000: (6_800, 6_800, 6_800, (6_800, 7_200), 6_800, 6_800),
    16_000: (13_600, 13_600, 13_600, (13_600, 14_400), 13_600, 13_600),
    32_000: (27_200, 27_200, 27_200, (27_200, 28_800), 27_200, 27_200),
    64_000: (54_400, 54_400, 54_400, (54_400, 57_600), 27_200, 54_400),
    100_000: (75_000, 75_000, 85_000, 90_000, (64_000, 57_800), 75_000),
    128_000: (96_000, 96_000, 108_800, 115_200, 72_000, 96_000),
    200_000: (150_000, 150_000, 170_000, 180_000, 126_000, 150_000),
    260_000: (195_000, 195_000, 221_000, 234_000, 171_000, 195_000),
    400_000: (300_000, 300_000, 340_000, 360_000, 276_000, (300_000, 230_000)),
    511_999: (383_999, 383_999, 435_199, 460_799, 359_999, (383_999, 230_000)),
    512_000: (256_000, 358_400, 435_200, 460_800, 240_000, (256_000, 230_000)),
    1_000_000: (500_000, 700_000, 850_000, 900_000, 484_000, (500_000, 230_000)),
}
COLUMNS: tuple[tuple[dict[str, Any], int | None], ...] = (
    ({"threshold": 0.5}, None),
    ({"threshold": 0.7}, None),
    ({"threshold": 0.85}, None),
    ({"threshold": 0.9}, None),
    ({"threshold": 0.5}, 32_000),
    ({"threshold": 0.5, "threshold_tokens": 230_000}, None),
)


def test_twelve_windows_six_columns_two_versions(opened: Opened) -> None:
    cases = [
        Case(f"column-{i}", spec, window, {"compression": block}, max_tokens=reserved)
        for window in TABLE
        for spec in (EARLY, LATE)
        for i, (block, reserved) in enumerate(COLUMNS)
    ]
    rows = iter(explain_cases(cases, opened=opened).json()["rows"])
    for window, cells in TABLE.items():
        for place, version in enumerate(("hermes@0.19", "hermes@0.22")):
            for cell, (block, reserved) in zip(cells, COLUMNS, strict=True):
                row = next(rows)
                assert (row["engine"], row["window"], row["max_tokens"]) == (version, window, reserved)
                assert row["threshold"] == block["threshold"]
                assert row["trigger_tokens"] == (cell[place] if isinstance(cell, tuple) else cell)
                assert row["agent_refuses_window"] == (window < 64_000)


def test_three_ratios_are_one_trigger_at_200k(opened: Opened) -> None:
    cases = [
        Case(f"ratio-{r}", LATE, window, {"compression": {"threshold": r}})
        for window in (200_000, 1_000_000)
        for r in (0.3, 0.5, 0.7)
    ]
    found = explain_cases(cases, opened=opened).findings
    assert len(found) == 1
    assert found[0].window == 200_000
    assert found[0].arm == "ratio-0.3, ratio-0.5, ratio-0.7"
    assert found[0].text == (
        "threshold 0.3, 0.5 and 0.7 are one and the same trigger on a window of 200,000: 150,000 tokens "
        "(windows below 512,000 raise the threshold to 0.75)"
    )


def test_equal_settings_are_no_finding(opened: Opened) -> None:
    cases = [Case(name, LATE, 200_000, {"compression": {"threshold": 0.5}}) for name in "ab"]
    assert collapses(explain_cases(cases, opened=opened).rows) == []


def test_every_row_has_the_same_keys_and_is_plain_data(opened: Opened) -> None:
    engines = ["hermes@0.19", "hermes@0.22", "none", "parametric", "dual"]
    found = explain({"compression": {"threshold": 0.6}}, windows=["200K"], engines=engines, opened=opened)
    document = json.loads(json.dumps(found.json(diagnose=True)))
    assert document["schema"] == 1
    assert len({tuple(row) for row in document["rows"]}) == 1
    assert [row["engine"] for row in document["rows"]] == engines
    for key in ("engine", "window", "threshold", "threshold_tokens", "max_tokens", "trigger_tokens", "trigger_rule"):
        assert key in document["rows"][0]
    assert [row["trigger_tokens"] for row in document["rows"]] == [150_000, 150_000, None, 100_000, 150_000]
    assert len(found.frame()) == 5
    html = found._repr_html_()
    assert html.count("<tr>") == 6
    assert "never" in html


CONFIG = """\
model:
  default: some/model
  context_length: 260000
memory_char_limit: 8000
compression:
  threshold: 0.7
  threshold_tokens: 230000
  proactive_prune_tokens: 60000
  proactive_prune_min_reclaim_tokens: 8192
  idle_compact_after_seconds: 1800
  treshold: 0.6
  protect_last_n: "20"
  summary_model: x
auxiliary:
  compression:
    api_key: sk-very-secret
    free_only: true
display:
  theme: dark
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG, "utf-8")
    return path


def test_a_config_line_by_line(config: Path, opened: Opened) -> None:
    found = explain(config, opened=opened)
    (row,) = found.rows
    assert (row["arm"], row["window"], row["trigger_tokens"], row["trigger_rule"]) == (
        "config.yaml",
        260_000,
        195_000,
        "floor_75",
    )
    assert row["tail_tokens"] == 10_000
    assert row["tail_kept_tokens"] == 15_000
    assert row["proactive_prune_tokens"] == 60_000
    assert row["proactive_prune_min_result_chars"] == 8_000
    assert row["proactive_prune_min_reclaim_tokens"] == 8_192
    assert row["proactive_prune_above_rows"] == 24
    assert row["idle_floor_tokens"] == 39_000
    assert row["hygiene_tokens"] == 221_000
    assert row["set_by"]["threshold"] == f"{config}:6:3"
    assert row["set_by"]["tail_mode"] == "default of hermes@0.22"
    assert {(one["setting"], one["status"], one["home"], one["where"]) for one in found.misplaced} == {
        ("memory_char_limit", "misplaced", "memory.memory_char_limit", f"{config}:4:1"),
        ("compression.treshold", "unknown", "compression.threshold", f"{config}:11:3"),
        ("compression.protect_last_n", "wrong type", None, f"{config}:12:3"),
        ("compression.summary_model", "renamed", "auxiliary.compression.model", f"{config}:13:3"),
        ("auxiliary.compression.free_only", "misplaced", "auxiliary.free_only", f"{config}:17:5"),
    }
    assert {one["setting"] for one in found.ignored} == {"compression.threshold", "compression.threshold_tokens"}
    assert "secret" not in json.dumps(found.json(diagnose=True))


def test_windows_engines_and_overrides(config: Path, opened: Opened) -> None:
    found = explain(
        config,
        windows=["1M", 400_000],
        engines=["hermes@0.19", "hermes@0.22"],
        overrides=["compression.threshold=0.9"],
        opened=opened,
    )
    assert [(r["engine"], r["window"], r["trigger_tokens"]) for r in found.rows] == [
        ("hermes@0.19", 1_000_000, 900_000),
        ("hermes@0.19", 400_000, 360_000),
        ("hermes@0.22", 1_000_000, 230_000),
        ("hermes@0.22", 400_000, 230_000),
    ]
    early = {one["setting"]: one for one in found.ignored if one["engine"] == "hermes@0.19"}
    # The same on both windows is told once.
    assert early["compression.threshold_tokens"]["window"] is None
    assert early["compression.threshold_tokens"]["where"] == f"{config}:7:3"
    assert found.rows[0]["set_by"]["threshold"].startswith("--set")


def test_a_config_without_a_window_is_shown_on_several(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("compression:\n  threshold: 0.5\n", "utf-8")
    assert [row["window"] for row in explain(path, opened=opened).rows] == [128_000, 200_000, 260_000, 400_000, 10**6]


SCENARIO = """\
schema: 1
model: {name: claude-opus-4-7, window: 260K, max_tokens: 32000}
workload: {kind: curve, calls: 10, first: 10K, growth: 1K}
arms:
  half:
    engine: none
  saw:
    engine: parametric
    parametric: {trigger: 60K, landing: 20K}
"""


def test_a_scenarios_arms(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SCENARIO, "utf-8")
    own = explain(path)
    assert [(r["arm"], r["engine"], r["trigger_tokens"], r["landing_tokens"]) for r in own.rows] == [
        ("half", "none", None, None),
        ("saw", "parametric", 60_000, 20_000),
    ]
    other = explain(load_scenario(path), engines=["hermes@0.22"], windows=["1M"], opened=opened)
    assert [(r["arm"], r["trigger_tokens"], r["max_tokens"]) for r in other.rows] == [
        ("half", 484_000, 32_000),
        ("saw", 484_000, 32_000),
    ]


def test_the_auxiliary_models_window_lowers_the_trigger(opened: Opened) -> None:
    blocks = {"compression": {"threshold": 0.5}, "auxiliary": {"compression": {"context_length": 128_000}}}
    (row,) = explain(blocks, windows=["1M"], opened=opened).rows
    assert (row["trigger_tokens"], row["trigger_rule"], row["auxiliary_window"]) == (
        128_000,
        "auxiliary_window",
        128_000,
    )


@pytest.mark.parametrize(
    ("blocks", "window", "topic", "said"),
    [
        ({"threshold": 0.5}, 1_000_000, "first", "compaction fires first, at 500,000 tokens"),
        ({"threshold": 0.5}, 1_000_000, "first", "keeps up to 37,500 of the newest tokens"),
        ({"threshold": 0.5, "proactive_prune_tokens": 60_000}, 1_000_000, "first", "prune fires first, at 60,000"),
        ({"threshold": 0.5, "proactive_prune_tokens": 60_000}, 1_000_000, "cost", "above 8,000 characters"),
        (
            {"threshold": 0.5, "proactive_prune_tokens": 600_000},
            1_000_000,
            "never",
            "comes after compaction at 500,000",
        ),
        ({"threshold": 0.7, "threshold_tokens": 230_000}, 1_000_000, "never", "alone it would fire at 700,000"),
        ({"threshold": 0.7, "threshold_tokens": 230_000}, 260_000, "never", "threshold_tokens 230,000 never decides"),
        ({"threshold": 0.3}, 200_000, "collapse", "every value up to 0.75 fires at 150,000"),
        ({"idle_compact_after_seconds": 900}, 1_000_000, "first", "after a pause of 900 s a request above 100,000"),
        ({"threshold": 0.95}, 1_000_000, "first", "hygiene fires before it, at 850,000"),
        ({"enabled": False}, 1_000_000, "off", "nothing ever compacts"),
        ({"threshold": 0.5}, 32_000, "limit", "refuses to start on a window below 64,000"),
        ({"target_ratio": 0.4}, 1_000_000, "ignored", "target_ratio plays no part"),
        ({"tresholds": 0.4}, 1_000_000, "ignored", "did you mean `compression.threshold`"),
    ],
)
def test_diagnosis_in_plain_words(blocks: dict[str, Any], window: int, topic: str, said: str, opened: Opened) -> None:
    found = explain({"compression": blocks}, windows=[window], opened=opened).diagnosis
    assert any(one.topic == topic and said in one.text for one in found), [one.text for one in found]


def test_nothing_is_said_twice(opened: Opened) -> None:
    blocks = {"compression": {"threshold": 0.7, "threshold_tokens": 230_000, "proactive_prune_tokens": 240_000}}
    found = explain(blocks, windows=["260K"], opened=opened).diagnosis
    assert len({one.text for one in found}) == len(found)
    assert sum("threshold_tokens 230,000" in one.text for one in found) == 1


def test_one_engine_serves_many_cases(opened: Opened) -> None:
    """Bulk resolving gives what single questions give."""
    cases = [Case("x", LATE, w, {"compression": {"threshold": r}}) for w in (10**5, 10**6) for r in (0.3, 0.8)]
    engine = opened[LATE.model_dump_json()]
    single = [engine.resolve(Open("explain", "unknown", c.window, None, (), c.settings)) for c in cases]
    assert resolve_cases(cases, opened=opened) == single


@pytest.mark.parametrize(("windows", "engines"), [(["lots"], []), (["0"], []), ([], ["hermes@9"]), ([], ["hermse"])])
def test_bad_arguments_are_usage_errors(windows: list[str], engines: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        explain({}, windows=windows, engines=engines)
    assert caught.value.remedy


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        explain(tmp_path / "none.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("compression: [", "utf-8")
    with pytest.raises(InputError):
        explain(broken)
