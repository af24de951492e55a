"""A whole study: find the run's folder, play what is missing, compare, store."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import Interrupted
from sim.ledger import SCHEMA_VERSION, Ledger, RunFolder
from sim.ledger import tables as parquet
from sim.privacy import mask, masked
from sim.scenario import Scenario, UntilHalfWidth, resolved_yaml
from sim.study.block import play_block, run_block
from sim.study.compare import compare
from sim.study.describe import describe_arms, stamp_of
from sim.study.fleet_result import fleet_result
from sim.study.prepare import BlockTask, Progress, Workbench

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_BATCH = 8
"""Replications before the first look at the half-width, and between looks."""

Finish = Callable[[Path, dict[str, Any]], None]
"""Adds figures and the report to a folder that is being assembled: (folder, manifest)."""


def _silent(event: str, done: int, total: int, label: str) -> None:
    """Progress nobody watches."""


def run_hash(scenario: Scenario, stamp: dict[str, Any]) -> str:
    """Digest over everything a result depends on."""
    text = resolved_yaml(scenario) + json.dumps(stamp, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def study(
    scenario: Scenario,
    *,
    bench: Workbench,
    out: Path | None = None,
    executor: Executor | None = None,
    force: bool = False,
    progress: Progress = _silent,
    finish: Finish | None = None,
) -> RunFolder:
    """Play a scenario and store the run; a finished equal run is found instead of played again.

    Args:
        scenario: what to play.
        bench: engines and profiles of this process.
        out: the run folder; `reports/<scenario>-<hash8>` when None.
        executor: where replications run; None plays them here.
        force: play again even if the run is there.
        progress: told of every finished replication.
        finish: adds figures and report before the folder appears.

    Raises:
        Interrupted: stopped by the user; finished replications are kept and taken up by the next run.
    """
    stamp = stamp_of(scenario, bench, progress).as_dict()
    digest = run_hash(scenario, stamp)
    folder = RunFolder(out if out is not None else Path("reports") / f"{scenario.name}-{digest[:8]}")
    with folder.lock():
        if folder.complete and not force and folder.manifest().get("hash") == digest:
            return folder
        _claim_work(folder, digest, force)
        try:
            count = _play_all(scenario, folder, bench, executor, progress)
        except KeyboardInterrupt:
            if not folder.has_blocks():
                folder.discard_blocks()
            raise Interrupted(
                "stopped; finished replications are kept", remedy="run the same command again to go on"
            ) from None
        except BaseException:
            if not folder.has_blocks():
                folder.discard_blocks()
            raise
        tables = folder.merged(count)
        manifest = _manifest(scenario, bench, tables, count, stamp, digest)
        with folder.assembling() as draft:
            _store(draft, scenario, tables, manifest)
            if finish is not None:
                finish(draft, manifest)
    return folder


def _claim_work(folder: RunFolder, digest: str, force: bool) -> None:
    """Keep blocks of an interrupted equal run; forget any others."""
    owner = folder.work / "hash"
    if force or not owner.exists() or owner.read_text(encoding="ascii") != digest:
        folder.discard_blocks()
        folder.work.mkdir(parents=True, exist_ok=True)
        owner.write_text(digest, encoding="ascii")


def _play_all(
    scenario: Scenario, folder: RunFolder, bench: Workbench, executor: Executor | None, progress: Progress
) -> int:
    rule = scenario.replications
    if not isinstance(rule, UntilHalfWidth) or scenario.workload.kind == "replay":
        count = bench.replications(scenario)
        _play(scenario, folder, bench, executor, range(count), count, progress)
        return count
    count = 0
    while count < rule.at_most:
        upto = min(count + FIRST_BATCH, rule.at_most)
        _play(scenario, folder, bench, executor, range(count, upto), rule.at_most, progress)
        count = upto
        if _half_width(scenario, folder, count) <= rule.until_half_width:
            break
    return count


def _half_width(scenario: Scenario, folder: RunFolder, count: int) -> float:
    """Widest half-width over the arms, as a share of the baseline's cost."""
    names = [arm.name for arm in scenario.arms]
    _, paired = compare(
        folder.merged(count), arms=names, baseline=scenario.baseline, replications=count, seed=scenario.seed
    )
    widths = [
        (row["saving_pct"]["high"] - row["saving_pct"]["low"]) / 200
        for row in paired
        if row["saving_pct"]["mean"] is not None
    ]
    return max(widths, default=0.0)


def _play(
    scenario: Scenario,
    folder: RunFolder,
    bench: Workbench,
    executor: Executor | None,
    replications: Iterable[int],
    total: int,
    progress: Progress,
) -> None:
    missing = [r for r in replications if not folder.has_block(r)]
    done = total - len(missing)
    progress("session", done, total, "replications")
    for replication, ledger in _results(scenario, bench, executor, missing):
        folder.put_block(replication, ledger)
        done += 1
        progress("session", done, total, "replications")


def _results(
    scenario: Scenario, bench: Workbench, executor: Executor | None, missing: list[int]
) -> Iterable[tuple[int, Ledger]]:
    tasks = [BlockTask(scenario, r) for r in missing]
    if executor is None:
        for task in tasks:
            yield task.replication, play_block(bench, task)
        return
    futures: dict[Future[Ledger], int] = {executor.submit(run_block, t): t.replication for t in tasks}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()


def _manifest(
    scenario: Scenario,
    bench: Workbench,
    tables: dict[str, pa.Table],
    count: int,
    stamp: dict[str, Any],
    digest: str,
) -> dict[str, Any]:
    names = [arm.name for arm in scenario.arms]
    arms, paired = compare(tables, arms=names, baseline=scenario.baseline, replications=count, seed=scenario.seed)
    described = describe_arms(scenario, bench)
    merged = [{**described[row["arm"]], **row} for row in arms]
    for row in merged:
        # What the sessions really opened with wins; without a session the resolved figure stands.
        if row["trigger_tokens"] is None:
            row["trigger_tokens"] = described[row["arm"]]["trigger_tokens"]
    whole = {
        "ledger_schema": SCHEMA_VERSION,
        "hash": digest,
        "title": scenario.title,
        "result": {
            "schema": 1,
            "scenario": scenario.name,
            "seed": scenario.seed,
            "replications": count,
            "stamp": stamp,
            "arms": merged,
            "paired": paired,
            **({"fleet": fleet_result(scenario, tables, count)} if scenario.fleet is not None else {}),
        },
        "assumptions": assumptions(scenario),
        "notes": bench.notes(scenario),
    }
    # Runs are handed round: no key and no home folder of a transcript's path goes with them.
    found: dict[str, Any] = masked(whole)
    return found


def assumptions(scenario: Scenario) -> dict[str, Any]:
    """Settings of the simulated world that a result rests on, for the report."""
    behaviour = scenario.workload.auxiliary
    found = {"auxiliary": behaviour.model_dump(), "workload": scenario.workload.model_dump(exclude={"auxiliary"})}
    if scenario.fleet is not None:
        found["fleet"] = scenario.fleet.model_dump(mode="json", exclude_none=True)
    return found


def _store(draft: Path, scenario: Scenario, tables: dict[str, pa.Table], manifest: dict[str, Any]) -> None:
    for name, table in tables.items():
        parquet.write(table, draft / f"{name}.parquet", name)
    (draft / "scenario.resolved.yaml").write_text(mask(resolved_yaml(scenario)), encoding="utf-8")
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (draft / "manifest.json").write_text(text + "\n", encoding="utf-8")
    (draft / "summary.csv").write_text(summary_csv(manifest["result"]), encoding="utf-8")


def summary_csv(result: dict[str, Any]) -> str:
    """One line per arm, nested values flattened with dots, the paired saving beside it."""
    pairs = {row["arm"]: row for row in result["paired"]}
    rows = [_flat({**arm, "paired": pairs.get(arm["arm"], {})}) for arm in result["arms"]]
    names: list[str] = []
    for row in rows:
        names += [n for n in row if n not in names]
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _flat(value: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, dict):
            flat.update(_flat(item, f"{prefix}{key}."))
        elif isinstance(item, list):
            flat[prefix + key] = "; ".join(str(i) for i in item)
        else:
            flat[prefix + key] = "" if item is None else item
    return flat
