"""A register of predictions that are written down before they are scored; hits and misses both stay in it.

The register is a JSON file (`docs/predictions.json`) with a page for readers beside it (`docs/predictions.md`). An
entry names its input by the SHA-256 of the bytes, the version that made it and an interval. It is committed without a
score; scoring adds the recorded value once and changes nothing else, so the history of the file shows the order.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sim.errors import InputError, UsageError, Where


@dataclass(frozen=True, slots=True)
class Prediction:
    """One prediction.

    Attributes:
        id: short name, unique in the register.
        made: date it was made, ISO.
        version: of hermes-sim (and commit, if known).
        input: `sha256:` of the input that was used.
        quantity, unit: what is predicted.
        value, low, high: the prediction and its interval; the value lies inside.
        confidence: coverage of the interval, such as 0.9.
        method: how, in a sentence.
        recorded, scored: what was recorded and when it was compared; None until then.
    """

    id: str
    made: str
    version: str
    input: str
    quantity: str
    unit: str
    value: float
    low: float
    high: float
    confidence: float
    method: str
    recorded: float | None = None
    scored: str | None = None

    @property
    def hit(self) -> bool | None:
        """Whether the recorded value lies in the interval; None before scoring."""
        return None if self.recorded is None else self.low <= self.recorded <= self.high


def input_hash(paths: Iterable[Path]) -> str:
    """`sha256:` over the bytes of files, in the order given; names do not count.

    Raises:
        InputError: a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                while piece := file.read(2**20):
                    digest.update(piece)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", where=Where(str(path))) from error
        digest.update(b"\x00")
    return f"sha256:{digest.hexdigest()}"


def load(path: Path) -> list[Prediction]:
    """The entries of a register, an empty list when there is none yet.

    Raises:
        InputError: not a register.
    """
    if not path.exists():
        return []
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        entries = [Prediction(**entry) for entry in data["predictions"]]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"not a register of predictions: {error}", where=Where(str(path))) from error
    return entries


def add(path: Path, made: Sequence[Prediction]) -> None:
    """Put new predictions into the register.

    Raises:
        UsageError: an id is taken, a prediction is scored already, or its value is outside its interval.
    """
    entries = load(path)
    taken = {entry.id for entry in entries}
    for one in made:
        if one.id in taken:
            raise UsageError(f"prediction {one.id!r} is in the register already", remedy="give it another id")
        if one.recorded is not None or one.scored is not None:
            raise UsageError(f"prediction {one.id!r} comes with its score", rule="predictions come before scores")
        if not one.low <= one.value <= one.high:
            raise UsageError(f"prediction {one.id!r}: {one.value} is outside of {one.low} to {one.high}")
        taken.add(one.id)
        entries.append(one)
    _write(path, entries)


def score(path: Path, ident: str, recorded: float, *, input: str, on: str) -> Prediction:
    """Write down what was recorded for a prediction.

    Args:
        input: hash of the input, which must be the one the prediction was made on.
        on: ISO date.

    Raises:
        UsageError: no such prediction, another input, or scored already.
    """
    entries = load(path)
    place = next((i for i, entry in enumerate(entries) if entry.id == ident), None)
    if place is None:
        raise UsageError(f"no prediction {ident!r} in the register", remedy="register it before scoring it")
    entry = entries[place]
    if entry.recorded is not None:
        raise UsageError(f"prediction {ident!r} was scored on {entry.scored}", rule="a score is not changed")
    if entry.input != input:
        raise UsageError(f"prediction {ident!r} was made on another input", rule="the same bytes must be scored")
    entries[place] = replace(entry, recorded=recorded, scored=on)
    _write(path, entries)
    return entries[place]


def page(entries: Sequence[Prediction]) -> str:
    """The register as Markdown: how many hits, then every entry, misses too."""
    done = [entry for entry in entries if entry.hit is not None]
    hits = sum(1 for entry in done if entry.hit)
    waiting = len(entries) - len(done)
    lines = [
        "# Predictions",
        "",
        "Each line was committed before it was scored; the history of `predictions.json` shows both. Nothing is taken "
        "out.",
        "",
        f"{len(entries)} predictions, {len(done)} scored: {hits} inside their interval, {len(done) - hits} outside; "
        f"{waiting} waiting.",
        "",
        "| id | made | quantity | predicted | interval | recorded | |",
        "|---|---|---|---|---|---|---|",
    ]
    for entry in entries:
        recorded = "" if entry.recorded is None else _figure(entry.recorded)
        mark = {None: "waiting", True: "hit", False: "**miss**"}[entry.hit]
        lines.append(
            f"| {entry.id} | {entry.made} | {entry.quantity}, {entry.unit} | {_figure(entry.value)} | "
            f"{_figure(entry.low)} to {_figure(entry.high)} ({entry.confidence:.0%}) | {recorded} | {mark} |"
        )
    methods = dict.fromkeys(entry.method for entry in entries)
    if methods:
        lines += ["", *(f"- {method}" for method in methods)]
    return "\n".join(lines) + "\n"


def _figure(value: float) -> str:
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def _write(path: Path, entries: Sequence[Prediction]) -> None:
    """Write the register whole, so that a crash leaves the old one."""
    rows: list[dict[str, Any]] = [asdict(entry) for entry in entries]
    text = json.dumps({"schema": 1, "predictions": rows}, indent=1, ensure_ascii=False) + "\n"
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(scratch, 0o644)
    os.replace(scratch, path)
