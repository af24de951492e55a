"""What every request starts with: tool definitions, instructions and skills, memory and user profile."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from typing import Any

from sim.history import Blank, Row, RowMaker
from sim.streams import Streams, digest64
from sim.tokens import ContentKind, TokenModel
from sim.workload.preset import Prefix, Preset
from sim.workload.synthetic.fit import Fitter
from sim.workload.synthetic.text.draft import Draft
from sim.workload.synthetic.text.project import Project
from sim.workload.synthetic.text.sentences import PAGE, SAY, sentences
from sim.workload.synthetic.text.words import NOUNS, VERBS

DEFAULT_LIMITS = (2_200, 1_375)
"""Hermes's default `memory_char_limit` and `user_char_limit`; a preset's `memory_tokens` counts at these."""

_TOKENS_A_CHAR = 0.25
"""English notes, for token-only memory rows (about 4 characters a token)."""


def nominal_prefix(preset: Preset) -> int:
    """Tokens of the prefix at the default memory limits, multiplier 1."""
    prefix = preset.prefix
    changing = prefix.memory_tokens
    if changing is None:
        changing = prefix.skills_tokens + round(sum(DEFAULT_LIMITS) * prefix.memory * _TOKENS_A_CHAR)
    return prefix.system_tokens + prefix.tools_tokens + prefix.mcp_tokens + changing


def blank_prefix(preset: Preset, session: str, maker: RowMaker, limits: tuple[int, int]) -> tuple[Row, ...]:
    """Prefix rows of sizes only."""
    prefix = preset.prefix
    rate = maker.tokens.scaled(1_000, ContentKind.MARKDOWN) / 1_000 * _TOKENS_A_CHAR
    memory = round(sum(limits) * prefix.memory * rate)
    static = prefix.system_tokens
    if prefix.memory_tokens is None:
        static += prefix.skills_tokens
        changing = memory
    else:
        changing = prefix.memory_tokens + memory - round(sum(DEFAULT_LIMITS) * prefix.memory * rate)
    rows = []
    if prefix.tools_tokens + prefix.mcp_tokens:
        rows.append(maker.row(Blank("tools", prefix.tools_tokens + prefix.mcp_tokens, f"{preset.name}/tools")))
    if static:
        rows.append(maker.row(Blank("system", static, f"{preset.name}/system")))
    if changing > 0:
        rows.append(maker.row(Blank("system", changing, f"{preset.name}/memory/{limits}")))
    return tuple(rows)


def text_prefix(preset: Preset, streams: Streams, maker: RowMaker, limits: tuple[int, int]) -> tuple[Row, ...]:
    """Prefix rows of real text.

    Tool definitions, instructions and skills are those of the installation, so they are the same in every session of a
    preset; memory and profile are the person's and differ from session to session.
    """
    prefix = preset.prefix
    installed = digest64("prefix", preset.name)
    rows: list[Row] = []
    if prefix.tools_tokens + prefix.mcp_tokens:
        rows.append(maker.tools(_tool_definitions(prefix, tuple(preset.tools), installed, maker.tokens)))
    static = _static_text(prefix, installed, maker.tokens)
    seed = streams.child("memory").seed
    memory, profile = (_entries(seed, place, int(limit * prefix.memory)) for place, limit in enumerate(limits))
    notes = _notes(memory, profile)
    if prefix.memory_tokens is not None:
        usual = _notes(*(_entries(seed, i, int(n * prefix.memory)) for i, n in enumerate(DEFAULT_LIMITS)))
        left = prefix.memory_tokens - maker.count(usual, ContentKind.MARKDOWN)
        if left > 20:
            notes += _skills(prefix, Fitter(maker.tokens), installed, left, Project(installed))
    if static:
        rows.append(maker.row({"role": "system", "content": static}, ContentKind.MARKDOWN))
    if notes:
        rows.append(maker.row({"role": "system", "content": notes}, ContentKind.MARKDOWN))
    return tuple(rows)


@lru_cache(maxsize=64)
def _static_text(prefix: Prefix, seed: int, tokens: TokenModel) -> str:
    """Instructions, then skills (unless these are part of the changing text); the same in every session."""
    fitter, project = Fitter(tokens), Project(seed)
    parts = []
    if prefix.system_tokens:
        parts.append(_fitted(_instructions, fitter, seed, prefix.system_tokens, project))
    if prefix.skills_tokens and prefix.memory_tokens is None:
        parts.append(_skills(prefix, fitter, seed, prefix.skills_tokens, project))
    return "\n".join(parts)


def _fitted(make: Any, fitter: Fitter, seed: int, size: float, project: Project) -> str:
    """A text of `size` billed tokens."""
    wanted = fitter.tokens.unscaled(size, ContentKind.MARKDOWN)
    draft: Draft = make(random.Random(seed), int(wanted * 6) + 80, project)
    return fitter.cut(draft, wanted, make.__name__)[0]


def _instructions(r: random.Random, chars: int, project: Project) -> Draft:
    """The agent's rules."""
    lines: list[str] = []
    have = 0
    while have < chars:
        lines.append(f"## {r.choice(VERBS).capitalize()} a {r.choice(NOUNS)}\n")
        lines.append(" ".join(sentences(r, PAGE, r.randint(1, 3), project)) + "\n")
        lines.extend(f"- {text}\n" for text in sentences(r, PAGE, r.randint(2, 6), project))
        have = sum(map(len, lines))
    return Draft("You are Hermes, an agent that works with tools on the user's machine.\n", lines, "")


def _skills(prefix: Prefix, fitter: Fitter, seed: int, size: float, project: Project) -> str:
    """The list of skills: one entry each, of even length."""
    count = max(1, prefix.skills)
    wanted = fitter.tokens.unscaled(size, ContentKind.MARKDOWN)
    words_each = max(2, int(wanted / count * 4.6) - 24)

    def skills(r: random.Random, chars: int, project: Project) -> Draft:
        lines = []
        for _ in range(count + max(2, count // 3)):
            text = " ".join(sentences(r, PAGE, 1 + words_each // 60, project))
            lines.append(f"- **{r.choice(VERBS)}-{r.choice(NOUNS)}**: {text[:words_each].rsplit(' ', 1)[0]}\n")
        return Draft("## Available skills\n", lines, "")

    return _fitted(skills, fitter, digest64(seed, "skills"), size, project)


def _entries(seed: int, place: int, chars: int) -> str:
    """Memory entries up to so many characters; a longer text starts with the shorter one."""
    r = random.Random(digest64(seed, place))
    project = Project(digest64(seed, "project"))
    parts: list[str] = []
    have = 0
    while have < chars:
        entry = next(iter(sentences(r, SAY, 1, project))) + "\n§\n"
        parts.append(entry)
        have += len(entry)
    return "".join(parts)[:chars].rstrip()


def _notes(memory: str, profile: str) -> str:
    parts = []
    if memory:
        parts.append(f"# MEMORY (your personal notes)\n{memory}\n")
    if profile:
        parts.append(f"# USER PROFILE (who the user is)\n{profile}\n")
    return "".join(parts)


@lru_cache(maxsize=64)
def _tool_definitions(prefix: Prefix, own: tuple[str, ...], seed: int, tokens: TokenModel) -> list[dict[str, Any]]:
    """Tool definitions of about the wanted size, the preset's own tools first."""
    names = [*own, *(f"{VERBS[i * 7 % len(VERBS)]}_{NOUNS[i * 11 % len(NOUNS)]}" for i in range(400))]
    project = Project(seed)
    groups = (
        (prefix.tools if prefix.tools_tokens else 0, prefix.tools_tokens, ""),
        (prefix.mcp_tools or 12 if prefix.mcp_tokens else 0, prefix.mcp_tokens, "mcp__"),
    )
    schemas: list[dict[str, Any]] = []
    place = 0
    for count, size, mark in groups:
        if not size:
            continue
        chosen = [mark + name for name in names[place : place + max(1, count)]]
        place += len(chosen)
        rate = 0.24 * tokens.scaled(1_000, ContentKind.JSON) / 1_000
        made: list[dict[str, Any]] = []
        for _ in range(6):
            chars = size / rate / len(chosen)
            made = [_definition(seed, name, chars, project) for name in chosen]
            real = tokens.billed(json.dumps(made, ensure_ascii=False, separators=(",", ":")), ContentKind.JSON)
            if abs(real - size) <= size * 0.005:
                break
            rate *= real / size
        schemas.extend(made)
    return schemas


def _definition(seed: int, name: str, chars: float, project: Project) -> dict[str, Any]:
    """One tool definition of about so many characters; more characters make the same one longer."""
    r = random.Random(digest64(seed, name))
    fields = r.sample(NOUNS, r.randint(1, 6))
    types = r.choices(("string", "string", "integer", "boolean"), k=len(fields))
    room = max(20.0, chars - 150 - len(name) - 50 * len(fields))

    def text(field: str, share: float) -> str:
        length = max(8, int(room * share))
        own = random.Random(digest64(seed, name, field))
        return " ".join(sentences(own, PAGE, 2 + length // 40, project))[:length].rstrip()

    share = 0.6 / len(fields)
    properties = {f: {"type": t, "description": text(f, share)} for f, t in zip(fields, types, strict=True)}
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": text("", 0.4),
            "parameters": {"type": "object", "properties": properties, "required": fields[:2]},
        },
    }
