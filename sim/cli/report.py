"""`hermes-sim report`."""

from __future__ import annotations

from pathlib import Path

import click

from sim.cli._options import lang_option


@click.command(name="report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="[default: RUN/report.pdf]")
@click.option("--html", is_flag=True, help="One static page for a browser instead of the PDF.")
@click.option("--summary", is_flag=True, help="One page only.")
@lang_option
def command(run: Path, output: Path | None, html: bool, summary: bool, lang: str) -> None:
    """Build the report of a stored RUN folder, simulating nothing."""
    from sim.api import open_result
    from sim.cli._progress import progress
    from sim.cli._stored import run_data
    from sim.errors import UsageError
    from sim.report import build_html

    result = open_result(run)
    if html and summary:
        raise UsageError("--summary is a page of the PDF", remedy="leave out --html or --summary")
    target = output or run / ("report.html" if html else "summary.pdf" if summary else "report.pdf")
    with progress(lang) as note:
        note("report", 0, 1, "")
        if html:
            build_html(run_data(result), target, lang=lang)
        else:
            result.report(target, summary=summary, lang=lang)
        note("report", 1, 1, "")
    print(target)
