"""From an argument list to an exit code: every failure becomes a line that says what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from sim.cli import _out
from sim.errors import HermesSimError, ManyErrors, SimulationError

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def debugging() -> bool:
    """Whether tracebacks are wanted."""
    return os.environ.get("HERMES_SIM_DEBUG", "") not in {"", "0"}


def run_command(argv: Sequence[str]) -> int:
    """Run a command line.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage, 3 invalid input file, 4 a declared limit broken, 130 interrupted.
    """
    _out.make_safe()
    try:
        code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader went away, as `head` does.
        _drop_output()
        return DONE
    except OSError as error:
        _drop_output()
        return _system(error)
    return code


def _drop_output() -> None:
    """Whatever is still buffered must not raise again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str]) -> int:
    from sim.cli._group import cli

    try:
        # Not `cli.main`: it ends a closed pipe with 1.
        with cli.make_context("hermes-sim", list(argv)) as context:
            cli.invoke(context)
        return DONE
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else error.format_message(), err=True)
        return USAGE
    except click.UsageError as error:
        _usage(error)
        return USAGE
    except click.ClickException as error:
        _out.error(error.format_message())
        return USAGE
    except click.exceptions.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        _out.error("stopped; finished work is kept, run the same command again to go on")
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except HermesSimError as error:
        return _ours(error)
    except MemoryError:
        _out.error("there is not enough memory; take fewer --jobs, or a smaller workload")
        return FAILED
    except OSError as error:
        return _system(error)
    except Exception as error:
        return _unexpected(error)


def _usage(error: click.UsageError) -> None:
    verb = error.ctx.command_path if error.ctx else "hermes-sim"
    message = error.format_message().rstrip(".")
    _out.error(f"{message}; see `{verb} --help`")


def _ours(error: HermesSimError) -> int:
    if isinstance(error, ManyErrors):
        for part in error.errors:
            _out.error(str(part))
    else:
        _out.error(str(error))
    if isinstance(error, SimulationError):
        _out.note("this is a fault of hermes-sim; HERMES_SIM_DEBUG=1 shows where, please report it")
    if debugging():
        _traceback()
    return error.exit_code


def _system(error: OSError) -> int:
    """What the machine refuses: a full disk, a missing right, too many open files."""
    place = f"{error.filename}: " if error.filename else ""
    _out.error(f"{place}{error.strerror or error}; see to it and run the same command again, finished work is kept")
    if debugging():
        _traceback()
    return FAILED


def _unexpected(error: Exception) -> int:
    text = str(error).strip().splitlines()
    detail = f": {text[0]}" if text else ""
    _out.error(
        f"{type(error).__name__}{detail}; this is a fault of hermes-sim: "
        "run again with HERMES_SIM_DEBUG=1 and report what it prints"
    )
    if debugging():
        _traceback()
    return FAILED


def _traceback() -> None:
    import traceback

    traceback.print_exc(file=sys.stderr)
