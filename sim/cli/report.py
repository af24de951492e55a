"""`hermes-sim report`."""

from __future__ import annotations

from pathlib import Path

import click

from sim.cli._options import lang_option


@click.command(name="report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE.pdf", help="[default: RUN/report.pdf]")
@click.option("--summary", is_flag=True, help="One page only.")
@lang_option
def command(run: Path, output: Path | None, summary: bool, lang: str) -> None:
    """Build the report of a stored RUN folder, simulating nothing."""
    from sim.api import open_result
    from sim.cli._progress import progress

    result = open_result(run)
    target = output or run / ("summary.pdf" if summary else "report.pdf")
    with progress(lang) as note:
        note("report", 0, 1, "")
        written = result.report(target, summary=summary, lang=lang)
        note("report", 1, 1, "")
    print(written)
