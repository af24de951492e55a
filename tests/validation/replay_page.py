"""The replay part of `docs/validation.md`: real transcripts through importers, prices and caches.

Everything in the page is measured by this run, but for the count of the register, which is read from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sim.insight.register import load
from tests.validation.replay_cache import blocks, money, split
from tests.validation.replay_data import validate_replay

REGISTER = Path("docs") / "predictions.json"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table; numbers with thousands separators."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "**no**"
    return f"{value:,}" if isinstance(value, int) else str(value)


def counts(rows: Sequence[dict[str, Any]]) -> str:
    """What was read, and whether an independent count says the same."""
    head = ["file", "format", "rows", "left out", "sessions", "calls", "prompt tokens", "output tokens", "unexplained",
            "equal to the independent count", "recognised under a wrong name"]  # fmt: skip
    return table(head, [
        [row["file"], row["format"], row["rows"], sum(row["skipped"].values()), row["sessions"], row["calls"],
         row["input"], row["output"], row["unexplained"], not row["differences"],
         row["format"] == row["format_under_wrong_name"]]
        for row in rows
    ])  # fmt: skip


def sections(data: Path) -> list[str]:
    """The page's parts."""
    read = validate_replay(data)
    paid, shares, traces = money(data), split(data), blocks(data)
    left_out = {reason for row in read for reason in row["skipped"]}
    causes = [(row["file"], cause, *figures) for row in shares for cause, figures in row["causes"].items()]
    register = load(REGISTER)
    done = [entry for entry in register if entry.hit is not None]
    return [
        "# Real transcripts: what was read, and how well it is predicted",
        "Written by `make validate`. The files stay where they are; none is part of "
        "this project.",
        "## Counts",
        _COUNTS,
        counts(read),
        f"Reasons for what is left out: {', '.join(sorted(left_out)) or 'nothing is'}.",
        "## (a) Recorded usage to dollars",
        "Each call's recorded usage through our compiled card, beside the same usage through `genai-prices` itself.",
        table(["file", "calls", "ours, $", "genai-prices, $", "largest difference of a call, $"],
              [[r["file"], r["calls"], f"{r['usd']:.6f}", f"{r['oracle_usd']:.6f}", f"{r['largest_difference']:.2g}"]
               for r in paid]),
        "## (b) Prompt sizes and times to the cache split",
        _SPLIT,
        table(["file", "calls", "started by", "recorded", "predicted", "points", "decided before the file"],
              [[r["file"], r["calls"], r["started_by"], f"{r['recorded']:.2%}", f"{r['predicted']:.2%}",
                f"{r['points']:+.2f}", r["before_the_file"]] for r in shares]),
        "Calls that differ by more than 64 tokens and 1 % of the prompt:",
        table(["file", "why", "calls", "tokens"], causes),
        _CAUSES,
        _BLOCKS,
        table(["file", "TTL", "started by", "calls", "ours", "brute force", "points"],
              [[r["file"], r["ttl"], r["started_by"], r["calls"], f"{r['predicted']:.2%}", f"{r['brute_force']:.2%}",
                f"{r['points']:+.2f}"] for r in traces]),
        "## (c) Half of the sessions fitted, the other half forecast",
        f"`docs/predictions.md` holds {len(register)} forecasts that were committed before they were scored; "
        f"{sum(bool(entry.hit) for entry in done)} of {len(done)} recorded means lie inside their 90 % interval. "
        "Fifteen sessions of three kinds of source are a small and mixed set, so the intervals are wide; what was "
        "missed is the heavy tail (one sub-agent whose prompt grows by 72K tokens in one call, the longest sessions).",
    ]  # fmt: skip


_COUNTS = (
    "Every file is counted a second time by `tests/validation/replay_count.py`, which shares no code with the "
    "importers: records, sessions, calls, tool calls, prompt, read, written and output tokens. The last column imports "
    "a copy whose name belongs to another format."
)
_SPLIT = (
    "Only the sizes and times of the recorded prompts go in; what was read from cache comes out. Share of all prompt "
    "tokens that were read, over the calls whose outcome is not decided by what happened before the file begins."
)
_CAUSES = (
    "`best-effort cache` (misses of an automatic cache) and `not explained` have no cause in the recording; no model "
    "of ours predicts them call by call, and with few calls they move the share by points. `unknown rewrite` is a "
    "prompt that shrank; `answers kept in the cache` are reads beyond the prompt before, into its answer."
)
_BLOCKS = (
    "Traces of 64-token block hashes record no reads. There our breakpoint cache is held against a brute-force search "
    "over all earlier requests for the longest marked prefix that is still alive."
)
