"""Hermes's settings by version: read from the packages, and judged as the real engines act."""

from __future__ import annotations

import copy
import json
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engine import Open
from sim.engine.hermes.client import HermesEngine
from sim.engine.hermes.extract import extract
from sim.engine.hermes.inert import Situation, ratio_trigger
from sim.engine.hermes.settings import (
    BLOCKS,
    RENAMED,
    check_blocks,
    defaults,
    fits,
    merge,
    reads,
    settings,
)
from sim.engine.hermes.versions import VERSIONS

LABELS = tuple(VERSIONS)


@pytest.mark.parametrize("label", LABELS)
def test_the_stored_defaults_are_those_of_the_package(label: str) -> None:
    stored = json.loads((files("sim.engine.hermes") / "defaults" / f"hermes-{label}.json").read_text("utf-8"))
    assert stored == json.loads(json.dumps(extract(label)))


@pytest.mark.parametrize("label", LABELS)
def test_every_default_is_right_by_our_own_judgement(label: str) -> None:
    judged = check_blocks(label, defaults(label))
    assert judged.misplaced == judged.renamed == judged.unknown == judged.wrong_type == ()
    assert set(judged.works) | {one.setting for one in judged.ignored} == {
        path for path, one in settings(label).items() if one.default is not None or one.nullable
    } & set(_leaf_paths(defaults(label)))


def _leaf_paths(node: dict[str, Any], at: str = "") -> list[str]:
    found: list[str] = []
    for key, value in node.items():
        path = f"{at}.{key}" if at else key
        found += _leaf_paths(value, path) if isinstance(value, dict) and value else [path]
    return found


def test_defaults_are_fresh_copies() -> None:
    first = defaults("0.22")
    first["compression"]["threshold"] = 0.9
    assert defaults("0.22")["compression"]["threshold"] == 0.5


def test_the_versions_differ_as_the_packages_do() -> None:
    only_late = {path for path in settings("0.22") if not reads("0.19", path)}
    for key in (
        "threshold_tokens",
        "tail_mode",
        "proactive_prune_tokens",
        "idle_compact_after_seconds",
        "max_attempts",
        "model_thresholds",
        "min_tail_user_messages",
    ):
        assert f"compression.{key}" in only_late
    assert "auxiliary.free_only" in only_late
    assert reads("0.19", "compression.threshold")
    assert reads("0.19", "auxiliary.web_extract.timeout")
    assert not reads("0.22", "auxiliary.web_extract.timeout")
    assert reads("0.22", "compression.model_thresholds.gpt-5.5")


def test_merge_is_hermes_own() -> None:
    base = defaults("0.22")
    merged = merge(base, {"compression": {"threshold": 0.7}, "memory": None, "extra": 1})
    assert merged["compression"]["threshold"] == 0.7
    assert merged["compression"]["tail_mode"] == "lean"
    assert merged["memory"] == base["memory"]
    assert merge(base, {}) == base


# the guide's two blocks and other mistakes --------------------------------------------------------------------------

GUIDE: dict[str, Any] = {
    "compression": {
        "enabled": True,
        "tail_mode": "lean",
        "threshold": 0.7,
        "threshold_tokens": 230_000,
        "target_ratio": 0.2,
        "proactive_prune_tokens": 60_000,
        "proactive_prune_min_reclaim_tokens": 8_192,
        "max_attempts": 3,
        "idle_compact_after_seconds": 1_800,
    },
    "auxiliary": {"compression": {"provider": "openrouter", "model": "a-model", "free_only": True}},
    "memory_char_limit": 8_000,
    "user_char_limit": 4_000,
}


def test_the_guides_lines() -> None:
    judged = check_blocks("0.22", GUIDE)
    assert {one.path: one.home for one in judged.misplaced} == {
        "auxiliary.compression.free_only": "auxiliary.free_only",
        "memory_char_limit": "memory.memory_char_limit",
        "user_char_limit": "memory.user_char_limit",
    }
    assert judged.ignored == judged.unknown == judged.renamed == judged.wrong_type == ()
    early = check_blocks("0.19", GUIDE)
    assert {one.setting.rpartition(".")[2] for one in early.ignored} == {
        "tail_mode",
        "threshold_tokens",
        "proactive_prune_tokens",
        "proactive_prune_min_reclaim_tokens",
        "max_attempts",
        "idle_compact_after_seconds",
    }
    assert all("hermes@0.22 has" in one.reason for one in early.ignored)


def test_the_cap_of_the_guide_is_idle_at_260k() -> None:
    judged = check_blocks("0.22", GUIDE, Situation(window=260_000))
    assert {one.setting for one in judged.ignored} == {"compression.threshold", "compression.threshold_tokens"}
    assert any("195,000" in one.reason for one in judged.ignored)
    assert {one.setting for one in check_blocks("0.22", GUIDE, Situation(window=1_000_000)).ignored} == {
        "compression.threshold"
    }


@pytest.mark.parametrize(
    ("blocks", "home"),
    [
        ({"compression": {"treshold": 0.5}}, "compression.threshold"),
        ({"compression": {"threshold_token": 5}}, "compression.threshold_tokens"),
        ({"compresion": {"threshold": 0.5}}, "compression"),
        ({"compression": {"memory_char_limt": 5}}, "memory.memory_char_limit"),
        ({"auxiliary": {"compresion": {}}}, "auxiliary.compression"),
        ({"auxiliary": {"compression": {"modle": "x"}}}, "auxiliary.compression.model"),
    ],
)
def test_the_nearest_right_spelling(blocks: dict[str, Any], home: str) -> None:
    (one,) = check_blocks("0.22", blocks).unknown
    assert one.home == home
    assert home in one.reason


def test_renamed_keys() -> None:
    for old, new in RENAMED.items():
        (one,) = check_blocks("0.19", {"compression": {old.rpartition(".")[2]: "x"}}).renamed
        assert (one.path, one.home) == (old, new)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("compression.threshold", "0.5"),
        ("compression.threshold", False),
        ("compression.threshold_tokens", "230K"),
        ("compression.threshold_tokens", 1.5),
        ("compression.protect_last_n", None),
        ("compression.enabled", "maybe"),
        ("compression.model_thresholds", [1]),
        ("memory.memory_char_limit", "2200"),
        ("prompt_caching.cache_ttl", "2h"),
        ("auxiliary.compression.timeout", "2m"),
    ],
)
def test_wrong_types(path: str, value: object) -> None:
    blocks: dict[str, Any] = {}
    node = blocks
    *above, leaf = path.split(".")
    for key in above:
        node = node.setdefault(key, {})
    node[leaf] = value
    (one,) = check_blocks("0.22", blocks).wrong_type
    assert one.path == path
    assert f"`{path}` must be" in one.reason


def test_right_types_that_look_odd() -> None:
    blocks = {
        "compression": {"threshold": 1, "threshold_tokens": None, "context_timeout_seconds": 1.5},
        "prompt_caching": {"cache_ttl": False},
        "model": "a-model",
        "memory": None,
    }
    assert check_blocks("0.22", blocks).wrong_type == ()
    assert [one.path for one in check_blocks("0.19", {"prompt_caching": {"cache_ttl": "auto"}}).wrong_type] == [
        "prompt_caching.cache_ttl"
    ]
    (one,) = check_blocks("0.22", {"compression": 5}).wrong_type
    assert one.reason == "`compression` must be a mapping"


def test_other_sections_are_passed_over_and_secrets_never_shown() -> None:
    blocks = {
        "display": {"theme": 1},
        "mcp_servers": {"x": {"enabled": True}},
        "auxiliary": {"compression": {"api_key": 12345, "provider": "auto"}},
        "compression": {"api_token": "sk-secret"},
    }
    judged = check_blocks("0.22", blocks)
    assert judged.misplaced == ()
    assert [one.value for one in (*judged.wrong_type, *judged.unknown)] == ["•••", "•••"]
    assert "12345" not in judged.wrong_type[0].reason


@pytest.mark.parametrize(
    ("version", "blocks", "situation", "setting", "said"),
    [
        ("0.22", {"compression": {"target_ratio": 0.3}}, Situation(), "target_ratio", "lean"),
        ("0.19", {"compression": {"target_ratio": 0.95}}, Situation(), "target_ratio", "0.8 applies"),
        ("0.22", {"compression": {"tail_mode": "fat"}}, Situation(), "tail_mode", "counts as lean"),
        (
            "0.22",
            {"compression": {"proactive_prune_min_reclaim_tokens": 9}},
            Situation(),
            "proactive_prune_min_reclaim_tokens",
            "off",
        ),
        (
            "0.22",
            {"compression": {"proactive_prune_tokens": 60_000, "proactive_prune_min_result_chars": 50}},
            Situation(),
            "proactive_prune_min_result_chars",
            "raised to 200",
        ),
        ("0.22", {"compression": {"max_attempts": 40}}, Situation(), "max_attempts", "limited to 10"),
        ("0.22", {"compression": {"max_attempts": 0}}, Situation(), "max_attempts", "default 3"),
        (
            "0.22",
            {"compression": {"hygiene_hard_message_limit": 9}},
            Situation(gateway=False),
            "hygiene_hard_message_limit",
            "gateway",
        ),
        (
            "0.22",
            {"compression": {"model_thresholds": {"gpt": 0.6}}},
            Situation(model="claude-opus-4-7"),
            "model_thresholds",
            "none of its keys",
        ),
        ("0.22", {"prompt_caching": {"cache_ttl": "1h"}}, Situation(model="deepseek-v4-pro"), "cache_ttl", "provider"),
        ("0.22", {"prompt_caching": {"cache_ttl": "1h"}}, Situation(model="qwen3-max"), "cache_ttl", "limited to 5m"),
        (
            "0.22",
            {"compression": {"threshold": 0.7, "proactive_prune_tokens": 300_000}},
            Situation(window=260_000),
            "proactive_prune_tokens",
            "compaction fires first, at 195,000",
        ),
        ("0.22", {"compression": {"threshold": 0.5, "enabled": False}}, Situation(), "threshold", "switched off"),
        ("0.22", {"auxiliary": {"compression": {"timeout": 60}}}, Situation(), "timeout", "300"),
        ("0.19", {"compression": {"threshold": 0.4}}, Situation(window=64_000), "threshold", "floor"),
    ],
)
def test_settings_without_effect_beside_others(
    version: str, blocks: dict[str, Any], situation: Situation, setting: str, said: str
) -> None:
    judged = check_blocks(version, blocks, situation)
    found = {one.setting.rpartition(".")[2]: one.reason for one in (*judged.ignored, *judged.limited)}
    assert said in found[setting]


def test_a_limited_value_still_works() -> None:
    """A value out of range is moved into it; leaving the setting out would be another thing."""
    judged = check_blocks("0.22", {"compression": {"max_attempts": 40, "tail_mode": "legacy", "target_ratio": 0.95}})
    assert judged.ignored == ()
    assert {one.setting for one in judged.limited} == {"compression.max_attempts", "compression.target_ratio"}
    assert "compression.max_attempts" in judged.works


@given(
    chars=st.integers(0, 400),
    attempts=st.integers(-3, 20),
    ratio=st.floats(0.0, 1.0),
    prune=st.sampled_from([0, 60_000]),
    mode=st.sampled_from(["lean", "legacy", "other"]),
    idle=st.sampled_from([0, 600]),
)
def test_leaving_out_what_is_ignored_changes_nothing(
    engines: dict[str, HermesEngine], chars: int, attempts: int, ratio: float, prune: int, mode: str, idle: int
) -> None:
    block = {
        "proactive_prune_tokens": prune,
        "proactive_prune_min_result_chars": chars,
        "max_attempts": attempts,
        "target_ratio": ratio,
        "tail_mode": mode,
        "idle_compact_after_seconds": idle,
    }
    idle_keys = {one.setting.rpartition(".")[2] for one in check_blocks("0.22", {"compression": block}).ignored}
    rest = {key: value for key, value in block.items() if key not in idle_keys}

    def figures(given: dict[str, Any]) -> tuple[Any, ...]:
        info = engines["0.22"].resolve(Open("s", "a-model", 1_000_000, None, (), {"compression": given}))
        details = {key: info.details[key] for key in ("max_attempts", "idle_floor_tokens", "tail_mode")}
        chars_used = info.details["proactive_prune_min_result_chars"] if prune else None
        return info.trigger_tokens, info.tail_tokens, info.tail_kept_tokens, tuple(details.values()), chars_used

    assert figures(block) == figures(rest)


def test_settings_with_effect_are_left_alone() -> None:
    blocks = {
        "compression": {
            "target_ratio": 0.3,
            "idle_compact_after_seconds": 600,
            "model_thresholds": {"anthropic:opus": 0.6},
        },
        "prompt_caching": {"cache_ttl": "1h"},
    }
    judged = check_blocks("0.22", blocks, Situation(window=1_000_000, model="claude-opus-4-7"))
    assert judged.ignored == ()


# properties ---------------------------------------------------------------------------------------------------------


@given(label=st.sampled_from(LABELS), data=st.data())
def test_a_slip_of_one_letter_is_put_right(label: str, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([p for p in settings(label) if p.startswith("compression.") and len(p) > 20]))
    leaf = path.rpartition(".")[2]
    place = data.draw(st.integers(1, len(leaf) - 2))
    slip = leaf[:place] + leaf[place + 1 :]
    judged = check_blocks(label, {"compression": {slip: 1}})
    homes = [one.home for one in judged.unknown]
    assert homes == [path] or slip in leaf.replace(leaf[place], "")


@given(label=st.sampled_from(LABELS), value=st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)))
def test_judging_never_fails_and_never_changes_its_input(label: str, value: object) -> None:
    blocks = {name: dict.fromkeys(("threshold", "model", "x"), value) for name in BLOCKS} | {"top": value}
    before = copy.deepcopy(blocks)
    check_blocks(label, blocks, Situation(window=200_000, model="m"))
    assert blocks == before


@given(value=st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers())))
def test_a_value_of_a_kind_is_taken_as_hermes_takes_it(value: object) -> None:
    known = settings("0.22")["compression.protect_last_n"]
    assert fits(known, value, "0.22") == (isinstance(value, int) and not isinstance(value, bool))


# against the real engines -------------------------------------------------------------------------------------------


def trigger(engine: HermesEngine, window: int, compression: dict[str, Any], max_tokens: int | None = None) -> int:
    found = engine.resolve(Open("s", "a-model", window, max_tokens, (), {"compression": compression})).trigger_tokens
    assert found is not None
    return found


@given(
    window=st.one_of(st.integers(4_000, 200_000), st.integers(200_000, 2_000_000), st.sampled_from([511_999, 512_000])),
    ratio=st.floats(0.05, 0.99),
    max_tokens=st.one_of(st.none(), st.integers(1, 64_000)),
)
def test_the_ratio_rule_is_the_real_one(
    engines: dict[str, HermesEngine], window: int, ratio: float, max_tokens: int | None
) -> None:
    for label in LABELS:
        real = trigger(engines[label], window, {"threshold": ratio}, max_tokens)
        assert ratio_trigger(label, window, ratio, max_tokens) == real


@given(
    window=st.sampled_from([64_000, 128_000, 200_000, 260_000, 400_000, 600_000, 1_000_000]),
    ratio=st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.75, 0.8, 0.9]),
    cap=st.one_of(st.none(), st.integers(20_000, 900_000)),
)
def test_what_is_said_to_have_no_effect_has_none(
    engines: dict[str, HermesEngine], window: int, ratio: float, cap: int | None
) -> None:
    late = engines["0.22"]
    block = {"threshold": ratio, "threshold_tokens": cap}
    real = trigger(late, window, block)
    idle = {one.setting for one in check_blocks("0.22", {"compression": block}, Situation(window=window)).ignored}
    without_cap = trigger(late, window, {"threshold": ratio})
    # The cap is said to be idle exactly when taking it away changes nothing.
    assert ("compression.threshold_tokens" in idle) == (cap is not None and without_cap == real)
    if "compression.threshold" in idle:
        # Under a cap a higher ratio changes nothing; under a floor a lower one does not.
        capped = cap is not None and without_cap > real
        other = 0.95 if capped else ratio * 0.6
        assert trigger(late, window, {**block, "threshold": other}) == real


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_a_number_without_end_is_of_the_wrong_kind(value: float) -> None:
    judged = check_blocks("0.22", {"compression": {"threshold": value}})
    assert [one.path for one in judged.wrong_type] == ["compression.threshold"]
