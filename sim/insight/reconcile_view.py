"""A reconciliation as one JSON document; names of sessions are masked, texts are not in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sim.insight.reconcile import Line, Reconciliation, Split, waterfall
from sim.privacy import mask
from sim.units import usd_text


def as_document(
    counted: Reconciliation, exact: Reconciliation, *, bill: Mapping[str, Any] | None = None, calls: bool = False
) -> dict[str, Any]:
    """Totals, read shares, causes, calibration, waterfall, and every call if asked for.

    Args:
        counted, exact: the two predictions of the same transcripts.
        bill: from `read_bill`.
        calls: include one row a call.

    Returns:
        Plain data: tokens as integers, money as decimal strings under `*_usd`, shares between 0 and 1.
    """
    found: dict[str, Any] = {
        "schema": 1,
        "sessions": len({line.session for line in exact.lines}),
        "calls": len(exact.lines),
        "left_out": exact.left_out,
        "explained": round(exact.explained, 6),
        "totals": {
            "recorded": _totals((x.recorded, x.recorded_pico) for x in exact.lines),
            "predicted": _totals((x.predicted, x.predicted_pico) for x in exact.lines),
            "predicted_counted": _totals((x.predicted, x.predicted_pico) for x in counted.lines),
        },
        "read_share": [_share(who, counted, exact) for who in ("", "user", "tool")],
        "causes": [{"cause": name, "calls": n, "tokens": tokens} for name, (n, tokens) in exact.causes.items()],
        "calibration": [
            {
                "session": mask(session),
                "multiplier": round(one.multiplier, 4),
                "frame_tokens": round(one.frame, 1),
                "pairs": one.pairs,
            }
            for session, one in counted.calibrations.items()
        ],
        "waterfall": [
            {"step": step["step"], "usd": _usd(step["pico"]), "total_usd": _usd(step["total"])}
            for step in waterfall(counted, exact, bill)
        ],
        "notes": [mask(note) for note in dict.fromkeys([*exact.notes, *counted.notes])],
    }
    if calls:
        found["lines"] = [_line(line, other) for line, other in zip(exact.lines, counted.lines, strict=True)]
    return found


def _usd(pico: int) -> str:
    return usd_text(pico) if pico >= 0 else f"-{usd_text(-pico)}"


def _totals(pairs: Iterable[tuple[Split, int | None]]) -> dict[str, Any]:
    sums = {"input_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0, "cache_write_long_tokens": 0}
    sums |= {"fresh_tokens": 0, "output_tokens": 0}
    pico = unpriced = 0
    for split, cost in pairs:
        for name, value in _columns(split).items():
            sums[name] += value
        pico += cost or 0
        unpriced += cost is None
    return {**sums, "cost_usd": usd_text(pico), "unpriced_calls": unpriced}


def _columns(split: Split) -> dict[str, int]:
    return {
        "input_tokens": split.input,
        "cache_read_tokens": split.read,
        "cache_write_tokens": split.write_5m + split.write_1h,
        "cache_write_long_tokens": split.write_1h,
        "fresh_tokens": split.fresh,
        "output_tokens": split.output,
    }


def _share(who: str, counted: Reconciliation, exact: Reconciliation) -> dict[str, Any]:
    recorded, predicted = exact.read_share(who)
    return {
        "started_by": who or "all",
        "calls": sum(1 for line in exact.lines if not who or line.started_by == who),
        "before_the_file": sum(line.start for line in exact.lines if not who or line.started_by == who),
        "recorded": round(recorded, 6),
        "predicted": round(predicted, 6),
        "predicted_counted": round(counted.read_share(who)[1], 6),
    }


def _line(line: Line, other: Line) -> dict[str, Any]:
    return {
        "session": mask(line.session),
        "call": line.call,
        "started_by": line.started_by,
        "model": line.model,
        "cause": line.cause,
        "recorded": _columns(line.recorded),
        "predicted": _columns(line.predicted),
        "predicted_counted": _columns(other.predicted),
        "recorded_usd": None if line.recorded_pico is None else usd_text(line.recorded_pico),
        "predicted_usd": None if line.predicted_pico is None else usd_text(line.predicted_pico),
    }
