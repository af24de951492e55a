"""Filling one engine environment: a bare virtual environment, then pip from a hashed lock."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from sim.engine.hermes.ask import ProbeFailed, ask
from sim.engine.hermes.versions import Version

Note = Callable[[int, int, str], None]

_DIVERTING = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_REQUIRE_VIRTUALENV")
"""Settings of the user's pip that would put packages elsewhere; addresses and certificates stay."""


class InstallFailed(Exception):  # noqa: N818 - becomes an EngineMissing with a remedy
    """A step failed; `output` is what it printed."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output


def build(scratch: Path, place: Path, known: Version, note: Note) -> None:
    """Make the environment in `scratch`, as it will be at `place`.

    Raises:
        InstallFailed: no virtual environment, an unreachable index, a wrong hash, an unsupported Python.
    """
    name = f"hermes@{known.label}"
    total = len(known.packages) + 3
    note(0, total, f"{name}: environment")
    own_pip = importlib.util.find_spec("pip") is not None
    _run(
        [sys.executable, "-m", "venv", *(["--without-pip"] if own_pip else []), str(scratch)],
        "the virtual environment could not be made",
    )
    python = _python(scratch)
    pip = [sys.executable, "-m", "pip", "--python", str(python)] if own_pip else [str(python), "-m", "pip"]
    lock = scratch / "requirements.txt"
    lock.write_text(known.lock_text, "utf-8")
    seen = 1

    def heard(line: str) -> None:
        nonlocal seen
        match = re.match(r"(?:Collecting|Processing) (?:\S*/)?([\w.]+(?:-[A-Za-z][\w.]*)*)", line)
        if match:
            note(min(seen, total - 2), total, f"{name}: {match.group(1)}")
            seen += 1
        elif line.startswith("Installing collected"):
            note(total - 2, total, f"{name}: unpacking")

    arguments = ["install", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-compile"]
    quiet = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--no-warn-script-location"]
    _run([*pip, *arguments, *quiet, "-r", str(lock)], "pip could not install it", heard)
    note(total - 1, total, f"{name}: checking")
    _compile(python, scratch, place)
    note(total, total, f"{name}: done")


def _compile(python: Path, scratch: Path, place: Path) -> None:
    """Prove that the compressor can be built, and keep bytecode of what that loads (all would take ten times as long).

    Bytecode names the final place, so that an engine's traceback points at files that exist.
    """
    try:
        files = ask(python, "used")["files"]
    except ProbeFailed as error:
        raise InstallFailed(f"it was installed, but cannot be used: {error}", "") from error
    listed = scratch / "used.txt"
    listed.write_text("\n".join(files), "utf-8")
    agent = [str(p) for p in (*scratch.glob("lib/python*/site-packages/agent"), scratch / "Lib/site-packages/agent")]
    subprocess.run(
        [str(python), "-m", "compileall", "-q", "-s", str(scratch), "-p", str(place), "-i", str(listed), *agent[:1]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        check=False,
    )


def relink(place: Path) -> bool:
    """Link a complete environment, copied from elsewhere, to this Python; False when it is for another one."""
    if os.name == "nt" or not (place / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}").is_dir():
        return False
    try:
        for name in (place / "bin").glob("python*"):
            name.unlink()
        _run([sys.executable, "-m", "venv", "--without-pip", str(place)], "")
    except (OSError, InstallFailed):
        return False
    return _python(place).is_file()


def environment() -> dict[str, str]:
    """The user's environment for pip, without what would divert it."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in _DIVERTING and name not in {"PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__"}
    }


def _python(place: Path) -> Path:
    return place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _run(command: list[str], failure: str, heard: Callable[[str], None] | None = None) -> None:
    """Run a step, hand its lines on, and keep them for a failure."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment(),
            cwd=tempfile.gettempdir(),
        )
    except OSError as error:
        raise InstallFailed(f"{failure} ({error})", "") from error
    lines: list[str] = []
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.append(line)
            if heard is not None:
                heard(line.strip())
        code = process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise
    if code:
        told = [line for line in lines if "Retrying (" not in line]
        raise InstallFailed(failure, "".join(told[-8:]))
