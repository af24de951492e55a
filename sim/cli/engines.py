"""`hermes-sim engines`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from sim.cli import _out
from sim.cli._options import format_options, lang_option


@click.group(name="engines", invoke_without_command=True, short_help="List, install and check the Hermes engines.")
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, install and check the environments of the Hermes engines.

    Each engine has its own environment in the user's cache folder (or in HERMES_SIM_ENGINES), installed from a lock
    with hashes; your own Hermes and ~/.hermes are never touched.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_)


@command.command(name="list")
@format_options
def list_(fmt: str = "table") -> None:
    """Show which engines there are and whether they are installed."""
    from sim.engine.hermes.envs import status

    rows: list[dict[str, Any]] = [
        {
            "engine": f"hermes@{item.version}",
            "installed": item.installed,
            "distribution": item.distribution,
            "release": item.release,
            "found": item.found,
            "official": item.official,
            "bytes": item.bytes,
            "path": str(item.path),
            "about": item.about,
            "note": item.note,
        }
        for item in status()
    ]
    if fmt == "json":
        _out.print_json({"schema": 1, "engines": rows})
        return
    from sim.cli._table import Column, print_csv, print_table

    if fmt == "csv":
        print_csv(rows)
        return
    for row in rows:
        row["state"] = f"installed, {row['bytes'] / 1e6:,.0f} MB" if row["installed"] else "installed on first use"
        row["package"] = f"{row['distribution']} {row['release']}"
        row["text"] = "\n".join(part for part in (row["about"], row["note"], row["path"]) if part)
    columns = [Column("engine", "engine"), Column("package", "package"), Column("state", "state")]
    print_table(rows, [*columns, Column("text", "what it is", wrap=True)])


@command.command(name="install")
@click.argument("versions", nargs=-1, metavar="[ENGINE]...")
@lang_option
def install(versions: tuple[str, ...], lang: str) -> None:
    """Install engines now (all of them when none is named), such as hermes@0.22."""
    from sim.cli._progress import progress
    from sim.engine.hermes.envs import ensure
    from sim.engine.hermes.versions import VERSIONS

    for version in _named(versions, VERSIONS):
        with progress(lang) as note:
            place = ensure(version, progress=note)
        print(f"hermes@{version} {place}")


@command.command(name="check")
@click.argument("versions", nargs=-1, metavar="[ENGINE]...")
@format_options
def check_(versions: tuple[str, ...], fmt: str) -> None:
    """Import installed engines and build a compressor in each; installs nothing."""
    from sim.engine.hermes.envs import check, installed
    from sim.engine.hermes.versions import VERSIONS
    from sim.errors import EngineError

    rows: list[dict[str, Any]] = []
    failed: EngineError | None = None
    for version in _named(versions, VERSIONS):
        row: dict[str, Any] = {"engine": f"hermes@{version}", "ok": False, "installed": installed(version) is not None}
        try:
            found = check(version)
        except EngineError as error:
            row["note"] = str(error)
            # Asked for by name, a missing engine is a failure; otherwise it is only not there yet.
            if row["installed"] or versions:
                failed = error
        else:
            row |= {
                "ok": True,
                "release": f"{found.distribution} {found.release}",
                "python": found.python,
                "seconds": round(found.seconds, 2),
                "trigger_tokens": found.trigger_tokens,
            }
        rows.append(row)
    _print_check(rows, fmt)
    if failed is not None:
        raise failed


def _print_check(rows: list[dict[str, Any]], fmt: str) -> None:
    from sim.cli._table import Column, print_csv, print_table

    if fmt == "json":
        _out.print_json({"schema": 1, "engines": rows})
    elif fmt == "csv":
        print_csv(rows)
    else:
        shown = [
            {**row, "state": "ok" if row["ok"] else "fails" if row["installed"] else "not installed"} for row in rows
        ]
        for row in shown:
            if not row["installed"]:
                row["note"] = "it is installed on first use, or by `hermes-sim engines install`"
        print_table(
            shown,
            [
                Column("engine", "engine"),
                Column("state", "state"),
                Column("release", "package"),
                Column("python", "Python"),
                Column("seconds", "start, s", right=True),
                Column("trigger_tokens", "trigger at 200K", right=True),
                Column("note", "", wrap=True),
            ],
        )


def _named(versions: tuple[str, ...], known: Mapping[str, Any]) -> list[str]:
    """The engines meant; all of them when none is named.

    Raises:
        UsageError: there is no such engine.
    """
    from sim.errors import UsageError

    labels = [v.removeprefix("hermes@") for v in versions]
    for written, label in zip(versions, labels, strict=True):
        if label not in known:
            raise UsageError(
                f"there is no engine '{written}'", remedy=f"there are {', '.join(f'hermes@{v}' for v in known)}"
            )
    return labels or list(known)
