"""Environments of the published Hermes versions: made on first use, checked, listed, removed.

Each version has its own virtual environment, because Hermes pins about 30 exact versions and installs generic
top-level names. They live in the user's cache folder, or where `HERMES_SIM_ENGINES` says. An environment appears under
its name only when complete: it is built beside it and renamed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from sim.engine.hermes.ask import ProbeFailed, ask
from sim.engine.hermes.install import InstallFailed, build, relink
from sim.engine.hermes.versions import VERSIONS, Version, find_version
from sim.errors import EngineError, EngineMissing

Progress: TypeAlias = Callable[[str, int, int, str], None]
"""Called with (event, done, total, label); the event is always `engine`."""

FOLDER_VARIABLE = "HERMES_SIM_ENGINES"
MARKER = "hermes-sim-engine.json"
_LOCK_SECONDS = 1_800


def root() -> Path:
    """The folder of all environments."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_cache_path

    return user_cache_path("hermes-sim", appauthor=False) / "engines"


def folder(version: str) -> Path:
    """The folder of one environment, whether or not it exists."""
    return root() / f"hermes-{find_version(version).label}"


def interpreter_of(environment: Path) -> Path:
    """The interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def installed(version: str) -> Path | None:
    """The interpreter of a complete environment made from the present lock, else None."""
    known, place = find_version(version), folder(version)
    if _marker(place).get("lock") != known.lock_hash:
        return None
    interpreter = interpreter_of(place)
    return interpreter if interpreter.is_file() else None


def ensure(version: str, *, progress: Progress | None = None) -> Path:
    """The interpreter of a Hermes version, installed first if need be.

    Args:
        version: `0.19` or `0.22` (`hermes@0.22` is understood).
        progress: told of each step of an installation; never called when there is nothing to do.

    Raises:
        EngineMissing: not installed, and it cannot be installed now (no network, no space, a wrong Python).
        EngineError: there is no such version.
    """
    known = find_version(version)
    ready = installed(version)
    if ready is not None:
        return ready
    note = progress or _quiet
    with _only_one(known, note):
        return installed(version) or _install(known, note)


def _install(known: Version, note: Progress) -> Path:
    place = folder(known.label)
    for left_over in place.parent.glob(f".building-{known.label}-*"):
        shutil.rmtree(left_over, ignore_errors=True)
    if _marker(place).get("lock") == known.lock_hash and relink(place):
        return interpreter_of(place)
    scratch = Path(tempfile.mkdtemp(prefix=f".building-{known.label}-", dir=place.parent))
    try:
        build(scratch, place, known, lambda done, total, text: note("engine", done, total, text))
        marker = {
            "lock": known.lock_hash,
            "distribution": known.distribution,
            "release": known.release,
            "python": sys.version.split()[0],
        }
        (scratch / MARKER).write_text(json.dumps(marker, indent=1) + "\n", "utf-8")
        _swap(scratch, place)
    except (InstallFailed, OSError) as error:
        raise _missing(known, str(error), getattr(error, "output", "")) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    interpreter = interpreter_of(place)
    if not interpreter.is_file():
        raise _missing(known, f"its interpreter {interpreter} does not work", "")
    return interpreter


def _swap(new: Path, place: Path) -> None:
    """Put `new` at `place`; an older environment there is moved away first, then deleted."""
    if place.exists():
        old = Path(tempfile.mkdtemp(prefix=f"{new.name}-old-", dir=place.parent))
        place.rename(old / "old")
        new.rename(place)
        shutil.rmtree(old, ignore_errors=True)
    else:
        new.rename(place)


def _missing(known: Version, why: str, output: str) -> EngineMissing:
    said = f"\n{output.rstrip()}\n" if output.strip() else ""
    return EngineMissing(
        f"hermes@{known.label} ({known.distribution} {known.release}) is not installed and could not be installed "
        f"now: {why}{said}",
        remedy=(
            "run `hermes-sim engines install` where a package index can be reached; or copy the folder "
            f"{folder(known.label)} from a machine with the same system and Python that has it; or point "
            f"{FOLDER_VARIABLE} at a folder of engines"
        ),
    )


@contextmanager
def _only_one(known: Version, note: Progress) -> Iterator[None]:
    """Keep a second process from installing the same environment at the same time."""
    from filelock import FileLock, Timeout

    try:
        root().mkdir(parents=True, exist_ok=True)
        lock = FileLock(root() / f".hermes-{known.label}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            note("engine", 0, 0, f"hermes@{known.label}: waiting for another process that installs it")
            lock.acquire(timeout=_LOCK_SECONDS)
    except Timeout as error:
        raise _missing(
            known, f"another process has been installing it for {_LOCK_SECONDS // 60} minutes", ""
        ) from error
    except OSError as error:
        raise _missing(known, f"the folder {root()} cannot be written ({error.strerror or error})", "") from error
    try:
        yield
    finally:
        lock.release()


def _marker(place: Path) -> Mapping[str, Any]:
    with suppress(OSError, ValueError):
        found = json.loads((place / MARKER).read_text("utf-8"))
        if isinstance(found, dict):
            return found
    return {}


def _quiet(event: str, done: int, total: int, label: str) -> None:
    """Progress nobody watches."""


# what is there ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Status:
    """One environment as `hermes-sim engines list` shows it.

    Attributes:
        version: `0.22`.
        installed: complete and made from the present lock.
        found: release found in it, None when there is none.
        path: its folder, whether or not it exists.
        bytes: what it occupies.
        note: what is wrong with it, empty when nothing is.
    """

    version: str
    distribution: str
    release: str
    official: bool
    about: str
    installed: bool
    found: str | None
    path: Path
    bytes: int
    note: str


def status() -> list[Status]:
    """Every version that can be installed, installed or not; reads the disk only."""
    return [_status(known) for known in VERSIONS.values()]


def _status(known: Version) -> Status:
    place = folder(known.label)
    ready = installed(known.label) is not None
    note = ""
    if place.exists() and not ready:
        marker = _marker(place)
        note = "made by another version of hermes-sim; it is installed again on first use"
        if not marker:
            note = "not made by hermes-sim, or damaged; it is replaced on first use"
        elif marker.get("lock") == known.lock_hash:
            note = "its Python is gone; it is linked to this one on first use"
    return Status(
        known.label,
        known.distribution,
        known.release,
        known.official,
        known.about,
        ready,
        _release_in(place, known.distribution),
        place,
        _size(place),
        note,
    )


def _release_in(place: Path, distribution: str) -> str | None:
    stem = distribution.replace("-", "_")
    for pattern in ("lib/python*/site-packages", "Lib/site-packages"):
        for found in place.glob(f"{pattern}/{stem}-*.dist-info"):
            match = re.fullmatch(rf"{stem}-(.+)\.dist-info", found.name)
            if match:
                return match.group(1)
    return None


def _size(place: Path) -> int:
    total = 0
    for base, _, names in os.walk(place):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(base, name)).st_size
    return total


def remove(version: str) -> bool:
    """Delete an environment; returns whether there was one.

    Raises:
        EngineError: it cannot be deleted.
    """
    known, place = find_version(version), folder(version)
    if not place.exists():
        return False
    with _only_one(known, _quiet):
        try:
            shutil.rmtree(place)
        except OSError as error:
            raise EngineError(f"cannot remove {place}: {error}", remedy="end what uses it and try again") from error
    return True


# what it can do -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """An engine that was really imported and built.

    Attributes:
        release: as the environment says.
        seconds: import of the compressor and building of one.
        trigger_tokens: of the compressor built, at a window of 200,000 and a ratio of 0.5.
        arguments: what its constructor takes.
    """

    distribution: str
    release: str
    python: str
    seconds: float
    trigger_tokens: int
    arguments: tuple[str, ...]


def check(version: str) -> Check:
    """Import the compressor of an installed version in a scratch home and build one.

    Raises:
        EngineMissing: not installed (nothing is installed here).
        EngineError: it cannot be imported or built.
    """
    known = find_version(version)
    interpreter = installed(version)
    if interpreter is None:
        raise _missing(known, "it was not installed before", "")
    found = probe(interpreter, "check")
    return Check(
        str(found["distribution"]),
        str(found["release"]),
        str(found["python"]),
        float(found["seconds"]),
        int(found["trigger_tokens"]),
        tuple(found["arguments"]),
    )


def identify(interpreter: Path | str) -> tuple[str, str] | None:
    """Distribution and release of the Hermes in any interpreter; None for a checkout that was never installed.

    Raises:
        EngineError: no such interpreter.
    """
    found = probe(interpreter, "identify")
    return (str(found["distribution"]), str(found["release"])) if found["distribution"] else None


def probe(interpreter: Path | str, question: str) -> dict[str, Any]:
    """Put a question of `probe.py` to an engine's interpreter.

    Raises:
        EngineError: the interpreter does not start, or the probe failed; its last words are told.
    """
    try:
        return ask(interpreter, question)
    except ProbeFailed as error:
        raise EngineError(str(error), remedy=error.remedy) from error
