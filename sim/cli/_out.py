"""Where output goes: results to stdout, everything else to stderr; colour and bars only on a terminal."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN = {"error": "error: ", "warning": "warning: ", "note": "note: "}
_STYLE = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[2m"}


def make_safe() -> None:
    """Let no character that the terminal's encoding lacks, and no closed stream, end the program."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open as long as the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def coloured(stream: Any) -> bool:
    """Whether colour may be written: a terminal, no NO_COLOR (no-color.org: any non-empty value), not TERM=dumb."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(getattr(stream, "isatty", bool)())


def error(text: str) -> None:
    """A failure, to stderr."""
    _say("error", text)


def warning(text: str) -> None:
    """Something that changes what a result means, to stderr."""
    _say("warning", text)


def note(text: str) -> None:
    """Something worth knowing, to stderr."""
    _say("note", text)


def _say(kind: str, text: str) -> None:
    label = _PLAIN[kind]
    if coloured(sys.stderr):
        label = f"{_STYLE[kind]}{label}\x1b[0m"
    print(label + wrapped(text, sys.stderr, used=len(_PLAIN[kind])), file=sys.stderr)


def wrapped(text: str, stream: Any, *, used: int = 0) -> str:
    """The text broken between words where the stream is a terminal; as it is for files and pipes.

    Args:
        used: columns that something before the text takes on its first line.
    """
    import shutil
    import textwrap

    if not getattr(stream, "isatty", bool)():
        return text
    columns = shutil.get_terminal_size((100, 24)).columns
    options: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False, "subsequent_indent": "  "}
    lines = [" " * used + text.split("\n")[0], *text.split("\n")[1:]]
    return "\n".join(textwrap.fill(line, max(columns - 1, 20), **options) for line in lines)[used:]


def console(*, err: bool = False) -> Console:
    """A rich console that follows the same rules."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    return Console(
        file=stream,
        width=width(),
        no_color=not coloured(stream),
        highlight=False,
        soft_wrap=False,
        emoji=False,
        markup=False,
        legacy_windows=False if not stream.isatty() else None,
    )


def emit(renderable: Any) -> None:
    """Print something of rich's to stdout, without blanks at line ends."""
    terminal = console()
    with terminal.capture() as capture:
        terminal.print(renderable)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in capture.get().splitlines()))


def width() -> int:
    """Columns to fill: the terminal's, COLUMNS, or 100 when the output is a file or a pipe."""
    import shutil

    if os.environ.get("COLUMNS", "").isdigit() and int(os.environ["COLUMNS"]) > 0:
        return int(os.environ["COLUMNS"])
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 100


def utf8() -> bool:
    """Whether stdout can take any character."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return encoding.lower().replace("-", "").startswith("utf")


def print_json(document: Any) -> None:
    """One JSON document."""
    print(json.dumps(document, indent=1, ensure_ascii=not utf8()))
