"""Turns what happens in a session into ledger records, with conservation asserted on every call."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from sim.engine import Attempt, Rewrite
from sim.errors import SimulationError
from sim.history import History, Prompt
from sim.ledger import BreakRecord, CallRecord, Ledger, RewriteRecord, SessionRecord
from sim.provider.seam import Cost, PriceCard, Served, TokenUse
from sim.workload.script import Reply, Script
from sim.world.account import Account
from sim.world.attribution import Unread, attribute
from sim.world.auxiliary import AuxiliaryCall
from sim.world.residency import Memory
from sim.world.setup import Provider, Setup

LONG_CLASSES = frozenset({"1h", "12h", "24h"})
"""TTL classes counted as long-lived writes."""
_ZERO = {f.name: 0 for f in fields(CallRecord) if f.name.endswith(("_tokens", "_pico"))}
_THRESHOLD_SITES = frozenset({"turn_start", "before_call", "after_tools"})


class Book:
    """Running totals and records of one session.

    `turn` and `call` are advanced by the session; `estimate` is the engine's latest own figure.
    """

    def __init__(
        self,
        setup: Setup,
        script: Script,
        replication: int,
        ledger: Ledger,
        account: Account | None = None,
        group: str = "",
    ) -> None:
        self._setup, self._script, self.replication, self._ledger = setup, script, replication, ledger
        self._account, self._group = account, group
        self.turn = self.call = self.tool_calls = self.estimate = 0
        self.waited = 0.0
        self._answered = self._refused = 0
        self._compactions = self._prunes = self._attempts = self._auxiliary_calls = 0
        self._peak = self._input = self._cost = 0
        self._first_fire = -1

    def main_call(
        self,
        history: History,
        served: Served,
        reply: Reply,
        provider: Provider,
        started: float,
        ended: float,
        started_by: str,
        at: float,
    ) -> None:
        """A main request and its response; `at` is wall-clock seconds of its start, for dated prices."""
        prompt = history.prompt
        unread = attribute(
            sums=prompt.sums,
            unchanged=history.unchanged_tokens(),
            appended=history.new_tokens(),
            edits=history.edits,
            read=served.read,
            why=served.why,
        )
        output = reply.row.tokens + reply.hidden_tokens
        base = self._unbilled(provider.model, started, self.estimate, history.body_length, started_by, "main", "ok")
        base["ended_s"] = ended
        self._serve(base, prompt.tokens, served, unread, output, provider, at)
        self._answered += 1
        self._peak = max(self._peak, prompt.tokens)
        self._input += prompt.tokens

    def ping(self, prompt: Prompt, served: Served, provider: Provider, now: float, purpose: str, at: float) -> None:
        """A request that only touches the cache."""
        unchanged = prompt.tokens if self.call else 0
        unread = attribute(
            sums=prompt.sums,
            unchanged=unchanged,
            appended=prompt.tokens - unchanged,
            edits=[],
            read=served.read,
            why=served.why,
        )
        base = self._unbilled(provider.model, now, 0, len(prompt), purpose, "ping", "ok")
        cost = self._serve(base, prompt.tokens, served, unread, 0, provider, at)
        if self._account is not None:
            self._account.spent += cost

    def _serve(
        self,
        row: dict[str, Any],
        total: int,
        served: Served,
        unread: Unread,
        output: int,
        provider: Provider,
        at: float,
    ) -> int:
        """Bill a request that reached the cache, asserting conservation; returns its price."""
        written = sum(served.writes.values())
        if served.read + written + served.fresh != total or min(served.read, written, served.fresh) < 0:
            raise SimulationError(
                f"cache of {provider.model} lost tokens: read {served.read} + write {written} + fresh {served.fresh} "
                f"is not the prompt's {total}"
            )
        use = TokenUse(served.read, served.writes, served.fresh, output, served.storage)
        cost = provider.card.cost(use, at)
        lost = sum(unread.lost.values())
        penalty = _penalty(provider.card, use, cost, lost, at)
        row["input_tokens"] = total
        row["cache_read_tokens"] = served.read
        row["cache_write_tokens"] = written
        row["cache_write_long_tokens"] = sum(n for ttl, n in served.writes.items() if ttl in LONG_CLASSES)
        row["fresh_tokens"] = served.fresh
        row["output_tokens"] = output
        row["first_write_tokens"] = unread.first_write
        row["cost_read_pico"] = cost.read
        row["cost_write_pico"] = cost.write
        row["cost_fresh_pico"] = cost.fresh
        row["cost_output_pico"] = cost.output
        row["cost_storage_pico"] = cost.storage
        row["penalty_pico"] = penalty
        for cause, tokens in unread.lost.items():
            row[f"lost_{cause}_tokens"] = tokens
        self._ledger.calls.append(CallRecord(**row))
        self._breaks(unread, penalty, row["started_s"])
        self._cost += cost.total
        return cost.total

    def _breaks(self, unread: Unread, penalty: int, at: float) -> None:
        lost, spent = sum(unread.lost.values()), 0
        for i, (cause, tokens) in enumerate(unread.lost.items()):
            # The last cause takes the rounding remainder, so that parts add up to the call's penalty.
            part = penalty - spent if i == len(unread.lost) - 1 else penalty * tokens // lost
            spent += part
            self._ledger.breaks.append(
                BreakRecord(
                    self._setup.arm,
                    self.replication,
                    self._script.session,
                    max(self.call, 1),
                    self.turn,
                    at,
                    cause,
                    tokens,
                    part,
                )
            )

    def refused(self, history: History, model: str, now: float) -> None:
        """A request larger than the window; not billed, its size stands under `estimate_tokens`."""
        row = self._unbilled(model, now, history.tokens, history.body_length, "user", "main", "overflow")
        self._ledger.calls.append(CallRecord(**row))

    def limited(self, outcome: str, model: str, now: float, wait: float, task: str = "") -> None:
        """A request that the account's limits turned away; `task` for an auxiliary one. Not billed."""
        row = self._unbilled(model, now, 0, 0, task or "user", "auxiliary" if task else "main", outcome)
        row["ended_s"] = now + wait
        self._refused += 1
        self._ledger.calls.append(CallRecord(**row))

    def auxiliary_call(self, done: AuxiliaryCall, ended: float, session_start: float) -> None:
        """A finished auxiliary call, billed as fresh input of its own model."""
        row = self._unbilled(
            done.model, done.started - session_start, 0, 0, done.request.task, "auxiliary", done.reply.failure or "ok"
        )
        row["ended_s"] = ended
        row["input_tokens"] = row["fresh_tokens"] = row["first_write_tokens"] = done.input_tokens
        row["output_tokens"] = done.output_tokens
        row["cost_fresh_pico"], row["cost_output_pico"] = done.cost.fresh, done.cost.output
        self._ledger.calls.append(CallRecord(**row))
        self._auxiliary_calls += 1
        self._cost += done.cost.total
        if self._account is not None:
            self._account.spent += done.cost.total

    def _unbilled(
        self, model: str, now: float, estimate: int, rows: int, started_by: str, kind: str, outcome: str
    ) -> dict[str, Any]:
        """Columns of a row that cost nothing and moved no token."""
        return {
            **_ZERO,
            "arm": self._setup.arm,
            "replication": self.replication,
            "session": self._script.session,
            "call": max(self.call, 1),
            "turn": self.turn,
            "kind": kind,
            "started_by": started_by,
            "model": model,
            "started_s": now,
            "ended_s": now,
            "estimate_tokens": estimate,
            "rows": rows,
            "outcome": outcome,
        }

    def rewrite(
        self,
        event: Rewrite,
        now: float,
        *,
        tokens_before: int,
        tokens_after: int,
        rows_before: int,
        rows_after: int,
        kept_prefix: int,
        auxiliary_calls: int,
        auxiliary_tokens: int,
    ) -> None:
        """A rewrite that changed the history."""
        if event.kind in {"compaction", "micro_compaction", "restart"}:
            self._compactions += 1
            if self._first_fire < 0 and event.site in _THRESHOLD_SITES:
                self._first_fire = event.estimate_before
        else:
            self._prunes += 1
        self._ledger.rewrites.append(
            RewriteRecord(
                arm=self._setup.arm,
                replication=self.replication,
                session=self._script.session,
                call=self._next_call(event.site),
                turn=self.turn,
                kind=event.kind,
                site=event.site,
                note=event.note,
                at_s=now,
                estimate_before=event.estimate_before,
                estimate_after=event.estimate_after,
                tokens_before=tokens_before,
                tokens_after=tokens_after,
                rows_before=rows_before,
                rows_after=rows_after,
                kept_prefix_tokens=kept_prefix,
                auxiliary_calls=auxiliary_calls,
                auxiliary_tokens=auxiliary_tokens,
                dropped=json.dumps(dict(event.dropped), sort_keys=True) if event.dropped else "",
            )
        )

    def attempt(self, event: Attempt, history: History, now: float, calls: int, tokens: int) -> None:
        """A gate that fired without changing anything."""
        self._attempts += 1
        self._ledger.rewrites.append(
            RewriteRecord(
                arm=self._setup.arm,
                replication=self.replication,
                session=self._script.session,
                call=self._next_call(event.site),
                turn=self.turn,
                kind="attempt",
                site=event.site,
                note=event.reason,
                at_s=now,
                estimate_before=event.estimate,
                estimate_after=event.estimate,
                tokens_before=history.tokens,
                tokens_after=history.tokens,
                rows_before=history.body_length,
                rows_after=history.body_length,
                kept_prefix_tokens=history.tokens,
                auxiliary_calls=calls,
                auxiliary_tokens=tokens,
            )
        )

    def _next_call(self, site: str) -> int:
        # Before a call and on overflow, `call` is already the one about to be sent.
        return self.call if site in {"before_call", "overflow"} else self.call + 1

    def session(self, end: str, started: float, duration: float, trigger: int | None, memory: Memory) -> None:
        """The session is over."""
        self._ledger.sessions.append(
            SessionRecord(
                arm=self._setup.arm,
                replication=self.replication,
                session=self._script.session,
                end=end,
                calls=self._answered,
                turns=self.turn,
                tool_calls=self.tool_calls,
                compactions=self._compactions,
                prunes=self._prunes,
                attempts=self._attempts,
                auxiliary_calls=self._auxiliary_calls,
                peak_tokens=self._peak,
                duration_s=duration,
                input_tokens=self._input,
                cost_pico=self._cost,
                trigger_tokens=-1 if trigger is None else trigger,
                first_fire_estimate=self._first_fire,
                facts_verbatim=memory.found["verbatim"],
                facts_summarised=memory.found["summarised"],
                facts_recoverable=memory.found["recoverable"],
                facts_gone=memory.found["gone"],
                repeated_calls=memory.repeats,
                group=self._group,
                started_at_s=started,
                waited_s=self.waited,
                refused_requests=self._refused,
            )
        )


def _penalty(card: PriceCard, use: TokenUse, cost: Cost, lost: int, at: float) -> int:
    """What `lost` tokens cost above the read price: their share of the unread bill, less the same tokens as reads.

    The read price is taken from the same request with the lost tokens read, so length tiers stay as they were.
    """
    unread = use.input - use.read
    if not lost or not unread:
        return 0
    paid = (cost.write + cost.fresh) * lost // unread
    warm = TokenUse(use.read + lost, {}, use.fresh + sum(use.writes.values()) - lost, 0, 0)
    return paid - (card.cost(warm, at).read - cost.read)
