"""`hermes-sim schema`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="schema")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to a file instead.")
def command(output: Path | None) -> None:
    """Print the JSON Schema of scenario files, for editors.

    A first line `# yaml-language-server: $schema=scenario.schema.json` in a scenario makes an editor use it.
    """
    import json

    from sim.cli import _out
    from sim.cli._files import write_text
    from sim.scenario import json_schema

    if output is None:
        _out.print_json(json_schema())
        return
    write_text(output, json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n")
    print(output)
