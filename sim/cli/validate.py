"""`hermes-sim validate`."""

from __future__ import annotations

import click

from sim.cli import _out
from sim.cli._options import format_options, lang_option, set_option


@click.command(name="validate", short_help="Check scenarios, or Hermes configs line by line.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--engine", default="hermes@0.22", show_default=True, help="Engine that a Hermes config is judged for.")
@set_option
@format_options
@lang_option
def command(files: tuple[str, ...], engine: str, sets: tuple[str, ...], fmt: str, lang: str) -> None:
    """Check scenario files, or Hermes configs line by line, without simulating.

    Of a scenario it says what is wrong and where each arm really fires, and warns where arms come to one and the same
    trigger. Of a Hermes config.yaml it says what becomes of each line: works, ignored, misplaced, renamed.
    """
    from sim.cli._validate import check_file

    checked = [check_file(path, engine, sets) for path in files]
    if fmt == "json":
        _out.print_json({"schema": 1, "files": [c.as_dict() for c in checked]})
    elif fmt == "csv":
        from sim.cli._table import print_csv

        print_csv([row for c in checked for row in c.csv_rows()])
    else:
        for one in checked:
            one.show(lang)
    if any(c.errors for c in checked):
        raise click.exceptions.Exit(3)
