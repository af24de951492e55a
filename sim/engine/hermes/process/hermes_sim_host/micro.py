"""Micro-compaction (0.22, off by default): after a turn, the oldest exchange is folded into a rolling summary."""

from __future__ import annotations

import time as real_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import Session


def run(session: Session) -> None:
    """One pass of the real engine; it may rewrite a row in place, so it is given copies."""
    before, size = session.rows, session.gauge.estimate()
    rough = session.books.rough
    session.task = "micro_compaction"
    started = real_time.perf_counter() - session.package.waited
    try:
        after = session.engine._micro_compact([dict(row) for row in before], turn_session_id=session.id)
    finally:
        session.task = None
    session.engine_seconds += real_time.perf_counter() - session.package.waited - started
    if after == before:
        return
    session.gauge.rewritten(session.put(list(after)))
    session.rewrite("micro_compaction", "turn_end", before, size, max(0, size - rough + session.books.rough))
