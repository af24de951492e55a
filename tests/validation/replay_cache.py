"""Three rungs of trust: recorded usage to dollars, prompts and times to the cache split, block traces by brute force.

    python -m tests.validation.replay_cache FOLDER      prints the tables

(a) money is held against the genai-prices package's own calculation, (b) the split against what was recorded, and where
nothing was recorded (traces of 64-token block hashes) against a brute-force search over all earlier requests.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from sim.history import Blank, Prompt, RowMaker
from sim.insight.reconcile import Line, Reconciliation, reconcile
from sim.provider import Mark
from sim.provider.cache import BreakpointCache, BreakpointRules
from sim.tokens import TokenModel
from sim.units import usd
from sim.workload.replay.hashes import HashCall, HashSession, sessions, shared
from tests.validation.replay_count import count_file

RECORDED = ("claude-code", "tracelab")
LIFETIMES = {"5m": 300.0, "1h": 3_600.0}
AS_OF = datetime(2026, 12, 1, tzinfo=UTC)


def money(data: Path) -> list[dict[str, Any]]:
    """Rung (a): recorded usage to dollars, against genai-prices.

    Keys: `file, calls, usd, oracle_usd, largest_difference`.
    """
    rows = []
    for path, found in _recorded(data):
        ours = theirs = Decimal(0)
        largest = Decimal(0)
        priced = [line for line in found.lines if line.recorded_pico is not None]
        for line in priced:
            mine, oracle = usd(line.recorded_pico or 0), _oracle(line)
            ours, theirs, largest = ours + mine, theirs + oracle, max(largest, abs(mine - oracle))
        rows.append({"file": path.name, "calls": len(priced), "usd": ours, "oracle_usd": theirs,
                     "largest_difference": largest})  # fmt: skip
    return rows


def _recorded(data: Path) -> list[tuple[Path, Reconciliation]]:
    found = []
    for path in sorted(data.rglob("*")):
        count = count_file(path) if path.is_file() and path.suffix != ".md" else None
        if count is not None and count.format in RECORDED:
            found.append((path, reconcile([str(path)], exact=True, as_of=AS_OF)))
    return found


def _oracle(line: Line) -> Decimal:
    from genai_prices import Usage, calc_price

    use = line.recorded
    usage = Usage(
        input_tokens=use.input,
        cache_read_tokens=use.read,
        cache_write_tokens=use.write_5m + use.write_1h,
        output_tokens=use.output,
    )
    return calc_price(usage, line.model, genai_request_timestamp=AS_OF).total_price


def split(data: Path) -> list[dict[str, Any]]:
    """Rung (b) on recordings: token-weighted read share, recorded and predicted, also by who started the call.

    Keys: `file, calls, started_by, recorded, predicted, points, unexplained`; calls decided by the cache's state before
    the file are left out of the shares and counted under `before_the_file`.
    """
    rows = []
    for path, found in _recorded(data):
        for who in ("", "user", "tool"):
            chosen = [line for line in found.lines if not who or line.started_by == who]
            recorded, predicted = found.read_share(who)
            rows.append(
                {
                    "file": path.name,
                    "calls": len(chosen),
                    "started_by": who or "all",
                    "recorded": recorded,
                    "predicted": predicted,
                    "points": (predicted - recorded) * 100,
                    "before_the_file": sum(line.start for line in chosen),
                    "causes": {} if who else found.causes,
                }
            )
    return rows


# block traces ------------------------------------------------------------------------------------------------------


def blocks(data: Path) -> list[dict[str, Any]]:
    """Rung (b) on block traces: read share of our breakpoint cache and of brute force.

    Keys: `file, ttl, started_by, calls, predicted, brute_force, points`.
    """
    rows = []
    for path in sorted(data.rglob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(document, dict) or "block_size" not in document:
            continue
        found = sessions(document, path.stem)
        for ttl, lifetime in LIFETIMES.items():
            ours = _ours(found, ttl)
            brute = _brute(found, lifetime)
            calls = [call for _, call in _ordered(found)]
            for who in ("all", "user", "tool"):
                chosen = [i for i, call in enumerate(calls) if who in ("all", call.started_by)]
                total = sum(calls[i].input for i in chosen)
                shares = [sum(reads[i] for i in chosen) / total if total else 0.0 for reads in (ours, brute)]
                rows.append({"file": path.name, "ttl": ttl, "started_by": who, "calls": len(chosen),
                             "predicted": shares[0], "brute_force": shares[1],
                             "points": (shares[0] - shares[1]) * 100})  # fmt: skip
    return rows


def _ordered(found: Sequence[HashSession]) -> list[tuple[HashSession, HashCall]]:
    pairs = [(session, call) for session in found for call in session.calls]
    return sorted(pairs, key=lambda pair: pair[1].at)


def _head(session: HashSession) -> int:
    """Whole blocks of tools and system prompt."""
    return sum(session.base or (0, 0)) // session.block


def _ours(found: Sequence[HashSession], ttl: str) -> list[int]:
    """Reads by our cache: rows end where a marker of an earlier request with the same start stood."""
    maker = RowMaker(TokenModel("none"))
    cache = BreakpointCache(BreakpointRules(min_tokens=1_024))
    past: list[tuple[tuple[int, ...], list[int]]] = []
    reads = []
    for session, call in _ordered(found):
        whole = min(len(call.blocks), call.input // session.block)
        length, ends = max(
            ((shared(before, call.blocks[:whole]), old) for before, old in past),
            key=lambda pair: pair[0],
            default=(0, []),
        )
        kept = [end for end in ends if end <= length]
        marks = sorted({min(_head(session), whole), whole} - {0})
        cuts = sorted({*kept, *marks})
        prompt, start = Prompt(), 0
        for place, end in enumerate(cuts):
            label = "-".join(map(str, call.blocks[start:end]))
            role = "system" if place == 0 else ("user" if place % 2 else "assistant")
            prompt.append(maker.row(Blank(role, (end - start) * session.block, label)))
            start = end
        if tail := call.input - start * session.block:
            prompt.append(maker.row(Blank("user", tail, f"tail-{len(reads)}")))
        placed = [Mark(cuts.index(mark) + 1, ttl) for mark in marks]
        served = cache.serve(prompt, placed, call.at, first_byte=call.at, done=call.at + call.seconds)
        reads.append(served.read)
        past.append((call.blocks[:whole], cuts))
    return reads


def _brute(found: Sequence[HashSession], lifetime: float) -> list[int]:
    """Reads by search: the longest marked prefix of any earlier request that this one starts with, while alive."""
    entries: list[tuple[tuple[int, ...], float]] = []
    reads = []
    for session, call in _ordered(found):
        whole = min(len(call.blocks), call.input // session.block)
        best, at_best = 0, -1
        for place, (prefix, used) in enumerate(entries):
            alive = call.at - used <= lifetime
            if alive and len(prefix) > best and call.blocks[: len(prefix)] == prefix and len(prefix) <= whole:
                best, at_best = len(prefix), place
        if at_best >= 0:
            entries[at_best] = (entries[at_best][0], call.at)
        reads.append(best * session.block)
        marks = sorted({min(_head(session), whole), whole})
        entries += [(call.blocks[:mark], call.at) for mark in marks if mark * session.block >= 1_024]
    return reads


def main() -> None:
    """Print the three tables of a folder."""
    data = Path(sys.argv[1])
    for table in (money(data), split(data), blocks(data)):
        for row in table:
            print(row)


if __name__ == "__main__":
    main()
