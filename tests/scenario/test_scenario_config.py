"""Hermes configs: what becomes of each line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.engine.hermes.settings import fits, settings
from sim.errors import ConfigError
from sim.scenario import read_config
from sim.scenario.blocks import check_blocks
from sim.scenario.hermes_keys import BY_PATH, KNOWN

GUIDE = Path(__file__).parents[2] / "scenarios" / "guide"


def statuses(path: Path, version: str = "0.22") -> dict[str, str]:
    return {line.name: line.status for line in read_config(path, version).lines}


def test_the_guides_final_block_line_by_line() -> None:
    found = statuses(GUIDE / "final.yaml")
    misplaced = {"memory_char_limit", "user_char_limit", "auxiliary.compression.free_only"}
    assert {name for name, status in found.items() if status == "misplaced"} == misplaced
    assert {status for name, status in found.items() if name not in misplaced} == {"works"}
    assert len(found) == 13


def test_the_guides_misplaced_lines_say_where_they_belong() -> None:
    config = read_config(GUIDE / "final.yaml")
    assert config.misplaced == {
        "memory_char_limit": "memory.memory_char_limit",
        "user_char_limit": "memory.user_char_limit",
        "auxiliary.compression.free_only": "auxiliary.free_only",
    }
    assert "memory" not in config.settings
    assert config.settings["compression"]["threshold_tokens"] == 230_000
    said = [str(f) for f in config.findings]
    assert len(said) == 3
    assert f"{GUIDE / 'final.yaml'}:3:1: `memory_char_limit`: Hermes does not read it" in said[0]
    assert "it belongs to `memory:`" in said[0]


def test_the_guides_recommended_block_on_the_older_version() -> None:
    found = statuses(GUIDE / "recommended.yaml", "0.19")
    assert found["compression.threshold"] == "works"
    ignored = {n for n, s in found.items() if s == "ignored"}
    assert ignored == {
        "compression.tail_mode",
        "compression.threshold_tokens",
        "compression.proactive_prune_tokens",
        "compression.proactive_prune_min_reclaim_tokens",
        "compression.max_attempts",
        "compression.idle_compact_after_seconds",
    }


def test_other_sections_are_skipped_and_secrets_never_kept(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "terminal: {backend: local}\n"
        "discord: {bot_token: s3cret-a}\n"
        "auxiliary: {compression: {api_key: s3cret-b}, vision: {api_key: s3cret-c}}\n"
        "model: {default: m, api_key: s3cret-d}\n"
        "openrouter_api_key: s3cret-e\n"
    )
    config = read_config(path)
    assert "s3cret" not in repr(config.lines) + repr(config.settings) + repr(config.findings)
    assert {line.status for line in config.lines} == {"skipped", "works"}


@pytest.mark.parametrize(
    ("blocks", "name", "status", "part"),
    [
        (
            {"compression": {"summary_model": "x"}},
            "compression.summary_model",
            "renamed",
            "auxiliary.compression.model",
        ),
        ({"compression": {"tresh_old": 1}}, "compression.tresh_old", "unknown", "did you mean `threshold`?"),
        ({"compresion": {"threshold": 1}}, "compresion", "unknown", "did you mean `compression`?"),
        ({"threshold": 0.5}, "threshold", "misplaced", "`compression:`"),
        ({"compression": {"threshold": "50%"}}, "compression.threshold", "wrong type", "write 0.5"),
        ({"compression": "on"}, "compression", "wrong type", "values under it"),
        ({"memory": {"threshold_tokens": 5}}, "memory.threshold_tokens", "misplaced", "`compression:`"),
        ({"compression": {"zzzz": 5}}, "compression.zzzz", "unknown", "`compression` takes enabled, threshold"),
    ],
)
def test_lines_that_do_not_work(blocks: dict[str, object], name: str, status: str, part: str) -> None:
    (line,) = check_blocks(blocks, "0.22")
    assert (line.name, line.status) == (name, status)
    assert part in (line.remedy or "")


def test_a_block_with_nothing_in_it_is_no_line() -> None:
    assert check_blocks({"compression": None, "model": ""}, "0.22") == []


def test_yaml_1_1_readings_are_warned_about_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("compression:\n  enabled: off\n  enabled: yes\n  threshold_tokens: 1e5\n")
    config = read_config(path)
    assert config.settings["compression"] == {"enabled": True}
    said = "\n".join(str(f) for f in config.findings)
    assert "duplicate key 'enabled'" in said
    assert "the truth value true" in said
    assert "write 100000" in said
    assert all(f.level == "warning" for f in config.findings)


@pytest.mark.parametrize("text", ["", "- a\n", "a: [\n", "\tcompression: {}\n"])
def test_a_config_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"config\.yaml:"):
        read_config(path)


def test_anchors_and_merge_keys_work_in_a_config(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("base: &b {threshold: 0.6, protect_last_n: 9}\ncompression:\n  <<: *b\n  threshold: 0.8\n")
    assert read_config(path).settings["compression"] == {"threshold": 0.8, "protect_last_n": 9}


def test_a_config_of_aliases_of_aliases_does_not_explode(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    path = tmp_path / "config.yaml"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ConfigError, match="too large"):
        read_config(path)


@pytest.mark.parametrize("known", [k for k in KNOWN if k.example not in {"", "{}"}], ids=lambda k: k.path)
def test_examples_in_remedies_are_of_the_right_kind(known: object) -> None:
    import yaml

    from sim.scenario.hermes_keys import Known

    assert isinstance(known, Known)
    assert BY_PATH[known.path] is known
    setting = settings("0.22")[known.path]
    assert fits(setting, yaml.safe_load(known.example), "0.22")
    assert (setting.kind, setting.nullable) == (known.kind, known.nullable)
