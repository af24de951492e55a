"""What a change between two requests throws out of the cache, level by level (Anthropic's table, and OpenAI's list).

Levels in prefix order are tools, system, messages; a change at one level always takes the later ones with it. Source:
platform.claude.com prompt caching, "what invalidates the cache"; developers.openai.com prompt caching (2026-12-01).
"""

from __future__ import annotations

from collections.abc import Mapping

from sim.errors import InputError
from sim.history import Prompt, Row
from sim.provider.cache.breakpoint import opening_rows
from sim.streams import digest64

LEVELS = ("tools", "system", "messages")
SURVIVES: Mapping[str, tuple[bool, bool, bool]] = {
    "tools": (False, False, False),
    "model": (False, False, False),
    "output_format": (False, False, False),
    "web_search": (True, False, False),
    "citations": (True, False, False),
    "speed": (True, False, False),
    "system": (True, False, False),
    "tool_choice": (True, True, False),
    "parallel_tool_use": (True, True, False),
    "images": (True, True, False),
    "thinking": (True, True, False),
    "effort": (True, True, False),
}
"""Change → whether the cached tools, system prompt and messages survive (Anthropic).

`thinking` and `effort` are model-specific on Anthropic's page; here they keep tools and system, which holds for the
models that put these settings behind the system prompt.
"""
OPENAI_WHOLE = frozenset({"tools", "model", "parallel_tool_use", "output_format", "verbosity", "effort", "compaction"})
"""Settings that belong to OpenAI's cache key: a change of one loses the whole prefix."""
PRESERVING = (
    "a `role: system` message inside messages instead of an edited system prompt",
    "`defer_loading` with tool search instead of an added tool",
    "per-message effort (beta) instead of a changed effort",
)
"""Alternatives of newer models that keep the cache."""


def strips_thinking(model: str) -> bool:
    """Whether earlier thinking blocks leave the prompt when a plain user message arrives.

    True for Claude before Opus 4.5 and Sonnet 4.6 and for every Haiku up to 4.5; the cache is then lost from the first
    stripped block on.
    """
    import re

    name = model.lower().split("/")[-1].replace(".", "-")
    if "claude" not in name:
        return False
    keeps = re.search(r"(opus-4-[5-9]|sonnet-4-[6-9]|(opus|sonnet|fable|mythos)-[5-9]|haiku-[5-9])", name)
    return keeps is None


def surviving_levels(change: str, *, provider: str = "anthropic") -> tuple[str, ...]:
    """Levels whose cached prefix stays valid after a change.

    Raises:
        InputError: an unknown change.
    """
    if provider == "openai":
        if change in OPENAI_WHOLE:
            return ()
        return ("tools",) if change == "system" else LEVELS[:2]
    if change not in SURVIVES:
        raise InputError(f"unknown change {change!r}", remedy=f"there are {', '.join(SURVIVES)}")
    return tuple(level for level, kept in zip(LEVELS, SURVIVES[change], strict=True) if kept)


def surviving_rows(prompt: Prompt, change: str, *, provider: str = "anthropic") -> int:
    """Rows at the start of a prompt that stay readable after a change."""
    levels = surviving_levels(change, provider=provider)
    tools = sum(1 for row in prompt.rows[: opening_rows(prompt.rows)] if row.role == "tools")
    if "system" in levels:
        return opening_rows(prompt.rows)
    return tools if "tools" in levels else 0


def with_setting(prompt: Prompt, change: str, value: str, *, provider: str = "anthropic") -> Prompt:
    """The same request under another setting, as the cache sees it: a row without tokens stands where it takes effect.

    Two prompts with equal rows and equal settings are the same prefix; with different values they part exactly after
    the rows that survive.
    """
    place = surviving_rows(prompt, change, provider=provider)
    mark = Row("system", digest64("setting", change, value), 0, None, False)
    return Prompt([*prompt.rows[:place], mark, *prompt.rows[place:]])
