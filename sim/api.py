"""The Python interface: load a scenario, run it, look at the result.

import sim
result = sim.run("scenarios/cap-vs-ratio.yaml")
result.frame("calls")           # one row per model request
result.figure("context")        # a matplotlib figure
result.report("decision.pdf")
"""

from __future__ import annotations

import copy
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import InputError, UsageError
from sim.insight.explain import Explanation
from sim.insight.explain import explain as _explain
from sim.ledger import RunFolder
from sim.result import Comparison, PathLike, Result, run_data
from sim.scenario import Scenario, from_mapping, load_scenario
from sim.scenario.resolved import plain
from sim.study.prepare import Progress, Workbench
from sim.study.study import study

if TYPE_CHECKING:
    from concurrent.futures import Executor


def load(path: PathLike, *, set: Sequence[str] = ()) -> Scenario:
    """A scenario file, read and validated.

    Args:
        path: the YAML file.
        set: overrides, each `path=value` (`model.window=260K`, `arms.cap.compression.threshold=0.6`).

    Raises:
        InputError: missing or invalid file; the message names line, rule and remedy.
    """
    return load_scenario(Path(path), overrides=tuple(set))


def run(
    scenario: Scenario | PathLike,
    *,
    out: PathLike | None = None,
    jobs: int = 1,
    replications: int | None = None,
    seed: int | None = None,
    set: Sequence[str] = (),
    force: bool = False,
    progress: Progress | None = None,
    pdf: bool = True,
    metrics: PathLike | None = None,
    requests: PathLike | None = None,
) -> Result:
    """Play every arm of a scenario and store the run; an equal finished run is opened instead.

    Args:
        scenario: a loaded scenario or a path.
        out: the run folder; by default `reports/<scenario>-<hash>`.
        jobs: processes; the result is the same for any number.
        replications, seed: override the scenario's.
        set: overrides when `scenario` is a path.
        force: play again even if the run is stored.
        progress: called with (event, done, total, label).
        pdf: build figures and `report.pdf` into the folder.
        metrics: write engine metrics in Prometheus exposition format to this file.
        requests: write the request bodies of replication 0 with their cache markers, one JSON a line, to this file.

    Raises:
        InputError: invalid scenario, transcript or price.
        EngineError: an engine is missing or failed.
        Interrupted: stopped; finished replications are kept.
    """
    if jobs < 1:
        raise UsageError(f"--jobs must be at least 1, not {jobs}")
    loaded = scenario if isinstance(scenario, Scenario) else load(scenario, set=set)
    changes: dict[str, Any] = {}
    if replications is not None:
        if replications < 1:
            raise UsageError(f"--replications must be at least 1, not {replications}")
        changes["replications"] = replications
    if seed is not None:
        changes["seed"] = seed
    if changes:
        loaded = loaded.model_copy(update=changes)
    note = progress or _quiet
    bench = Workbench()

    def finish(folder: Path, manifest: Mapping[str, Any]) -> None:
        from sim.report import build_report, write_figures

        data = run_data(folder, manifest)
        note("report", 0, 2, "figures")
        write_figures(data, folder / "figures")
        note("report", 1, 2, "PDF")
        build_report(data, folder / "report.pdf")
        note("report", 2, 2, "PDF")

    try:
        with _executor(jobs) as executor:
            folder = study(
                loaded,
                bench=bench,
                out=None if out is None else Path(out),
                executor=executor,
                force=force,
                progress=note,
                finish=finish if pdf else None,
            )
        if metrics is not None:
            from sim.report.metrics import write_metrics

            write_metrics(run_data(folder.path, folder.manifest()), Path(metrics))
        if requests is not None:
            from sim.study.trace import write_requests

            write_requests(loaded, bench, Path(requests))
    finally:
        bench.close()
    return Result(folder)


def _quiet(event: str, done: int, total: int, label: str) -> None:
    """Progress nobody watches."""


@contextmanager
def _executor(jobs: int) -> Iterator[Executor | None]:
    """A pool of spawned processes, or None to stay in this one."""
    if jobs == 1:
        yield None
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def open_result(folder: PathLike) -> Result:
    """A stored run.

    Raises:
        InputError: not a run folder.
    """
    found = RunFolder(Path(folder))
    found.manifest()
    return Result(found)


def sweep(
    scenario: Scenario | PathLike,
    vary: Mapping[str, Sequence[Any]],
    *,
    set: Sequence[str] = (),
    **options: Any,
) -> Result:
    """A grid of arms: every arm of the scenario under every combination of the varied settings.

    Args:
        scenario: a loaded scenario or a path.
        vary: path within an arm → values (`{"compression.threshold_tokens": [150000, 230000]}`).
        set: overrides when `scenario` is a path.
        options: passed on to `run`.

    Raises:
        UsageError: nothing to vary.
        InputError: a path or value that no arm takes.
    """
    loaded = scenario if isinstance(scenario, Scenario) else load(scenario, set=set)
    if not vary or any(not len(values) for values in vary.values()):
        raise UsageError("a sweep needs at least one setting with at least one value")
    data = plain(loaded)
    arms: dict[str, Any] = {}
    for name, arm in data["arms"].items():
        for combination in itertools.product(*vary.values()):
            label = ", ".join(
                f"{path.rsplit('.', 1)[-1]}={value}" for path, value in zip(vary, combination, strict=True)
            )
            arms[f"{name} {label}"] = _with(arm, dict(zip(vary, combination, strict=True)))
    first = next(name for name in arms if name.startswith(f"{data['baseline']} "))
    varied = from_mapping(
        {**data, "arms": arms, "baseline": first}, name=f"{loaded.name}-sweep", base_dir=loaded.base_dir
    )
    return run(varied, **options)


def _with(arm: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """An arm with dotted paths set."""
    changed = copy.deepcopy(dict(arm))
    for path, value in changes.items():
        *parents, key = path.split(".")
        place = changed
        for parent in parents:
            place = place.setdefault(parent, {})
        place[key] = value
    return changed


def replay(
    transcripts: PathLike | Sequence[PathLike],
    arms: Mapping[str, Any],
    *,
    model: str | Mapping[str, Any],
    format: str = "auto",
    baseline: str | None = None,
    **options: Any,
) -> Result:
    """What-if on real sessions: the same transcripts through any set of arms, paired per session.

    Args:
        transcripts: files, folders or globs.
        arms: arm name → arm, as in a scenario file.
        model: the model to bill, or a whole `model:` block.
        format: transcript format, `auto` to detect it.
        baseline: the arm to compare with; the first when None.
        options: passed on to `run`.

    Raises:
        InputError: no such transcript, or one that is not a transcript.
    """
    paths = [transcripts] if isinstance(transcripts, str | os.PathLike) else list(transcripts)
    data = {
        "schema": 1,
        "title": "Replay of real sessions",
        "model": {"name": model} if isinstance(model, str) else dict(model),
        "workload": {
            "kind": "replay",
            "transcripts": [os.fspath(Path(p).expanduser().absolute()) for p in paths],
            "format": format,
        },
        "arms": {name: dict(arm) for name, arm in arms.items()},
        "baseline": baseline or next(iter(arms)),
    }
    return run(from_mapping(data, name="replay"), **options)


def explain(
    source: Scenario | PathLike,
    *,
    windows: Sequence[int | str] = (),
    engines: Sequence[str] = (),
    set: Sequence[str] = (),
    progress: Progress | None = None,
) -> Explanation:
    """The trigger, tail and prune gates that will really apply, and which rule set each."""
    return _explain(source, windows=windows, engines=engines, overrides=tuple(set), progress=progress)


__all__ = ["Comparison", "InputError", "Result", "Scenario", "explain", "load", "open_result", "replay", "run", "sweep"]
