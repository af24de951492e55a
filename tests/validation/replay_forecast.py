"""Rung (c): fit on one half of the recorded sessions, forecast the other with a 90 % interval, count how it covers.

    python -m tests.validation.replay_forecast predict FOLDER docs/predictions.json DATE
    python -m tests.validation.replay_forecast score   FOLDER docs/predictions.json DATE

The first writes forecasts into the register without looking at the second halves; commit them, then run the second.
Sessions are those of agents with recorded sizes (Claude Code files, block traces, TraceLab rounds). The interval holds
both sources of doubt: the half that was fitted is resampled and refitted, and as many sessions as the other half has
are drawn from each refit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from sim import __version__
from sim.history import RowMaker
from sim.insight.register import Prediction, add, input_hash, load, page, score
from sim.streams import Streams
from sim.tokens import token_model
from sim.workload import Script, draw, fit_preset
from sim.workload.replay import import_transcripts
from tests.validation.replay_count import count_file

FORMATS = ("claude-code", "hash-trace", "tracelab")
SPLITS, REFITS, POOL, CONFIDENCE = 5, 24, 16, 0.90
LEAST_CALLS = 3
MODEL = "claude-sonnet-4-5"
METHOD = (
    f"a preset fitted to a random half of the recorded sessions (bootstrap of {REFITS} refits, {POOL} sessions drawn "
    "from each); the quantity is the mean over the sessions of the other half"
)


def _prompts(script: Script) -> list[int]:
    """Prompt tokens of each call when nothing is compacted."""
    size = sum(row.tokens for row in script.prefix)
    found = []
    for turn in script.turns:
        size += sum(row.tokens for row in turn.users)
        for reply in turn.replies:
            found.append(size)
            size += reply.row.tokens + sum(tool.result.tokens for tool in reply.tools)
    return found


def _outputs(script: Script) -> list[int]:
    return [reply.row.tokens + reply.hidden_tokens for turn in script.turns for reply in turn.replies]


def _seconds(script: Script) -> float:
    return sum(
        turn.gap + sum(reply.seconds + max((t.seconds for t in reply.tools), default=0.0) for reply in turn.replies)
        for turn in script.turns
    )


def _growth(script: Script) -> float:
    prompts = _prompts(script)
    return (prompts[-1] - prompts[0]) / (len(prompts) - 1)


QUANTITIES: dict[str, tuple[str, Callable[[Script], float]]] = {
    "calls": ("calls a session", lambda script: float(script.calls)),
    "output": ("output tokens a call", lambda script: float(np.mean(_outputs(script)))),
    "growth": ("prompt growth a call, tokens", _growth),
    "peak": ("last prompt of a session, tokens", lambda script: float(_prompts(script)[-1])),
    "duration": ("length of a session, seconds", _seconds),
}


def sources(data: Path) -> list[Path]:
    """Files with agent sessions and recorded sizes, by name."""
    files = [path for path in data.rglob("*") if path.is_file() and path.suffix in {".json", ".jsonl"}]
    counted = [(path, count_file(path)) for path in sorted(files, key=lambda path: path.name)]
    return [path for path, count in counted if count is not None and count.format in FORMATS]


def sessions(data: Path) -> list[Script]:
    """Sessions with at least three calls, in the order of files."""
    found = import_transcripts([str(path) for path in sources(data)], maker=RowMaker(token_model(MODEL)))
    return [one.script for one in found if one.script.calls >= LEAST_CALLS]


def halves(scripts: Sequence[Script], split: int) -> tuple[list[Script], list[Script]]:
    """A random half, and the rest."""
    order = Streams(split).rng("halves").permutation(len(scripts))
    cut = len(scripts) // 2
    return [scripts[i] for i in order[:cut]], [scripts[i] for i in order[cut:]]


def forecast(fitted: Sequence[Script], size: int, split: int) -> dict[str, tuple[float, float, float]]:
    """(median, low, high) of each quantity's mean over `size` sessions like the fitted ones."""
    tokens = token_model(MODEL)
    maker = RowMaker(tokens)
    means: dict[str, list[float]] = {name: [] for name in QUANTITIES}
    for refit in range(REFITS):
        rng = Streams(split).rng("refit", refit)
        chosen = [fitted[i] for i in rng.integers(0, len(fitted), size=len(fitted))]
        preset = fit_preset(chosen, tokens).preset
        streams = Streams(split).child("draw", refit)
        pool = [draw(preset, streams.child("session", n), 0, maker) for n in range(POOL)]
        usable = [script for script in pool if script.calls > 1] or pool
        for name, (_, measure) in QUANTITIES.items():
            values = np.array([measure(script) for script in usable if script.calls > 1 or name != "growth"])
            groups = rng.integers(0, len(values), size=(50, size))
            means[name] += [float(value) for value in values[groups].mean(axis=1)]
    tail = (1 - CONFIDENCE) / 2
    return {
        name: tuple(float(np.quantile(values, q)) for q in (0.5, tail, 1 - tail))  # type: ignore[misc]
        for name, values in means.items()
    }


def predict(data: Path, register: Path, on: str) -> None:
    """Write a forecast for each split and quantity into the register."""
    scripts, digest = sessions(data), input_hash(sources(data))
    made = []
    for split in range(SPLITS):
        first, second = halves(scripts, split)
        for name, (value, low, high) in forecast(first, len(second), split).items():
            quantity = QUANTITIES[name][0]
            made.append(
                Prediction(
                    f"half-{split}-{name}", on, __version__, digest, f"{quantity}, other half of split {split}", "mean",
                    round(value, 3), round(low, 3), round(high, 3), CONFIDENCE, METHOD,
                )
            )  # fmt: skip
    add(register, made)


def score_all(data: Path, register: Path, on: str) -> None:
    """Score the forecasts that wait."""
    scripts, digest = sessions(data), input_hash(sources(data))
    waiting = {entry.id for entry in load(register) if entry.recorded is None}
    for split in range(SPLITS):
        _, second = halves(scripts, split)
        for name, (_, measure) in QUANTITIES.items():
            if (ident := f"half-{split}-{name}") in waiting:
                recorded = float(np.mean([measure(script) for script in second]))
                score(register, ident, round(recorded, 3), input=digest, on=on)


def main() -> None:
    """Predict or score, then write the page beside the register."""
    verb, data, register, on = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    {"predict": predict, "score": score_all}[verb](data, register, on)
    register.with_suffix(".md").write_text(page(load(register)), encoding="utf-8")
    print(page(load(register)))


if __name__ == "__main__":
    main()
