"""The command group: a verb is a module beside this one."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from pathlib import Path

import click

import sim


class Verbs(click.Group):
    """Finds verbs among the modules of `sim.cli` and imports only what a command line needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Verb names in alphabetical order."""
        folder = str(Path(__file__).parent)
        return sorted(m.name for m in pkgutil.iter_modules([folder]) if not m.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's command, or None when there is no such verb."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"sim.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, with the nearest verb in the message."""
        verbs = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in verbs:
            near = difflib.get_close_matches(args[0], verbs, n=1, cutoff=0.5)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(verbs)}"
            raise click.UsageError(f"there is no verb '{args[0]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `hermes-sim init` and `hermes-sim run scenario.yaml`.",
)
@click.version_option(sim.__version__, "-V", "--version", prog_name="hermes-sim", message="%(prog)s %(version)s")
def cli() -> None:
    """What context-compression settings cost an AI agent, before you pay.

    hermes-sim plays the same sessions under several configurations, through the real compression engine of Hermes,
    a model of the provider's prompt cache and dated prices, and says which is cheaper, by how much, and how surely.
    """
