"""Recognises formats and imports files, folders and globs."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sim.errors import TranscriptError, UsageError, Where
from sim.history import RowMaker
from sim.workload.replay import (
    aider,
    anthropic,
    antigravity,
    atif,
    claude_code,
    cline,
    codex,
    gemini,
    hashes,
    hermes_db,
    hermes_export,
    managed,
    openai_chat,
    opencode,
    openhands,
    pi,
    rounds,
    sharegpt,
    swe_agent,
)
from sim.workload.replay.build import build, recorded_model
from sim.workload.replay.drafts import Draft
from sim.workload.replay.forks import same_sessions, untangle
from sim.workload.replay.report import Imported, Imports
from sim.workload.replay.sizes import build_sized
from sim.workload.replay.source import Source


@dataclass(frozen=True, slots=True)
class Format:
    """One transcript format.

    Attributes:
        recognise: whether a file is one, by its content alone.
        read: its sessions.
        title: what people call it.
    """

    name: str
    title: str
    recognise: Callable[[Source], bool]
    read: Callable[[Source], list[Draft]]


FORMATS: tuple[Format, ...] = (
    Format("hermes-db", "Hermes state.db", hermes_db.recognise, hermes_db.read),
    Format("claude-code", "Claude Code session", claude_code.recognise, claude_code.read),
    Format("codex", "Codex rollout", codex.recognise, codex.read),
    Format("pi", "pi session", pi.recognise, pi.read),
    Format("hermes-export", "Hermes session export", hermes_export.recognise, hermes_export.read),
    Format("hermes-sharegpt", "Hermes trajectory", sharegpt.recognise, sharegpt.read),
    Format("tracelab", "TraceLab rounds", rounds.recognise_tracelab, rounds.read_tracelab),
    Format("mooncake", "Mooncake or Qwen trace", hashes.recognise_service, hashes.read_service),
    Format("csv-trace", "Azure or BurstGPT trace", rounds.recognise_csv, rounds.read_csv),
    Format("aider", "Aider history", aider.recognise, aider.read),
    Format("anthropic-managed", "Anthropic managed-agent events", managed.recognise, managed.read),
    Format("gemini-stream", "Gemini CLI stream", gemini.recognise_stream, gemini.read_stream),
    Format("litellm", "LiteLLM spend log", rounds.recognise_litellm, rounds.read_litellm),
    Format("otel", "OpenTelemetry GenAI spans", rounds.recognise_otel, rounds.read_otel),
    Format("openhands", "OpenHands output", openhands.recognise, openhands.read),
    Format("hash-trace", "trace of block hashes", hashes.recognise, hashes.read),
    Format("atif", "ATIF trajectory", atif.recognise, atif.read),
    Format("opencode", "OpenCode export", opencode.recognise, opencode.read),
    Format("gemini", "Gemini CLI chat", gemini.recognise, gemini.read),
    Format("swe-agent", "SWE-agent trajectory", swe_agent.recognise, swe_agent.read),
    Format("cline", "Cline or Roo task", cline.recognise, cline.read),
    Format("antigravity", "Antigravity transcript", antigravity.recognise, antigravity.read),
    Format("mini-swe-agent", "mini-swe-agent trajectory", swe_agent.recognise_mini, swe_agent.read_mini),
    Format("anthropic", "Anthropic messages", anthropic.recognise, anthropic.read),
    Format("openai-chat", "OpenAI chat messages", openai_chat.recognise, openai_chat.read),
)
"""In the order they are tried: the more telling marks come first, bare chat messages last."""

_SIDE_FILES = ("-wal", "-shm", "-journal")


def format_names() -> list[str]:
    """Names of all formats."""
    return [form.name for form in FORMATS]


def find_format(source: Source) -> Format | None:
    """The format of a file, by its content; None when no importer knows it."""
    if not source.head or source.archive:
        return None
    return next((form for form in FORMATS if form.recognise(source)), None)


def import_transcripts(paths: Sequence[str], *, format: str = "auto", maker: RowMaker) -> Imports:
    """Sessions out of transcript files.

    Args:
        paths: files, folders (searched through) or globs.
        format: one of `format_names()`, or `auto`.
        maker: gives rows their tokens.

    Returns:
        One entry for each session, in the order of paths and of the files; a sub-agent is a session.

    Raises:
        TranscriptError: a path is missing, a named file is not a transcript, or nothing was found.
        UsageError: no format of that name.
    """
    passed_over: list[tuple[str, str]] = []
    sessions: list[Imported] = []
    for source, form, drafts in read_drafts(paths, format=format, passed_over=passed_over):
        for place, draft in enumerate(drafts):
            script, report = build(draft, maker) if draft.events else build_sized(draft, maker)
            if not place and source.notes:
                notes = (*source.notes, *report.notes)
                script, report = replace(script, notes=notes), replace(report, notes=notes)
            sessions.append(Imported(script, report, form.name, str(source.path), recorded_model(draft), draft))
    return Imports(sessions, passed_over)


def read_drafts(
    paths: Sequence[str], *, format: str = "auto", passed_over: list[tuple[str, str]] | None = None
) -> Iterator[tuple[Source, Format, list[Draft]]]:
    """Each file's sessions before tokens are counted; arguments and errors as in `import_transcripts`.

    Calls that several files hold (resumed and forked sessions, a session in a database and in an export) are in one
    session only; a file all of whose sessions are elsewhere is passed over.
    """
    forced = _named(format)
    lost: list[tuple[str, str]] = passed_over if passed_over is not None else []
    files: list[tuple[Source, Format, list[Draft]]] = []
    for text in paths:
        inside, alone = _files(text)
        for path in inside:
            source = Source(path)
            try:
                form, drafts = _sessions(source, forced)
            except TranscriptError as error:
                if alone:
                    raise
                lost.append((str(path), error.message))
                continue
            files.append((source, form, drafts))
    if not files:
        tried = ", ".join(format_names()) if forced is None else forced.name
        reasons = "; ".join(f"{Path(path).name}: {why}" for path, why in lost[:3])
        raise TranscriptError(
            f"no session found in {', '.join(paths)}" + (f" ({reasons})" if reasons else ""),
            remedy=f"give transcripts of one of the formats {tried}",
        )
    if len(files) > 1:
        _once(files, lost)
    _rename(files)
    yield from (file for file in files if file[2])


def _once(files: list[tuple[Source, Format, list[Draft]]], lost: list[tuple[str, str]]) -> None:
    """Leave each call in one session only, over all files."""
    claude = [draft for _, form, drafts in files if form.name == claude_code.NAME for draft in drafts]
    kept = {id(draft) for draft in untangle(claude)}
    named = [(form.name, draft) for _, form, drafts in files for draft in drafts]
    again = {id(named[place][1]) for place in same_sessions(named)}
    for source, form, drafts in files:
        before = len(drafts)
        drafts[:] = [
            draft for draft in drafts if id(draft) not in again and (form.name != claude_code.NAME or id(draft) in kept)
        ]
        if before and not drafts:
            lost.append((str(source.path), "its sessions stand in another file"))


def _named(name: str) -> Format | None:
    if name == "auto":
        return None
    for form in FORMATS:
        if form.name == name:
            return form
    raise UsageError(f"no transcript format {name!r}", remedy=f"use auto or one of: {', '.join(format_names())}")


def _files(text: str) -> tuple[list[Path], bool]:
    """Files behind a path, a folder or a glob, and whether the person named exactly one file."""
    path = Path(os.path.expanduser(text))
    if os.path.isfile(path):
        return [path], True
    if os.path.isdir(path):
        inside = sorted(p for p in path.rglob("*") if os.path.isfile(p) and not p.name.startswith("."))
        return [p for p in inside if not p.name.endswith(_SIDE_FILES) and not cline.beside(p)], False
    matched = sorted(Path(p) for p in glob.glob(str(path), recursive=True))
    if matched:
        return [p for p in matched if os.path.isfile(p)], False
    raise TranscriptError("no such file or folder", where=Where(text), remedy="check the path")


def _sessions(source: Source, forced: Format | None) -> tuple[Format, list[Draft]]:
    """Format and sessions of one file; what belongs to no session is counted with the first."""
    where = source.where
    if not source.head:
        raise TranscriptError("the file is empty", where=where, remedy="give a transcript")
    if source.archive:
        raise TranscriptError(
            f"this is {source.archive}", where=where, rule="archives are not opened", remedy="unpack it first"
        )
    form = forced or find_format(source)
    if form is None:
        raise TranscriptError(
            "not a transcript of a known format",
            where=where,
            rule=f"tried {', '.join(format_names())}",
            remedy="give `--format` if you know it, or export the session in one of these formats",
        )
    drafts = form.read(source)
    whole = [draft for draft in drafts if not draft.empty]
    if not whole:
        why = sum((draft.skipped for draft in drafts), start=source.skipped.copy())
        reasons = ", ".join(f"{n} × {reason}" for reason, n in why.most_common(4))
        raise TranscriptError(
            f"no model call found in this {form.title} file" + (f" (left out: {reasons})" if reasons else ""),
            where=where,
            remedy="give a file with at least one answer of the model",
        )
    first = whole[0]
    for draft in drafts:
        if draft.empty:
            first.skipped.update(draft.skipped)
            if draft.used:
                first.skipped["message without any answer"] += draft.used
    first.skipped.update(source.skipped)
    return form, whole


def _rename(files: list[tuple[Source, Format, list[Draft]]]) -> None:
    """Make names unique by a number, as a replication needs them; a sub-agent keeps its session's name before `/`."""
    roots: set[str] = set()
    names: set[str] = set()
    for _, _, drafts in files:
        renamed: dict[str, str] = {}
        # A file of sub-agents alone belongs to a session whose own file has the name before `/`.
        own = any("/" not in draft.name for draft in drafts)
        for draft in drafts:
            root, slash, rest = draft.name.partition("/")
            if root not in renamed:
                renamed[root] = _free(root, roots) if own else root
                roots |= {renamed[root]} if own else set()
            draft.name = _free(renamed[root] + slash + rest, names)
            names.add(draft.name)


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number when it is taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}~{number}" in taken:
        number += 1
    return f"{name}~{number}"
