"""Settings as they work: defaults that go without saying, and which settings share a saving."""

from __future__ import annotations

from typing import Any

from sim.report.effective import default, differing
from sim.report.tables import changed_trigger, setting
from sim.report.view import ArmView
from sim.report.words import Words


def arm(name: str = "a", engine: str = "hermes", version: str = "0.22", **row: Any) -> ArmView:
    row = {"engine": engine, "engine_version": version, "ignored_settings": [], **row}
    return ArmView(name=name, label=name, full=name, position=None, row=row, pair=None)


def test_defaults_are_those_of_the_arms_own_engine() -> None:
    assert default(arm(), "compression.tail_mode") == "lean"
    assert default(arm(version="0.22.2.post1"), "compression.threshold") == "0.5"
    assert default(arm(version="0.19"), "compression.tail_mode") is None
    assert default(arm(engine="parametric", version=""), "compression.threshold") is None
    assert default(arm(), "compression.no_such_setting") is None


def test_saying_the_default_is_no_difference() -> None:
    plain = arm(settings={"compression": {}})
    spoken = arm(settings={"compression": {"tail_mode": "lean", "threshold": 0.5}})
    assert differing(plain, spoken) == []


def test_a_saving_is_shared_by_what_differs_with_effect() -> None:
    base = arm(settings={"compression": {"threshold": 0.5, "threshold_tokens": None}})
    compression = {
        "threshold": 0.7,
        "threshold_tokens": 230_000,
        "idle_compact_after_seconds": 1800,
        "target_ratio": 0.3,
    }
    other = arm(
        settings={
            "compression": compression,
            "auxiliary": {"compression": {"provider": "openrouter", "model": "google/gemini-2.5-flash"}},
        },
        ignored_settings=[{"setting": "compression.target_ratio"}, {"setting": "compression.threshold"}],
    )
    found = ["threshold_tokens", "idle_compact_after_seconds", "auxiliary.compression"]
    assert differing(other, base) == found
    assert sorted(differing(base, other)) == sorted(found)
    assert differing(other, arm(engine="none", version="", settings={})) == []


def test_beside_an_arm_stands_only_what_it_changes() -> None:
    base = arm("base", settings={"compression": {"threshold": 0.5}})
    other = arm("other", settings={"compression": {"threshold": 0.7, "tail_mode": "lean", "protect_last_n": 30}})
    shown = setting(other, (base, other), Words("en")).splitlines()
    assert shown == ["threshold 0.7", "protect_last_n 30"]


def test_a_default_that_is_written_out_asks_for_no_other_trigger() -> None:
    one = arm(settings={"compression": {"threshold_tokens": 230_000}})
    two = arm(settings={"compression": {"threshold": 0.5, "threshold_tokens": 230_000}})
    three = arm(settings={"compression": {"threshold": 0.7, "threshold_tokens": 230_000}})
    assert changed_trigger(one) == changed_trigger(two) == {"threshold_tokens": "230000"}
    assert changed_trigger(three) != changed_trigger(one)
