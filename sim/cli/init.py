"""`hermes-sim init`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="init", short_help="Write a commented starter scenario.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".", metavar="[DIR]")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
def command(folder: Path, force: bool) -> None:
    """Write a commented starter scenario, and its schema for editors, into DIR."""
    import json

    from sim.cli import _out
    from sim.cli._files import write_text
    from sim.errors import UsageError
    from sim.scenario import json_schema
    from sim.scenario.starter import starter_yaml

    texts = {
        folder / "scenario.yaml": starter_yaml(),
        folder / "scenario.schema.json": json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n",
    }
    there = [str(path) for path in texts if path.exists()]
    if there and not force:
        raise UsageError(f"{' and '.join(there)} already there", remedy="give another DIR, or --force to overwrite")
    for path, text in texts.items():
        write_text(path, text)
        print(path)
    _out.note(f"edit it, then: hermes-sim run {folder / 'scenario.yaml'}")
