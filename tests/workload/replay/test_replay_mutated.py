"""Property: whatever single values of a transcript are replaced by, an importer reads it or says why not."""

from __future__ import annotations

import json
import random
from copy import deepcopy as copy_of
from pathlib import Path
from typing import Any

import pytest
from replay_samples import SAMPLES, Sample

from sim.errors import TranscriptError
from sim.history import RowMaker
from sim.workload.replay import Imports, import_transcripts

JSON = [s for s in SAMPLES if s.format not in {"hermes-db", "csv-trace", "aider"}]
HOSTILE: list[Any] = [None, True, -1, 0, 10**40, 1e308, float("nan"), "", "\x00", "x" * 3_000, "é\ud800", [], {}, [[]],
                      [None], [{"type": None}], {"a": []}, [1, "a", None], "2025-13-45", "-5"]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to every value inside a JSON value."""
    found = [path] if path else []
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        found += places(item, (*path, key))
    return found


def mutated(value: Any, rng: random.Random) -> Any:
    """A copy with one to three values replaced or left out."""
    copy = json.loads(json.dumps(value))
    for _ in range(rng.randint(1, 3)):
        paths = places(copy)
        if not paths:
            break
        *parents, last = rng.choice(paths)
        holder = copy
        for key in parents:
            holder = holder[key]
        if rng.random() < 0.2:
            del holder[last]
        else:
            holder[last] = copy_of(rng.choice(HOSTILE))
    return copy


@pytest.mark.parametrize("sample", JSON, ids=[s.format for s in JSON])
def test_mutated_values_never_crash(sample: Sample, tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / f"s{sample.suffix}"
    sample.write(path)
    text = path.read_text(encoding="utf-8", errors="replace")
    rng = random.Random(sample.format)
    for _ in range(40):
        try:
            changed = json.dumps(mutated(json.loads(text), rng))
        except ValueError:
            rows = text.splitlines()
            place = rng.randrange(len(rows))
            try:
                rows[place] = json.dumps(mutated(json.loads(rows[place]), rng))
            except ValueError:
                continue  # the sample's own broken line
            changed = "\n".join(rows) + "\n"
        path.write_text(changed, encoding="utf-8", errors="surrogatepass")
        for name in ("auto", sample.format):
            message = ""
            try:
                found = import_transcripts([str(path)], format=name, maker=maker)
            except TranscriptError as error:
                found, message = Imports(), str(error)
            assert found or str(path) in message
            for one in found:
                assert one.report.rows == one.report.used + sum(one.report.skipped.values())
                assert all(turn.gap >= 0 and turn.replies for turn in one.script.turns)
