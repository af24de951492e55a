"""Presets: ours by name, a person's by path, changes by knob; errors that can be acted on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sim.errors import InputError, ManyErrors
from sim.workload import Preset, load_preset, preset_names, require_room
from sim.workload.preset import ARGUMENT_TEXTS, RESULT_TEXTS
from sim.workload.synthetic.text import ARGUMENTS, RESULTS

SMALL: dict[str, Any] = {
    "schema": 1,
    "turns": 3,
    "user": 50,
    "answer": 80,
    "latency": 5,
    "think_time": 60,
    "tools": {"terminal": {"arguments": 30, "result": 200, "seconds": 1}},
}


def write(folder: Path, data: Any, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(data if isinstance(data, str) else yaml.safe_dump(data), encoding="utf-8")
    return path


def test_the_presets_that_come_along() -> None:
    assert set(preset_names()) >= {
        "chinese-docs", "coding-2026", "coding-2h", "data-analysis", "fan-out", "gateway-chat", "heartbeat",
        "log-triage", "long-haul", "sub-agent", "tiny-window", "web-research",
    }  # fmt: skip
    for name in preset_names():
        preset = load_preset(name)
        assert preset.name == name
        assert preset.title
        assert preset.note, "a preset says where its numbers come from"


def test_every_kind_of_text_has_a_maker() -> None:
    assert set(RESULT_TEXTS) <= set(RESULTS)
    assert set(ARGUMENT_TEXTS) == set(ARGUMENTS)


def test_a_preset_of_ones_own(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL)
    assert load_preset(str(path)).name == "mine"
    assert load_preset("mine.yaml", base_dir=tmp_path) == load_preset(str(path))


def test_a_copy_can_build_on_another(tmp_path: Path) -> None:
    write(tmp_path, SMALL, "base.yaml")
    path = write(tmp_path, {"extends": "base.yaml", "tools": {"terminal": {"fails": "10%"}}})
    tool = load_preset(str(path)).tools["terminal"]
    assert tool.fails == 0.1
    assert tool == load_preset(str(tmp_path / "base.yaml")).tools["terminal"].model_copy(update={"fails": 0.1})
    onto = write(tmp_path, {"extends": "long-haul", "calls": 20}, "short.yaml")
    assert load_preset(str(onto)).tools == load_preset("long-haul").tools


def test_knobs_dotted_or_nested() -> None:
    dotted = load_preset("long-haul", overrides={"prefix.mcp_tokens": "9K", "think_time": 30})
    nested = load_preset("long-haul", overrides={"prefix": {"mcp_tokens": 9_000}, "think_time": 30})
    assert dotted == nested
    assert dotted.prefix.mcp_tokens == 9_000
    assert dotted.prefix.skills_tokens == load_preset("long-haul").prefix.skills_tokens


def test_another_kind_of_distribution_replaces_the_old_one_whole() -> None:
    changed = load_preset("long-haul", overrides={"think_time": {"kind": "exponential", "mean": 90}})
    assert changed.think_time.model_dump() == {
        "kind": "exponential", "mean": 90.0, "zero": 0.0, "min": 0.0, "max": None,
    }  # fmt: skip


def test_scales() -> None:
    mix, full = load_preset("coding-2h"), load_preset("coding-2h", overrides={"scale": "full"})
    assert mix.totals.results is not None
    assert full.totals.results is not None
    assert (mix.totals.results.target, full.totals.results.target) == (48_449, 127_000)
    with pytest.raises(InputError, match=r"no scale 'huge'.*mix, full"):
        load_preset("coding-2h", overrides={"scale": "huge"})


def test_presets_are_frozen() -> None:
    preset = load_preset("coding-2h")
    with pytest.raises(ValueError, match="frozen"):
        preset.parallel = 0.5  # type: ignore[misc]
    assert Preset.model_validate(preset.model_dump(by_alias=True)) == preset


BAD: list[tuple[Any, str]] = [
    ("", "is not a preset"),
    ("[1, 2]", "is not a preset"),
    ("turns: 3\nturns: 4\n", "duplicate key 'turns'"),
    ("turns: [3\n", "not valid YAML"),
    ({**SMALL, "trns": 3}, r"unknown key `trns`.*did you mean 'turns'"),
    ({**SMALL, "prefix": {"skill": 3}}, r"unknown key `prefix.skill`.*did you mean 'skills'"),
    ({k: v for k, v in SMALL.items() if k != "user"}, "`user` is missing"),
    ({**SMALL, "think_time": -5}, r"`think_time.value` is -5"),
    ({**SMALL, "think_time": {"kind": "lognormal", "median": -3, "sigma": 1}}, r"`think_time.median` is -3"),
    ({**SMALL, "user": {"kind": "normal", "mean": 3}}, r"`user` is no known distribution"),
    ({**SMALL, "user": {"kind": "lognormal", "median": 9, "sigma": 1, "min": 9, "max": 3}}, "max 3 is below min 9"),
    ({**SMALL, "parallel": "140%"}, "`parallel`"),
    ({**SMALL, "rhythm": {"from_hour": 9, "to_hour": 8}}, "to_hour 8 is not after from_hour 9"),
    ({**SMALL, "switches": "10%"}, "`switches` needs `other_model`"),
    ({**SMALL, "totals": {"growth": {"target": 900}, "user": {"target": 9}}}, "`growth` scales everything"),
    ({**SMALL, "origin": "space"}, "`origin` is 'space'"),
    ({**SMALL, "extends": "mine.yaml"}, "extends itself"),
    ({**SMALL, "extends": "no-such.yaml"}, "there is no preset 'no-such.yaml'"),
    ({**SMALL, "tools": {"t": {"arguments": 3, "result": 3, "seconds": 1, "result_text": {"poem": 1}}}}, "poem"),
]


@pytest.mark.parametrize(("data", "words"), BAD)
def test_bad_presets(tmp_path: Path, data: Any, words: str) -> None:
    path = write(tmp_path, data)
    with pytest.raises(InputError, match=words) as caught:
        load_preset("mine.yaml", base_dir=tmp_path)
    assert caught.value.exit_code == 3
    assert "mine.yaml" in str(caught.value) or caught.value.remedy
    assert isinstance(caught.value, ManyErrors) or caught.value.remedy
    assert path.exists()


def test_counts_and_weights_do_not_mix() -> None:
    tools = {name: {**SMALL["tools"]["terminal"]} for name in ("a", "b")}
    tools["a"]["count"] = 3
    with pytest.raises(ValueError, match="either every tool has a `count`"):
        Preset.model_validate({**SMALL, "name": "x", "tools": tools})


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    write(tmp_path, {**SMALL, "parallel": 3, "sticky": -1})
    with pytest.raises(ManyErrors, match="parallel"):
        load_preset("mine.yaml", base_dir=tmp_path)


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"did you mean 'long-haul'\?.*coding-2h"):
        load_preset("longhaul")


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        load_preset(str(tmp_path / "x.yaml"))


def test_a_preset_must_fit_the_window_before_the_first_call() -> None:
    require_room(load_preset("tiny-window"), 8_000)
    require_room(load_preset("long-haul"), 200_000)
    with pytest.raises(InputError, match=r"starts with about 24,\d+ tokens.*prefix.skills_tokens") as caught:
        require_room(load_preset("long-haul"), 20_000)
    assert caught.value.exit_code == 3


def test_a_preset_of_aliases_that_stand_for_billions_is_refused_at_once(tmp_path: Path) -> None:
    rows = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    rows += [f"{n}: &{n} [{', '.join([f'*{chr(ord(n) - 1)}'] * 9)}]" for n in "bcdefghij"]
    (tmp_path / "bomb.yaml").write_text("\n".join(rows))
    with pytest.raises(InputError, match="aliases"):
        load_preset("bomb.yaml", base_dir=tmp_path)


def test_a_scale_that_is_no_name_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no scale"):
        load_preset("coding-2h", overrides={"scale": ["mix"]})
