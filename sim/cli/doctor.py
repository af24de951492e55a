"""`hermes-sim doctor`."""

from __future__ import annotations

import click

from sim.cli import _out
from sim.cli._options import format_options, lang_option

_STYLE = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command(name="doctor", short_help="Check versions, engines, prices, fonts and folders.")
@format_options
@lang_option
def command(fmt: str, lang: str) -> None:
    """Check versions, engines, vocabularies, prices, fonts and folders; changes nothing, never touches ~/.hermes."""
    from sim.cli._doctor import examine
    from sim.cli._table import Column, print_csv, print_table
    from sim.cli._words import word

    found = examine()
    rows = [{"check": f.name, "state": f.state, "detail": f.detail, "remedy": f.remedy} for f in found]
    worst = "fail" if any(f.state == "fail" for f in found) else "ok"
    if fmt == "json":
        _out.print_json({"schema": 1, "ok": worst == "ok", "checks": rows})
    elif fmt == "csv":
        print_csv(rows)
    else:
        from rich.text import Text

        shown = [
            {
                "check": f.name,
                "state": Text(f.state, style=_STYLE[f.state]),
                "detail": "\n".join(part for part in (f.detail, f.remedy) if part),
            }
            for f in found
        ]
        columns = [Column("check", word("check", lang)), Column("state", word("state", lang))]
        print_table(shown, [*columns, Column("detail", word("found", lang), wrap=True)])
    if worst == "fail":
        raise click.exceptions.Exit(1)
