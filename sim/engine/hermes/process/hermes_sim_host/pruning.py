"""The proactive prune of 0.22, asked only when one could be committed (host page, (a) 5)."""

from __future__ import annotations

import time as real_time

from .compaction import Compacting


class Pruning(Compacting):
    """A session that can prune old tool results without a model."""

    def prune(self, pressure: int) -> None:
        """Ask the engine for a prune if its bound says that one could be committed."""
        bound, engine = self.books.prune, self.engine
        if bound is None:
            if self.plugin and hasattr(engine, "prune_tool_results_only"):
                self._commit_prune(pressure)
            return
        if pressure < int(engine.proactive_prune_tokens):
            return
        if self.books.budget < int(engine._proactive_prune_rearm_tokens) and pressure < self.trigger:
            return
        if len(self.rows) <= int(engine.protect_last_n) + 1 + int(engine._protect_head_size(self.rows)):
            return
        # A pending round longer than the protected zone is spared; its rows count as soon as it is answered.
        vague = bool(bound.odd) or self._pending() > int(engine.protect_last_n)
        enough = bound.eligible > 0 and bound.bound >= int(engine.proactive_prune_min_reclaim_tokens)
        if not vague and (not enough or bound.bound == self.refused):
            return
        if not self._commit_prune(pressure):
            self.refused = None if vague else bound.bound

    def _pending(self) -> int:
        """Rows of the tool round that the model has not answered yet, its call row included."""
        count = 0
        for row in reversed(self.rows):
            count += 1
            if row.get("role") != "tool":
                break
        return count

    def _commit_prune(self, pressure: int) -> bool:
        before, rough = self.rows, self.books.rough
        started = real_time.perf_counter()
        pruned, count = self.engine.prune_tool_results_only(before, current_tokens=pressure)
        self.engine_seconds += real_time.perf_counter() - started
        if not count or pruned is before:
            return False
        self.gauge.rewritten(self.put(list(pruned)))
        self.refused = None
        self.rewrite("prune", "after_tools", before, pressure, max(0, pressure - (rough - self.books.rough)))
        return True
