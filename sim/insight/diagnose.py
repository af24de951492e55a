"""Plain-language findings about settings: what fires first, what never fires, what is ignored, what collapses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from sim.engine import EngineInfo
from sim.engine.hermes.inert import SMALL_RATIO, SMALL_WINDOW, ratio_trigger
from sim.insight.gates import Case, gates_row, version_of

Level: TypeAlias = Literal["note", "warning"]


TOLD_BY_DIAGNOSIS = frozenset(
    f"compression.{key}" for key in ("threshold", "threshold_tokens", "proactive_prune_tokens")
)
"""Settings whose lack of effect on a window `diagnose` tells itself."""


@dataclass(frozen=True, slots=True)
class Said:
    """One finding.

    Attributes:
        level: `warning` when something does not do what it seems to.
        topic: `first`, `never`, `collapse`, `ignored`, `limit`, `cost` or `off`.
        arm, engine, window: what it is about; window None for all of them.
        text: in plain words, with the numbers.
    """

    level: Level
    topic: str
    arm: str
    engine: str
    window: int | None
    text: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        return asdict(self)


def collapses(rows: Sequence[Mapping[str, Any]]) -> list[Said]:
    """Different settings that come to one and the same trigger, by engine and window.

    Args:
        rows: rows of `explain`.
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["trigger_tokens"] is not None and row["threshold"] is not None:
            groups.setdefault((row["engine"], row["window"], row["trigger_tokens"]), []).append(row)
    found = []
    for (engine, window, trigger), same in groups.items():
        settings = sorted({(float(r["threshold"]), r["threshold_tokens"] or 0) for r in same})
        if len(settings) < 2:
            continue
        words = [f"{ratio:g}" + (f" with a cap of {cap:,}" if cap else "") for ratio, cap in settings]
        why = " and ".join(sorted({_WHY.get(r["trigger_rule"], r["trigger_rule"]) for r in same}))
        arms = ", ".join(dict.fromkeys(str(r["arm"]) for r in same))
        text = (
            f"threshold {', '.join(words[:-1])} and {words[-1]} are one and the same trigger on a window of "
            f"{window:,}: {trigger:,} tokens ({why})"
        )
        found.append(Said("warning", "collapse", arms, engine, window, text))
    return found


_WHY = {
    "floor_75": f"windows below {SMALL_WINDOW:,} raise the threshold to {SMALL_RATIO}",
    "floor_64k": "the trigger is at least 64,000",
    "degenerate_85": "the floor does not fit the window, so 85 % of it applies",
    "threshold_tokens": "the absolute cap decides",
    "auxiliary_window": "the auxiliary model's window is smaller",
    "threshold": "the threshold decides",
    "model_thresholds": "a threshold for this model decides",
}


def diagnose(case: Case, info: EngineInfo) -> list[Said]:
    """Findings about one combination.

    Args:
        info: what the real engine resolved it to.
    """
    row = gates_row(case, info)
    label, window, trigger = case.engine.label, case.window, info.trigger_tokens

    def say(level: Level, topic: str, text: str) -> None:
        found.append(Said(level, topic, case.arm, label, window, text))

    found: list[Said] = []
    if row["agent_refuses_window"]:
        minimum = info.details.get("minimum_window", 64_000)
        say(
            "warning",
            "limit",
            f"the Hermes agent refuses to start on a window below {minimum:,}; figures for {window:,} are the engine "
            "class's own",
        )
    if trigger is None:
        say("warning", "off", "nothing ever compacts: a request larger than the window ends the session")
        return found
    _order(row, trigger, say)
    _limits(case, info, row, trigger, say)
    return found


def _order(row: Mapping[str, Any], trigger: int, say: Any) -> None:
    """What fires first, and what then never does."""
    window, prune = row["window"], row["proactive_prune_tokens"]
    share = f"{trigger / window:.1%} of the window"
    if prune and prune < trigger:
        chars, back = row["proactive_prune_min_result_chars"], row["proactive_prune_min_reclaim_tokens"]
        say(
            "note",
            "first",
            f"the proactive prune fires first, at {prune:,} tokens of request after a tool round, above "
            f"{row['proactive_prune_above_rows']} messages, if it gives back {back:,} tokens; compaction fires at "
            f"{trigger:,} ({share})",
        )
        say(
            "note",
            "cost",
            "each prune re-sends nearly the whole history uncached once, and shortens only tool results above "
            f"{chars:,} characters; smaller ones pile up until compaction",
        )
    elif prune:
        say(
            "warning",
            "never",
            f"the proactive prune at {prune:,} comes after compaction at {trigger:,}: it runs only where compaction is "
            "blocked",
        )
    else:
        say("note", "first", f"compaction fires first, at {trigger:,} tokens of request ({share})")
    idle, floor = row["idle_compact_after_seconds"], row["idle_floor_tokens"]
    if idle:
        say(
            "note",
            "first",
            f"after a pause of {idle:,} s a request above {floor:,} tokens is compacted before the next message",
        )
    if row["hygiene_tokens"] is not None and trigger > row["hygiene_tokens"]:
        say(
            "note",
            "first",
            f"behind a messaging gateway hygiene fires before it, at {row['hygiene_tokens']:,} tokens or "
            f"{row['hygiene_hard_message_limit']:,} messages",
        )


def _limits(case: Case, info: EngineInfo, row: Mapping[str, Any], trigger: int, say: Any) -> None:
    """Which rule decided, and which settings it makes idle."""
    window, rule, version = case.window, info.trigger_rule, version_of(case, info)
    ratio, cap = row["threshold"], row["threshold_tokens"]
    if rule == "floor_75":
        say(
            "warning",
            "collapse",
            f"threshold {ratio:g} is raised to {SMALL_RATIO} because the window is below {SMALL_WINDOW:,}: every value "
            f"up to {SMALL_RATIO} fires at {trigger:,}",
        )
    if rule == "floor_64k":
        say("warning", "collapse", f"threshold {ratio:g} comes to less than the floor: {trigger:,} applies")
    if rule == "auxiliary_window":
        say(
            "warning",
            "limit",
            f"the trigger is lowered to the auxiliary model's window, {trigger:,}; a larger window lifts it",
        )
    if info.details.get("auxiliary_window_refused"):
        say("warning", "limit", "the auxiliary model's window is too small: every compaction fails with an error")
    if version and isinstance(ratio, (int, float)) and isinstance(cap, int) and rule != "auxiliary_window":
        alone = ratio_trigger(version, window, float(ratio), row["max_tokens"])
        if rule == "threshold_tokens":
            say(
                "note",
                "never",
                f"threshold {ratio:g} never decides: alone it would fire at {alone:,}, the cap fires at {trigger:,}",
            )
        elif cap >= trigger:
            say(
                "warning", "never", f"threshold_tokens {cap:,} never decides: the threshold fires first, at {trigger:,}"
            )
    if info.tail_kept_tokens:
        say(
            "note",
            "first",
            f"a compaction keeps up to {info.tail_kept_tokens:,} of the newest tokens verbatim (budget "
            f"{info.tail_tokens:,})",
        )
