"""`hermes-sim run`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sim.cli import _out
from sim.cli._options import format_options, lang_option, set_option

if TYPE_CHECKING:
    from sim.api import Result
    from sim.cli._limits import Limit
    from sim.scenario import Scenario


@click.command(name="run", short_help="Simulate every arm of a scenario and compare them.")
@click.argument("scenarios", nargs=-1, required=True, metavar="SCENARIO...")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Run folder  [default: reports/NAME-HASH]")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes to use  [default: what is there]")
@click.option("--replications", type=click.IntRange(min=1), metavar="N", help="Sessions to draw for each arm.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Seed of all random streams.")
@set_option
@click.option("--metrics", type=click.Path(path_type=Path), metavar="FILE", help="Write engine metrics (Prometheus).")
@click.option("--requests", type=click.Path(path_type=Path), metavar="FILE", help="Write request bodies (JSON lines).")
@click.option(
    "--fail-if", "limits", multiple=True, metavar="EXPR", help="Exit 4 when this holds: 'saving_usd.low < 0'."
)
@click.option("--force", is_flag=True, help="Play again even if the same run is stored.")
@format_options
@lang_option
def command(
    scenarios: tuple[str, ...],
    out: Path | None,
    jobs: int | None,
    replications: int | None,
    seed: int | None,
    sets: tuple[str, ...],
    metrics: Path | None,
    requests: Path | None,
    limits: tuple[str, ...],
    force: bool,
    fmt: str,
    lang: str,
) -> None:
    """Simulate every arm of a SCENARIO, store the run and print the comparison.

    An equal finished run is found and not played again. Ctrl-C keeps the finished part; the same command goes on.
    """
    from sim.errors import UsageError

    if len(scenarios) > 1 and any(x is not None for x in (out, metrics, requests)):
        raise UsageError("--out, --metrics and --requests go with one scenario", remedy="run the scenarios one by one")
    loaded = [_load(path, sets) for path in scenarios]
    parsed = [_limits(limits, scenario) for scenario in loaded]
    results = []
    for scenario in loaded:
        results.append(
            _play(
                scenario,
                lang,
                out=out,
                jobs=jobs or _jobs(scenario, replications),
                replications=replications,
                seed=seed,
                force=force,
                metrics=metrics,
                requests=requests,
            )
        )
        if fmt == "table":
            _print(results[-1], scenario, lang)
    documents = [r.json() for r in results]
    if fmt == "json":
        _out.print_json(documents[0] if len(documents) == 1 else documents)
    elif fmt == "csv":
        _csv(documents)
    _judge(parsed, documents)


def _load(path: str, sets: tuple[str, ...]) -> Scenario:
    from sim.cli._transcripts import read_over
    from sim.scenario import check_scenario

    checked = check_scenario(path, overrides=sets)
    scenario = checked.require()
    for item in [*checked.warnings, *read_over(scenario)]:
        # What has no effect or stands in the wrong place is told below the comparison, for each arm.
        if item.rule not in {"ignored", "misplaced", "renamed"}:
            _out.warning(str(item))
    return scenario


def _jobs(scenario: Scenario, replications: int | None) -> int:
    """Processes that pay: another one takes seconds to start, so each should have several replications to play."""
    rule = scenario.replications
    count = replications or (rule if isinstance(rule, int) else rule.at_most)
    if scenario.workload.kind != "synthetic":
        return 1
    # A fleet's replication is a whole span of sessions.
    return max(1, min(os.cpu_count() or 1, count if scenario.fleet is not None else count // 4))


def _limits(sources: tuple[str, ...], scenario: Scenario) -> list[Limit]:
    from sim.cli._limits import parse_limit

    return [parse_limit(source, [arm.name for arm in scenario.arms]) for source in sources]


def _play(scenario: Scenario, lang: str, **options: Any) -> Result:
    from sim.api import run
    from sim.cli._progress import progress

    with progress(lang) as note:
        return run(scenario, progress=note, **options)


def _print(result: Result, scenario: Scenario, lang: str) -> None:
    from sim.cli._comparison import print_comparison, remarks
    from sim.cli._fleet import print_fleet
    from sim.cli._stored import answer_of, question_of

    document = result.json()
    print_comparison(
        document, title=scenario.title, answer=answer_of(result, lang), question=question_of(result, lang), lang=lang
    )
    print_fleet(document, lang)
    for remark in remarks(document, lang):
        _out.warning(remark)


def _csv(documents: list[dict[str, Any]]) -> None:
    from sim.cli._table import print_csv

    rows = []
    for document in documents:
        pairs = {row["arm"]: row for row in document["paired"]}
        for arm in document["arms"]:
            pair = {k: v for k, v in pairs.get(arm["arm"], {}).items() if k != "arm"}
            rows.append({"scenario": document["scenario"], **arm, **pair})
    print_csv(rows)


def _judge(limits: list[list[Limit]], documents: list[dict[str, Any]]) -> None:
    from sim.cli._limits import broken_by
    from sim.errors import LimitBroken

    for own, document in zip(limits, documents, strict=True):
        for limit in own:
            broken = broken_by(limit, document["arms"], document["paired"])
            if broken:
                raise LimitBroken(
                    f"limit broken in {document['scenario']}: {limit.source}: {', '.join(broken)}",
                    remedy=f"see {document['run_dir']}",
                )
