"""Scenarios that load: merging, origins, overrides, the resolved form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import InputError, ScenarioError, UsageError
from sim.scenario import Curve, UntilHalfWidth, check_scenario, from_mapping, load_scenario, resolved_yaml
from sim.scenario.resolved import dump_yaml

SCENARIOS = Path(__file__).parents[2] / "scenarios"
TEXT = """\
schema: 1
title: a title
seed: 7
replications: 4
model: {name: claude-opus-4-7, window: 1M, as_of: 2026-12-01}
workload: {kind: synthetic, preset: long-haul}
defaults:
  engine: hermes@0.22
  compression: {threshold: 0.6, protect_last_n: 30}
  memory: {memory_char_limit: 8000}
arms:
  one: {}
  two:
    engine: hermes@0.19
    model: {window: 260K, max_tokens: 32K}
    compression: {threshold: 0.7}
"""


def write(tmp_path: Path, text: str, name: str = "case.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def mapping(**changes: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "schema": 1,
        "model": {"name": "claude-opus-4-7", "window": "1M"},
        "workload": {"kind": "curve", "calls": 10, "first": "25K", "last": "50K"},
        "arms": {"nothing": {"engine": "none"}},
    }
    return {**data, **changes}


def test_defaults_lie_under_arms(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path, TEXT))
    one, two = scenario.arms
    assert scenario.name == "case"
    assert scenario.baseline == "one"
    assert one.engine.label == "hermes@0.22"
    assert one.settings["compression"] == {"threshold": 0.6, "protect_last_n": 30}
    assert two.engine.version == "0.19"
    assert two.settings["compression"] == {"threshold": 0.7, "protect_last_n": 30}
    assert two.settings["memory"] == {"memory_char_limit": 8000}
    assert (one.model.window, two.model.window, two.model.max_tokens) == (1_000_000, 260_000, 32_000)


def test_every_value_knows_where_it_came_from(tmp_path: Path) -> None:
    path = write(tmp_path, TEXT)
    two = load_scenario(path, overrides=["arms.two.compression.target_ratio=0.3"]).arm("two")
    assert two.origins["compression.threshold"] == f"{path}:16:19"
    assert two.origins["compression.protect_last_n"] == f"{path}:9:33"
    assert two.origins["compression.target_ratio"] == "--set arms.two.compression.target_ratio=0.3"
    assert two.origins["model.window"] == f"{path}:15:13"
    assert two.origins["engine"] == f"{path}:14:13"
    assert two.origins["compression.protect_first_n"] == "default of hermes@0.19"
    assert "compression.tail_mode" not in two.origins


def test_settings_that_a_version_does_not_read_are_warned_about(tmp_path: Path) -> None:
    text = TEXT.replace("{threshold: 0.7}", "{threshold_tokens: 230000}")
    checked = check_scenario(write(tmp_path, text))
    assert checked.scenario is not None
    assert any("hermes@0.19 has no such setting" in str(w) and w.where.line == 16 for w in checked.warnings)


def test_a_pointed_at_config_is_read_as_hermes_reads_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        "model: {default: anthropic/claude-opus-4.7, context_length: 200000, api_key: sk-very-secret}\n"
        "memory_char_limit: 8000\n"
        "compression:\n  threshold: 0.8\n  enabled: on\n  threshold_tokens: 230_000\n  treshold: 3\n"
        "auxiliary: {compression: {model: google/gemini-2.5-flash, api_key: sk-secret}, vision: {model: x}}\n"
        "discord: {token: hush}\n",
        "config.yaml",
    )
    text = TEXT.replace("  one: {}\n", "  one:\n    config: config.yaml\n    compression: {threshold: 0.9}\n")
    checked = check_scenario(write(tmp_path, text))
    one = checked.require().arm("one")
    assert one.settings["compression"] == {
        "threshold": 0.9,
        "protect_last_n": 30,
        "enabled": True,
        "threshold_tokens": 230_000,
    }
    assert one.settings["auxiliary"] == {"compression": {"model": "google/gemini-2.5-flash"}}
    assert one.model.window == 200_000
    assert one.misplaced == {"memory_char_limit": "memory.memory_char_limit"}
    assert one.origins["compression.threshold_tokens"] == f"{tmp_path / 'config.yaml'}:6:3"
    said = "\n".join(str(w) for w in checked.warnings)
    assert "did you mean `threshold`?" in said
    assert "it belongs to `memory:`" in said
    everything = said + resolved_yaml(checked.require()) + repr(checked)
    assert "secret" not in everything
    assert "hush" not in everything


def test_a_window_that_a_config_brings_is_said_and_set_goes_over_it(tmp_path: Path) -> None:
    write(tmp_path, "model: {context_length: 777000}\ncompression: {threshold: 0.8}\n", "config.yaml")
    text = TEXT.replace("  one: {}\n", "  one: {config: config.yaml}\n")
    path = write(tmp_path, text)
    checked = check_scenario(path)
    assert checked.require().arm("one").model.window == 777_000
    said = [str(w) for w in checked.warnings if "777,000" in str(w)]
    assert len(said) == 1
    assert "arm 'one' plays with the window of its config" in said[0]
    over = check_scenario(path, overrides=["model.window=300K"])
    assert over.require().arm("one").model.window == 300_000
    assert not any("777,000" in str(w) for w in over.warnings)
    own = check_scenario(
        write(tmp_path, text.replace("{config: config.yaml}", "{config: config.yaml, model: {window: 500K}}"))
    )
    assert own.require().arm("one").model.window == 500_000
    assert not any("777,000" in str(w) for w in own.warnings)


@pytest.mark.parametrize("name", sorted(p.name for p in SCENARIOS.glob("*.yaml")))
def test_shipped_scenarios_load_without_a_warning(name: str) -> None:
    checked = check_scenario(SCENARIOS / name)
    assert [str(f) for f in checked.findings] == []
    assert checked.require().name == name.removesuffix(".yaml")


def test_the_resolved_form_loads_back_to_itself(tmp_path: Path) -> None:
    for path in (*sorted(SCENARIOS.glob("cap*.yaml")), SCENARIOS / "curve.yaml", write(tmp_path, TEXT)):
        first = resolved_yaml(load_scenario(path))
        again = write(tmp_path, first, "again.yaml")
        assert resolved_yaml(load_scenario(again)) == first


def test_the_resolved_form_depends_on_the_meaning_alone(tmp_path: Path) -> None:
    plain = resolved_yaml(load_scenario(write(tmp_path, TEXT)))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    other = "# a comment\n" + TEXT.replace(
        "{threshold: 0.6, protect_last_n: 30}", "{protect_last_n: 30, threshold: 0.6}"
    ).replace("window: 1M", "window: 1000000")
    assert resolved_yaml(load_scenario(write(folder, other))) == plain
    changed = TEXT.replace("threshold: 0.7", "threshold: 0.71")
    assert resolved_yaml(load_scenario(write(folder, changed))) != plain
    assert str(tmp_path) not in plain


def test_replications_may_be_a_rule(tmp_path: Path) -> None:
    text = TEXT.replace("replications: 4", "replications: {until_half_width: 2%, at_most: 400}")
    rule = load_scenario(write(tmp_path, text)).replications
    assert rule == UntilHalfWidth(until_half_width=0.02, at_most=400)


class TestOverrides:
    """`--set`."""

    def load(self, tmp_path: Path, *overrides: str) -> Any:
        return load_scenario(write(tmp_path, TEXT), overrides=overrides)

    def test_a_quantity_with_a_suffix(self, tmp_path: Path) -> None:
        assert self.load(tmp_path, "model.window=230K").model.window == 230_000

    def test_null_and_lists(self, tmp_path: Path) -> None:
        scenario = self.load(tmp_path, "arms.one.compression.threshold_tokens=null")
        assert scenario.arm("one").settings["compression"]["threshold_tokens"] is None

    def test_a_star_means_every_arm(self, tmp_path: Path) -> None:
        scenario = self.load(tmp_path, "arms.*.compression.threshold=0.55")
        assert [a.settings["compression"]["threshold"] for a in scenario.arms] == [0.55, 0.55]

    def test_arm_names_may_hold_dots(self, tmp_path: Path) -> None:
        path = write(tmp_path, TEXT.replace("  one: {}", "  ratio-0.5: {}"))
        scenario = load_scenario(path, overrides=["arms.ratio-0.5.compression.threshold=0.5"])
        assert scenario.arm("ratio-0.5").settings["compression"]["threshold"] == 0.5

    def test_values_are_read_strictly(self, tmp_path: Path) -> None:
        with pytest.raises(ScenarioError, match=r"--set seed=012: .*the number 12"):
            self.load(tmp_path, "seed=012")

    def test_a_misspelt_path(self, tmp_path: Path) -> None:
        with pytest.raises(ScenarioError, match=r"--set sead=1: unknown key 'sead'.*did you mean 'seed'"):
            self.load(tmp_path, "sead=1")

    def test_an_unknown_arm(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"there is no arm 'three'.*one, two"):
            self.load(tmp_path, "arms.three.compression.threshold=0.5")

    @pytest.mark.parametrize("text", ["seed", "=3", "seed.more=3"])
    def test_not_a_path(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(UsageError, match="--set"):
            self.load(tmp_path, text)

    def test_an_override_replaces_an_error(self, tmp_path: Path) -> None:
        path = write(tmp_path, TEXT.replace("seed: 7", "seed: 012"))
        assert load_scenario(path, overrides=["seed=5"]).seed == 5


class TestMapping:
    """`from_mapping`."""

    def test_the_same_keys_as_a_file(self) -> None:
        scenario = from_mapping(mapping(), name="mine")
        assert scenario.name == "mine"
        assert scenario.workload == Curve(calls=10, first=25_000, last=50_000)
        assert "replications" not in scenario.model_fields_set

    def test_the_mapping_is_left_alone(self) -> None:
        data = mapping(baseline="nothing")
        before = repr(data)
        from_mapping(data, overrides=["workload.calls=20"])
        assert repr(data) == before

    def test_errors_name_the_key(self) -> None:
        with pytest.raises(InputError, match="scenario: `seed` must be a whole number"):
            from_mapping(mapping(seed="x"))

    def test_a_user_class_keeps_its_name(self) -> None:
        scenario = from_mapping(mapping(arms={"mine": {"engine": {"python": "pkg.mod:Engine"}}}))
        assert scenario.arms[0].engine.python == "pkg.mod:Engine"
        assert yaml.safe_load(resolved_yaml(scenario))["arms"]["mine"]["engine"] == {"python": "pkg.mod:Engine"}

    def test_blocks_of_our_own_engines(self) -> None:
        arms = {"p": {"engine": "parametric", "parametric": {"trigger": 100}}}
        assert from_mapping(mapping(arms=arms)).arms[0].engine_settings == {"parametric": {"trigger": 100}}


@given(
    st.text(max_size=12) | st.sampled_from(["no", "1e6", "012", "0o7", "1:30", "2026-12-01", "~", "230_000", "=", "<<"])
)
def test_dumped_texts_read_back_as_texts(text: str) -> None:
    dumped = dump_yaml({"key": text})
    assert yaml.safe_load(dumped) == {"key": text}
