"""`hermes-sim workload`."""

from __future__ import annotations

from dataclasses import asdict

import click

from sim.cli import _out


@click.group(name="workload")
def command() -> None:
    """List the presets of synthetic sessions, or hold one against measured figures."""


@command.command(name="list")
def list_() -> None:
    """Show the presets that come with hermes-sim."""
    from sim.cli._table import Column, print_table
    from sim.workload import load_preset, preset_names

    rows = [{"preset": name, "title": load_preset(name).title} for name in preset_names()]
    print_table(rows, [Column("preset", "preset"), Column("title", "what it is", wrap=True)])


@command.command(name="check")
@click.argument("preset")
@click.option("--sessions", type=click.IntRange(min=2), default=2_000, show_default=True, help="Sessions to draw.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of their streams.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def check(preset: str, sessions: int, seed: int, as_json: bool) -> None:
    """Target against observed over many token-only sessions of a PRESET (a name or a file)."""
    from sim.cli._progress import progress
    from sim.workload import load_preset
    from sim.workload.check import check as measure
    from sim.workload.check import check_table

    chosen = load_preset(preset)
    with progress("en") as note:
        rows = measure(
            chosen, sessions=sessions, seed=seed, progress=lambda done, total: note("draw", done, total, "sessions")
        )
    if as_json:
        found = [{**asdict(row), "off": row.off, "met": row.met} for row in rows]
        _out.print_json({"schema": 1, "preset": chosen.name, "sessions": sessions, "rows": found})
        return
    click.echo(check_table(rows))
    missed = sum(row.met is False for row in rows)
    held = sum(row.met is not None for row in rows)
    _out.note(f"{held - missed} of {held} targets met over {sessions} sessions")
