"""Stand-in text of an exact size, for what a log does not show (tool schemas, system prompt).

Engines that need text get words, not a size. Every word is one token with its leading space in both public
vocabularies, so a text of n words counts n tokens.
"""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

from sim.history import Row, RowMaker
from sim.tokens import ContentKind, TokenModel

_TEXT = """
the name of a file path to read from and how many lines it may return when no limit is given by user
this tool runs one command in its own shell with time out set for each call so that output can be kept
use it only after you have seen what is there before and never write over work that someone else has made
"""
WORDS = _TEXT.split()
"""Plain words, each one token after a space."""
TOOL_SHARE = 0.8
"""Share of a hidden base that is tool schemas: tools 12.4K and system prompt 2.8K at the median of 676 real sessions
(facts of workload calibration, section 1)."""


def words(tokens: int, start: int = 0) -> str:
    """A text of that many tokens in either vocabulary."""
    return "".join(f" {word}" for word in islice(cycle(WORDS), start, start + max(tokens, 0)))


def system_text(label: str, tokens: int, model: TokenModel) -> str:
    """Words that are billed as that many tokens under the model's family."""
    lead = f"{label}:"
    raw = round(model.unscaled(tokens, ContentKind.PROSE)) - model.count(lead)
    return lead + words(raw) if raw > 0 else ""


def schemas(tokens: int, model: TokenModel) -> list[dict[str, Any]]:
    """One stand-in tool whose definition is billed as that many tokens; empty when the size is too small."""
    import json

    def made(raw: int) -> list[dict[str, Any]]:
        return [{"name": "recorded_tools", "description": words(raw), "parameters": {"type": "object"}}]

    overhead = model.count(json.dumps(made(0), separators=(",", ":")))
    raw = round(model.unscaled(tokens, ContentKind.JSON)) - overhead
    return made(raw) if raw > 0 else []


def base_rows(tools: int, system: int, visible: str, recorded: TokenModel, maker: RowMaker) -> list[Row]:
    """Prefix rows of a session: stand-in tools, then the visible system prompt with the hidden rest of it.

    Args:
        tools, system: hidden tokens of each kind, in the recorded model's tokens.
        visible: the system prompt the file shows.
    """
    rows: list[Row] = []
    if found := schemas(tools, recorded):
        rows.append(maker.tools(found))
    else:
        system += tools
    text = visible
    if hidden := system_text("Recorded system prompt", system, recorded):
        text = f"{visible}\n\n{hidden}" if visible else hidden
    if text:
        rows.append(maker.row({"role": "system", "content": text}))
    return rows
