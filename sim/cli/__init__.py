"""The command `hermes-sim`: one module a verb, found by name; heavy imports stay inside the verbs.

A module `sim/cli/<verb>.py` offers a click command called `command`. Modules that start with an underscore help.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command and leave with its exit code."""
    from sim.cli._entry import run_command

    sys.exit(run_command(sys.argv[1:] if argv is None else list(argv)))


__all__ = ["main"]
