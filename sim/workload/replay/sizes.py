"""Token-only sessions: prompts known by size become rows known by size."""

from __future__ import annotations

from collections.abc import Callable

from sim.history import Blank, Role, Row, RowMaker
from sim.tokens import ContentKind, TokenModel, token_model
from sim.workload.replay.drafts import Draft, Sized
from sim.workload.replay.report import Report
from sim.workload.replay.standin import TOOL_SHARE
from sim.workload.script import Recorded, Reply, Script, ToolRun, Turn

_SLACK = 64
"""Tokens a prompt may shrink by without being a rewrite (rounding of blocks and counts)."""


def build_sized(draft: Draft, maker: RowMaker) -> tuple[Script, Report]:
    """The script of a token-only draft; contexts grow as recorded while nothing was rewritten.

    What a call adds is its output (kept as far as the growth allows, the rest is hidden thinking) and the rest of the
    growth. Where the recorded prompt shrank, the recorded agent rewrote its history: the shrinking is undone.
    """
    name = next((call.model for call in draft.sized if call.model), draft.model)
    recorded = token_model(name) if name else maker.tokens
    scale = _scale(recorded, maker)
    calls = draft.sized
    first = calls[0].input
    tools, system = draft.base or (0, 0)
    if tools + system >= first:
        tools, system = 0, 0
    if not tools + system:
        opening = min(first, max(1, min(200, first // 10)))
        tools = int((first - opening) * TOOL_SHARE)
        system = first - opening - tools
    opening = first - tools - system
    label = draft.name
    bases: tuple[tuple[Role, int], ...] = (("tools", tools), ("system", system))
    # Equal bases are one text, as in one account.
    prefix = [maker.row(Blank(role, scale(size), f"{role}-{size}")) for role, size in bases if size]
    turns: list[Turn] = []
    replies: list[Reply] = []
    users: tuple[Row, ...] = (maker.row(Blank("user", scale(opening), f"{label}-user-0")),)
    gap = shrunk = hidden_sum = 0
    fell_at: list[int] = []
    start_gap = float(gap)
    for i, call in enumerate(calls):
        following = calls[i + 1] if i + 1 < len(calls) else None
        kept, added, fell = _growth(call, following)
        shrunk += fell
        if fell:
            fell_at.append(i + 2)
        ends = following is None or following.started_by == "user"
        row = maker.row(Blank("assistant", scale(kept), f"{label}-reply-{i}", has_text=ends, calls=_calls(call, ends)))
        hidden = call.output - kept
        hidden_sum += hidden
        runs: tuple[ToolRun, ...] = ()
        if not ends and following is not None:
            runs = _runs(maker, call, scale(added), following.gap, f"{label}-result-{i}")
        replies.append(
            Reply(
                row,
                call.seconds,
                runs,
                hidden_tokens=scale(hidden),
                model=call.model if call.model != name else None,
                recorded=call.usage or Recorded(call.input, 0, 0, 0, call.output, call.id),
            )
        )
        if ends:
            turns.append(Turn(start_gap, users, tuple(replies)))
            replies = []
            if following is not None:
                start_gap = following.gap
                users = (maker.row(Blank("user", scale(added), f"{label}-user-{i + 1}")),)
    notes = list(draft.notes)
    if shrunk:
        notes.append(f"{shrunk} time(s) the recorded prompt shrank (compaction, rewind or side call): undone")
    script = Script(
        draft.name,
        tuple(prefix),
        tuple(turns),
        has_text=False,
        started_at=draft.started_at or 0.0,
        origin=draft.origin,
        finished=draft.finished,
        notes=tuple(notes),
    )
    report = Report(
        rows=draft.used + sum(draft.skipped.values()),
        used=draft.used,
        skipped=dict(sorted(draft.skipped.items())),
        notes=script.notes,
        calls=len(calls),
        recorded_calls=sum(1 for call in calls if call.usage),
        base_tokens=tools + system,
        hidden_output_tokens=hidden_sum,
        compactions_undone=shrunk,
        compactions_at=tuple(fell_at),
    )
    return script, report


def _growth(call: Sized, following: Sized | None) -> tuple[int, int, int]:
    """Tokens of a reply that stay, tokens that come after it, and 1 when the next prompt was rewritten."""
    if following is None:
        return call.output, 0, 0
    grown = following.input - call.input
    if grown < -_SLACK:
        return call.output, 0, 1
    grown = max(grown, 0)
    kept = min(call.output, grown)
    return kept, grown - kept, 0


def _calls(call: Sized, ends: bool) -> int:
    return 0 if ends else max(1, len(call.tools))


def _runs(maker: RowMaker, call: Sized, tokens: int, gap: float, label: str) -> tuple[ToolRun, ...]:
    """Tool runs of a call; the growth is shared out evenly, the longest run lasts until the next request."""
    tools = call.tools or (("tool", gap),)
    longest = max(range(len(tools)), key=lambda i: tools[i][1])
    share, rest = divmod(tokens, len(tools))
    return tuple(
        ToolRun(
            name,
            maker.row(Blank("tool", share + (rest if i == 0 else 0), f"{label}-{i}")),
            max(seconds, gap) if i == longest else min(seconds, gap),
        )
        for i, (name, seconds) in enumerate(tools)
    )


def _scale(recorded: TokenModel, maker: RowMaker) -> Callable[[int], int]:
    """Recorded tokens as the scenario's model would bill the same prose."""
    if recorded.family == maker.tokens.family or recorded.encoding != maker.tokens.encoding:
        return lambda tokens: tokens
    kind = ContentKind.PROSE
    return lambda tokens: maker.tokens.scaled(round(recorded.unscaled(tokens, kind)), kind)
