"""`hermes-sim fit`."""

from __future__ import annotations

from pathlib import Path

import click

from sim.cli import _out


@click.command(name="fit")
@click.argument("transcripts", nargs=-1, required=True, metavar="TRANSCRIPT...")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), required=True, metavar="PRESET.yaml", help="File to write."
)
@click.option("--format", "transcript_format", default="auto", metavar="F", help="Transcript format  [default: auto]")
@click.option("--model", metavar="NAME", help="Model whose tokens count  [default: the one recorded]")
@click.option("--force", is_flag=True, help="Overwrite the file.")
def command(transcripts: tuple[str, ...], out: Path, transcript_format: str, model: str | None, force: bool) -> None:
    """Make a workload preset that is like your own sessions.

    Sizes, times, tools and pauses are fitted; no text of the transcripts enters the preset. Use it with
    `workload: {kind: synthetic, preset: PRESET.yaml}`.
    """
    from sim.cli._files import write_text
    from sim.errors import UsageError
    from sim.history import RowMaker
    from sim.tokens import token_model
    from sim.workload.fitting import fit_preset, seen_table
    from sim.workload.replay import import_transcripts

    if out.exists() and not force:
        raise UsageError(f"{out} exists", remedy="give another file, or --force to overwrite it")
    tokens = token_model(model or "gpt-5")
    imported = import_transcripts(transcripts, format=transcript_format, maker=RowMaker(tokens))
    if model is None:
        recorded = next((item.recorded_model for item in imported if item.recorded_model), None)
        if recorded:
            tokens = token_model(recorded)
            imported = import_transcripts(transcripts, format=transcript_format, maker=RowMaker(tokens))
    fitted = fit_preset([item.script for item in imported], tokens, name=out.stem)
    write_text(out, fitted.yaml())
    click.echo(seen_table(fitted))
    _out.note(
        "KS: widest gap between what was seen and what is fitted, 0 to 1; a few equal values make it wide at once"
    )
    many = "s" if len(imported) != 1 else ""
    _out.note(f"wrote {out}: {len(imported)} session{many}, tokens of the {tokens.family} family")
    _out.note(f"use it: `workload: {{kind: synthetic, preset: {out}}}`")
