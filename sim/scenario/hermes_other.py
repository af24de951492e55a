"""Hermes settings inside our blocks that have no bearing on context or cost, and which version reads which setting."""

from __future__ import annotations

import re

from sim.scenario.hermes_keys import ONLY_022

_TASKS = (
    "vision",
    "web_extract",
    "skills_hub",
    "approval",
    "review",
    "mcp",
    "title_generation",
    "memory_query_rewrite",
    "tts_audio_tags",
    "voice_chat",
    "triage_specifier",
    "kanban_decomposer",
    "profile_describer",
    "goal_judge",
    "curator",
    "monitor",
    "background_review",
    "moa_reference",
    "moa_aggregator",
)

OTHER = frozenset(
    [f"auxiliary.{task}" for task in _TASKS]
    + ["auxiliary.stream_only_base_urls"]
    + [f"auxiliary.compression.{k}" for k in ("base_url", "api_key", "api_mode", "extra_body", "reasoning_effort")]
    + ["auxiliary.compression.no_progress_timeout"]
    + [
        f"compression.{k}"
        for k in (
            "checkpoint_required",
            "progress_notices",
            "hygiene_timeout_seconds",
            "hygiene_total_ceiling_seconds",
            "hygiene_failure_cooldown_seconds",
            "hygiene_max_turn_hold_seconds",
            "codex_gpt55_autoraise_notice",
            "codex_app_server_auto",
            "codex_responses_native",
            "codex_responses_compact_threshold",
        )
    ]
    + [f"memory.{k}" for k in ("write_approval", "prefetch_spill_enabled", "nudge_interval", "provider")]
    + [f"model.{k}" for k in ("base_url", "api_key", "api_mode", "api_base", "extra_body", "reasoning_effort", "name")]
)

_SECRET = re.compile(r"(^|_)(api_?key|key|token|secret|password|passwd|credential|auth)s?($|_)", re.IGNORECASE)


def is_secret(key: str) -> bool:
    """Whether a key's value must never be shown."""
    return bool(_SECRET.search(key)) and not key.endswith(("_tokens", "_token_limit"))


def reads(version: str, path: str) -> bool:
    """Whether a Hermes version reads a setting."""
    return version != "0.19" or path not in ONLY_022
