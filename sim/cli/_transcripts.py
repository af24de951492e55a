"""What the importers say about a replay's transcripts."""

from __future__ import annotations

from pathlib import Path

from sim.errors import InputError, Where
from sim.scenario import Finding, Replay, Scenario

_AT = ("workload", "transcripts")


def read_over(scenario: Scenario) -> list[Finding]:
    """Remarks on the files themselves (a cut-off line), without counting a token.

    Raises:
        TranscriptError: a file is not a transcript, or nothing was found.
    """
    from sim.workload.replay.importing import read_drafts

    if not isinstance(scenario.workload, Replay):
        return []
    found: list[Finding] = []
    for source, _, _ in read_drafts(_paths(scenario), format=scenario.workload.format):
        found += [Finding("warning", note, Where(str(source.path)), _AT) for note in source.notes]
    return found


def examine(scenario: Scenario) -> list[Finding]:
    """Every session with its calls, and all that was left out, assumed or passed over; errors as findings."""
    from sim.history import RowMaker
    from sim.tokens import token_model
    from sim.workload.replay import import_transcripts

    if not isinstance(scenario.workload, Replay):
        return []
    maker = RowMaker(token_model(scenario.model.name))
    try:
        sessions = import_transcripts(_paths(scenario), format=scenario.workload.format, maker=maker)
    except InputError as error:
        where = error.where or Where(scenario.source)
        return [Finding("error", error.message, where, _AT, error.rule, error.remedy)]
    found: list[Finding] = []
    for one in sessions:
        where = Where(one.path)
        size = f"{one.format}: {one.script.calls} calls, {len(one.script.turns)} turns"
        found.append(Finding("note", size, where, _AT))
        found += [Finding("warning", note, where, _AT) for note in one.report.notes]
        found += [
            Finding("warning", f"{count} records left out: {reason}", where, _AT)
            for reason, count in one.report.skipped.items()
        ]
    return found + [Finding("note", f"passed over: {why}", Where(name), _AT) for name, why in sessions.passed_over]


def _paths(scenario: Scenario) -> list[str]:
    """As written, relative ones from the scenario's folder."""
    assert isinstance(scenario.workload, Replay)
    base = Path(scenario.base_dir)
    return [str(base / Path(text).expanduser()) for text in scenario.workload.transcripts]
