"""`hermes-sim replay`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sim.cli import _out
from sim.cli._options import lang_option

if TYPE_CHECKING:
    from sim.api import Result


@click.command(name="replay")
@click.argument("transcripts", nargs=-1, required=True, metavar="TRANSCRIPT...")
@click.option("--format", "transcript_format", default="auto", metavar="F", help="Transcript format  [default: auto]")
@click.option(
    "--config",
    "configs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="CONFIG.yaml",
    help="A Hermes config to try; may be given again.",
)
@click.option("--against", type=click.Path(path_type=Path), metavar="CONFIG.yaml", help="The config to compare with.")
@click.option("--engine", default="hermes@0.22", show_default=True, metavar="E", help="Engine of these configs.")
@click.option("--model", metavar="NAME", help="Model to bill  [default: the one recorded]")
@click.option("--window", metavar="TOKENS", help="Context window, such as 1M  [default: the model's own]")
@click.option("--as-of", metavar="DATE", help="Date whose prices apply.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Run folder  [default: reports/replay-HASH]"
)
@click.option("--force", is_flag=True, help="Play again even if the same run is stored.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@lang_option
def command(
    transcripts: tuple[str, ...],
    transcript_format: str,
    configs: tuple[Path, ...],
    against: Path | None,
    engine: str,
    model: str | None,
    window: str | None,
    as_of: str | None,
    out: Path | None,
    force: bool,
    as_json: bool,
    lang: str,
) -> None:
    """What your own sessions would have cost under other settings, paired session by session.

    Without --config, Hermes's defaults are compared with a 230K cap and with no compaction at all. Transcripts are
    read where they lie and nothing of their text is stored.
    """
    arms = _arms(configs, against, engine)
    spec: dict[str, Any] = {"name": model or _recorded(transcripts, transcript_format)}
    if window:
        spec["window"] = window
    if as_of:
        spec["as_of"] = as_of
    from sim.api import replay
    from sim.cli._progress import progress

    with progress(lang) as note:
        result = replay(
            list(transcripts), arms, model=spec, format=transcript_format, out=out, force=force, progress=note
        )
    document = result.json()
    if as_json:
        _out.print_json(document)
        return
    from sim.cli._comparison import print_comparison, remarks
    from sim.cli._stored import answer_of, question_of

    print_comparison(
        document,
        title=result.manifest["title"],
        answer=answer_of(result, lang),
        question=question_of(result, lang),
        lang=lang,
    )
    for remark in remarks(document, lang):
        _out.warning(remark)
    for row in _differing(result):
        _out.note(row)
    pasted = _paste(result, arms)
    if pasted:
        click.echo(f"\n# config.yaml\n{pasted}", nl=False)


def _arms(configs: tuple[Path, ...], against: Path | None, engine: str) -> dict[str, Any]:
    """The baseline first: `--against`, else the defaults of the engine."""
    arms: dict[str, Any] = {}
    if against is not None:
        arms[against.stem] = {"engine": engine, "config": os.path.abspath(against)}
    else:
        arms["defaults"] = {"engine": engine}
    for path in configs:
        name = path.stem
        while name in arms:
            name += "+"
        arms[name] = {"engine": engine, "config": os.path.abspath(path)}
    if not configs:
        arms["cap-230k"] = {"engine": engine, "compression": {"threshold_tokens": 230_000}}
        arms["no-compaction"] = {"engine": "none"}
    return arms


def _paste(result: Result, arms: Mapping[str, Any]) -> str:
    """The winner's `compression:` block, ready for a config.yaml; empty when no arm is shown to be cheaper."""
    from sim.report.decision import decide
    from sim.scenario import read_config
    from sim.scenario.resolved import dump_yaml

    decision = decide(result.data().view)
    if decision.kind != "win":
        return ""
    arm = arms[decision.arm.name]
    if arm["engine"] == "none":
        return dump_yaml({"compression": {"enabled": False}})
    block = arm.get("compression")
    if block is None and "config" in arm:
        block = read_config(arm["config"]).settings.get("compression")
    return dump_yaml({"compression": block}) if block else ""


def _recorded(transcripts: tuple[str, ...], transcript_format: str) -> str:
    """The model most sessions were recorded with."""
    from collections import Counter

    from sim.errors import UsageError
    from sim.workload.replay import read_drafts
    from sim.workload.replay.build import recorded_model

    names = Counter(
        name
        for _, _, drafts in read_drafts(transcripts, format=transcript_format)
        for draft in drafts
        if (name := recorded_model(draft))
    )
    if not names:
        raise UsageError("the transcripts do not say which model answered", remedy="name it with --model")
    return names.most_common(1)[0][0]


def _differing(result: Result) -> list[str]:
    """One line an arm: from where on a session is no longer what really happened."""
    from sim.insight.counterfactual import divergences, summary

    rows = summary(divergences(result.frame("sessions"), result.frame("rewrites")))
    return [
        f"{row['arm']}: {row['diverged']} of {row['sessions']} sessions part from what happened; "
        f"{row['counterfactual_share']:.0%} of their calls are counterfactual"
        for row in rows
        if row["diverged"]
    ]
