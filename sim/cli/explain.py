"""`hermes-sim explain`."""

from __future__ import annotations

import click

from sim.cli import _out
from sim.cli._options import format_options, lang_option, set_option


@click.command(name="explain", short_help="Show the trigger that will really apply, and why.")
@click.argument("source", metavar="CONFIG|SCENARIO")
@click.option("--windows", metavar="8K,64K,...", help="Context windows to show, separated by commas.")
@click.option("--engine", "engines", multiple=True, metavar="ENGINE", help="hermes@0.19, hermes@0.22; may be repeated.")
@click.option("--diagnose", is_flag=True, help="Say in words what fires first, what never fires and what does nothing.")
@set_option
@format_options
@lang_option
def command(
    source: str,
    windows: str | None,
    engines: tuple[str, ...],
    diagnose: bool,
    sets: tuple[str, ...],
    fmt: str,
    lang: str,
) -> None:
    """Show the trigger, tail and gates that will really apply, and which rule set each.

    Takes a scenario or a Hermes config.yaml. The figures come from the engine itself.
    """
    from sim.cli._explain import explain_table, remarks
    from sim.cli._progress import progress
    from sim.insight.explain import explain

    asked = [part.strip() for part in (windows or "").split(",") if part.strip()]
    with progress(lang) as note:
        explanation = explain(source, windows=asked, engines=engines, overrides=sets, progress=note)
    document = explanation.json(diagnose=diagnose)
    if fmt == "json":
        _out.print_json(document)
        return
    if fmt == "csv":
        from sim.cli._table import print_csv

        print_csv(document["rows"])
        return
    explain_table(document["rows"], lang, arms=len({row["arm"] for row in document["rows"]}) > 1)
    remarks(document, diagnose=diagnose)
