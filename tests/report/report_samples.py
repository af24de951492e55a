"""A small deterministic toy world that fills ledger tables, so that figures and reports have something to show.

It knows nothing of engines: contexts grow by random steps, a trigger folds them to a landing, a prune drops a slice.
Summaries come from the study's own comparison, so their shape is that of a real run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.ledger import CallRecord, Ledger, RewriteRecord, SessionRecord
from sim.ledger import tables as parquet
from sim.ledger.records import BreakRecord
from sim.report import RunData
from sim.study.compare import compare

READ, WRITE, OUTPUT = 500_000, 6_250_000, 25_000_000


@dataclass(frozen=True)
class Toy:
    """One toy arm."""

    name: str
    trigger: int | None = None
    landing: int = 45_000
    prune_every: int | None = None
    price: int = 1
    overflow_at: int | None = None
    setting: str = "threshold"
    ignored: tuple[dict[str, str], ...] = ()


SAWTOOTH = Toy("cap-230k-no-prune", trigger=230_000, setting="threshold_tokens")
HALF = Toy("ratio-half", trigger=500_000)
PRUNE = Toy("cap-230k", trigger=230_000, prune_every=60_000, setting="threshold_tokens")
THREE = (HALF, PRUNE, SAWTOOTH)


class _Session:
    def __init__(self, toy: Toy, replication: int, ledger: Ledger) -> None:
        self.toy, self.replication, self.ledger = toy, replication, ledger
        self.context, self.cached, self.now, self.turn = 25_000, 0, 0.0, 0
        self.since_prune = self.compactions = self.prunes = self.peak = self.cost = self.input = 0
        self.first_fire = -1
        self.end = "finished"

    def play(self, steps: np.ndarray, gaps: np.ndarray, outputs: np.ndarray) -> None:
        called = 0
        for number, (step, gap, output) in enumerate(zip(steps, gaps, outputs, strict=True), start=1):
            self.now += float(gap)
            self.turn = 1 + (number - 1) // 12
            self.context += int(step) if number > 1 else 0
            cause = "ttl" if gap > 300 else ""
            if self.toy.overflow_at is not None and self.context > self.toy.overflow_at:
                self.end = "overflow"
                self._row(number, 0, 0, "overflow", "")
                break
            cause = self._rewrite(number) or cause
            self._call(number, int(output), cause, bool(gap > 300))
            called = number
        self.ledger.sessions.append(
            SessionRecord(
                self.toy.name, self.replication, "s0", self.end, called, self.turn, called, self.compactions,
                self.prunes, 0, self.compactions, self.peak, self.now, self.input, self.cost,
                -1 if self.toy.trigger is None else self.toy.trigger, self.first_fire,
            )
        )  # fmt: skip

    def _rewrite(self, number: int) -> str:
        toy = self.toy
        self.since_prune += 1
        if toy.trigger is not None and self.context >= toy.trigger:
            self._auxiliary(number)
            self._log(number, "compaction", toy.landing, min(self.cached, 13_000))
            self.compactions += 1
            self.first_fire = self.context if self.first_fire < 0 else self.first_fire
            self.context, self.cached = toy.landing, min(self.cached, 13_000)
            return "compaction"
        if toy.prune_every is not None and self.context > toy.prune_every and self.since_prune > 35:
            self._log(number, "prune", self.context - 18_000, min(self.cached, 20_000))
            self.prunes += 1
            self.since_prune = 0
            self.context, self.cached = self.context - 18_000, min(self.cached, 20_000)
            return "prune"
        return ""

    def _log(self, number: int, kind: str, after: int, kept: int) -> None:
        self.ledger.rewrites.append(
            RewriteRecord(
                self.toy.name, self.replication, "s0", number, self.turn, kind, "after_tools", "", self.now,
                self.context, after, self.context, after, 90, 30, kept, 1 if kind == "compaction" else 0, 0,
            )
        )  # fmt: skip

    def _auxiliary(self, number: int) -> None:
        self._row(number, 18_000, 2_600, "ok", "", kind="auxiliary")
        self.now += 30

    def _call(self, number: int, output: int, cause: str, expired: bool) -> None:
        read = 0 if expired else min(self.cached, self.context)
        self._row(number, self.context, output, "ok", cause, read=read)
        self.cached = self.context
        self.peak = max(self.peak, self.context)
        self.context += output

    def _row(self, number: int, tokens: int, output: int, outcome: str, cause: str, kind: str = "main", read: int = 0):
        p = self.toy.price
        main = kind == "main"
        write = tokens - read if main else 0
        lost = max(0, write - 2_000) if cause else 0
        penalty = lost * (WRITE - READ) * p
        lost_by = {c: (lost if c == cause else 0) for c in ("compaction", "prune", "ttl")}
        cost = (read * READ * p, write * WRITE * p, 0 if main else tokens * 300_000 * p, output * OUTPUT * p)
        self.ledger.calls.append(
            CallRecord(
                arm=self.toy.name, replication=self.replication, session="s0", call=number, turn=self.turn, kind=kind,
                started_by="tool" if main else "compression", model="claude-toy" if main else "flash-toy",
                started_s=self.now, ended_s=self.now + 10, input_tokens=tokens, cache_read_tokens=read,
                cache_write_tokens=write, cache_write_long_tokens=0, fresh_tokens=0 if main else tokens,
                output_tokens=output, estimate_tokens=tokens, rows=number, first_write_tokens=tokens - read - lost,
                lost_compaction_tokens=lost_by["compaction"], lost_prune_tokens=lost_by["prune"],
                lost_ttl_tokens=lost_by["ttl"], lost_minimum_tokens=0, lost_system_tokens=0, lost_model_tokens=0,
                lost_lookback_tokens=0, lost_other_tokens=0, cost_read_pico=cost[0], cost_write_pico=cost[1],
                cost_fresh_pico=cost[2], cost_output_pico=cost[3], cost_storage_pico=0, penalty_pico=penalty,
                outcome=outcome,
            )
        )  # fmt: skip
        self.cost += sum(cost)
        if main:
            self.input += tokens
        if lost:
            self.ledger.breaks.append(
                BreakRecord(self.toy.name, self.replication, "s0", number, self.turn, self.now, cause, lost, penalty)
            )


def sample(
    toys: tuple[Toy, ...] = THREE,
    *,
    replications: int = 8,
    calls: int = 240,
    seed: int = 7,
    title: str = "230K absolute against half of the window",
    same: bool = False,
) -> RunData:
    """A run of toy arms; the first is the baseline. `same` gives every replication the same script."""
    ledger = Ledger()
    for replication in range(replications):
        rng = np.random.default_rng([seed, 0 if same else replication])
        steps = rng.lognormal(7.3, 0.9, calls).astype(int)
        gaps = np.where(rng.random(calls) < 0.02, 900.0, rng.lognormal(2.8, 0.6, calls))
        outputs = rng.integers(100, 900, calls)
        for toy in toys:
            _Session(toy, replication, ledger).play(steps, gaps, outputs)
    tables = parquet.to_tables(ledger)
    names = [toy.name for toy in toys]
    arms, paired = compare(tables, arms=names, baseline=names[0], replications=replications, seed=seed)
    merged = [{**_described(toy), **row} for toy, row in zip(toys, arms, strict=True)]
    result = {
        "schema": 1, "scenario": "toy", "seed": seed, "replications": replications, "stamp": _stamp(),
        "arms": merged, "paired": paired,
    }  # fmt: skip
    manifest = {
        "ledger_schema": 1, "hash": "0123456789abcdef" * 4, "title": title, "result": result,
        "assumptions": {
            "auxiliary": {"summary_tokens": 2600, "summary_sigma": 0.25, "failures": {}},
            "workload": {"kind": "synthetic", "preset": "long-haul", "set": {}},
        },
    }  # fmt: skip
    frames: dict[str, Any] = {name: table.to_pandas() for name, table in tables.items()}
    return RunData(summary=result, manifest=manifest, **frames)


def _described(toy: Toy) -> dict[str, Any]:
    return {
        "arm": toy.name, "engine": "parametric" if toy.trigger else "none", "engine_version": "1",
        "model": "claude-toy", "window": 1_000_000, "trigger_tokens": toy.trigger,
        "trigger_rule": toy.setting if toy.trigger else "never", "tail_tokens": 25_000,
        "auxiliary_model": "flash-toy" if toy.trigger else None, "ignored_settings": list(toy.ignored),
        "misplaced_settings": {},
        "settings": {"compression": {toy.setting: toy.trigger, "tail_mode": "lean"}} if toy.trigger else {},
    }  # fmt: skip


def _stamp() -> dict[str, Any]:
    card = {"model": "claude-toy", "provider": "toy", "effective": "2026-01-01", "checked": "2026-11-20",
            "source": "https://example.org/prices"}  # fmt: skip
    return {
        "sim": "0.1.0", "source": "00ff00ff00ff00ff", "engines": {"parametric": "1"}, "price_cards": [card],
        "tokenizer": {"family": "o200k"}, "transcripts": {}, "python": "3.11.0",
    }  # fmt: skip
