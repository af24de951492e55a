"""Draws one synthetic session of a preset."""

from __future__ import annotations

from sim.history import RowMaker
from sim.streams import Streams
from sim.workload.preset import Preset
from sim.workload.script import Script
from sim.workload.synthetic import make_plan, realise


def draw(
    preset: Preset,
    streams: Streams,
    session_index: int,
    maker: RowMaker,
    *,
    memory_limits: tuple[int, int] = (2_200, 1_375),
    started_at: float = 0.0,
    text: bool = True,
) -> Script:
    """One session.

    Sizes, times and texts come from streams of their own: changing the think times changes no token, and with
    `text=False` the same plan comes back as sizes only (about a hundred times faster).

    Args:
        preset: the kind of session.
        streams: the replication's streams.
        session_index: number of the session in the replication.
        maker: token counts of the scenario's model; preset sizes are billed tokens of that model.
        memory_limits: `memory_char_limit` and `user_char_limit`, characters.
        started_at: start, seconds since the epoch, UTC; a person's night can move it.
        text: False for rows of sizes only.
    """
    own = streams.child("session", session_index)
    plan = make_plan(preset, own, started_at)
    return realise(
        plan,
        preset,
        own,
        maker,
        session=f"{preset.name}-{session_index}",
        memory_limits=memory_limits,
        started_at=started_at,
        text=text,
    )
