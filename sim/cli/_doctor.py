"""The checks behind `doctor`; each looks and changes nothing."""

from __future__ import annotations

import importlib.metadata
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal, TypeAlias

import sim
from sim.errors import HermesSimError

State: TypeAlias = Literal["ok", "warn", "fail"]
_PACKAGES = ("simpy", "pydantic", "PyYAML", "numpy", "pandas", "pyarrow", "scipy", "matplotlib", "tiktoken", "typst")


@dataclass(frozen=True, slots=True)
class Check:
    """One finding.

    Attributes:
        remedy: what to do, empty when all is well.
    """

    name: str
    state: State
    detail: str
    remedy: str = ""


def examine(today: date | None = None) -> list[Check]:
    """Run every check; one that cannot even be made is a failure of its own.

    Args:
        today: the date that the age of price cards is counted from; the present day when None.
    """
    day = today or datetime.now(tz=UTC).date()
    checks: list[tuple[str, Callable[[], Iterator[Check]]]] = [
        ("hermes-sim", _versions),
        ("packages", _packages),
        ("engines", _engines),
        ("vocabulary", _vocabulary),
        ("prices", lambda: _prices(day)),
        ("fonts", _fonts),
        ("folders", _folders),
    ]
    found: list[Check] = []
    for name, check in checks:
        try:
            found += check()
        except HermesSimError as error:
            found.append(Check(name, "fail", error.message, error.remedy or ""))
        except Exception as error:  # a broken installation may fail in any way, and that is what is asked about
            found.append(Check(name, "fail", f"{type(error).__name__}: {error}", "reinstall hermes-sim"))
    return found


def _versions() -> Iterator[Check]:
    python = sys.version.split()[0]
    fine = (3, 11) <= sys.version_info[:2] <= (3, 13)
    detail = f"hermes-sim {sim.__version__} on Python {python} ({sys.platform})"
    yield Check("hermes-sim", "ok" if fine else "warn", detail, "" if fine else "it is tested on Python 3.11 to 3.13")


def _packages() -> Iterator[Check]:
    missing, there = [], []
    for name in _PACKAGES:
        try:
            there.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        yield Check("packages", "fail", f"missing: {', '.join(missing)}", "reinstall hermes-sim")
    else:
        yield Check("packages", "ok", ", ".join(there))


def _engines() -> Iterator[Check]:
    from sim.engine.hermes.envs import status

    for item in status():
        name = f"hermes@{item.version}"
        if item.installed:
            yield Check(name, "ok", f"{item.distribution} {item.found or item.release}, {item.bytes / 1e6:,.0f} MB")
        else:
            detail = item.note or "not installed yet; the first run that names it installs it"
            yield Check(name, "warn", detail, f"install it now with `hermes-sim engines install {name}`")


def _vocabulary() -> Iterator[Check]:
    from sim.tokens import encoding

    for name in ("o200k_base", "cl100k_base"):
        size = encoding(name).n_vocab
        yield Check(name, "ok", f"{size:,} tokens, read from the installed package")


def _prices(day: date) -> Iterator[Check]:
    from sim.provider import profile
    from sim.provider.pricing import stale_days

    moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    card = profile("claude-opus-4-7", as_of=moment).card
    detail = f"{card.source}, checked {card.checked}"
    age = stale_days(card, moment)
    if age is not None:
        remedy = "update hermes-sim, or give `prices:` in the scenario"
        yield Check("prices", "warn", f"{detail}: {age} days ago", remedy)
    else:
        yield Check("prices", "ok", detail)


def _fonts() -> Iterator[Check]:
    from pylopdf_fonts_zh_cn import sans_path

    path = Path(sans_path())
    if path.is_file():
        yield Check("fonts", "ok", path.name)
    else:
        yield Check("fonts", "fail", f"{path} is missing", "reinstall pylopdf-fonts-zh-cn")


def _folders() -> Iterator[Check]:
    from sim.engine.hermes.envs import FOLDER_VARIABLE, root

    yield _writable("cache folder", root(), f"set {FOLDER_VARIABLE} to a folder that can be written")
    yield _writable("reports", Path("reports"), "run from another folder, or give --out")
    yield _writable("scratch", Path(tempfile.gettempdir()), "set TMPDIR to a folder that can be written")


def _writable(name: str, folder: Path, remedy: str) -> Check:
    """Whether a folder, or the first folder above it that exists, can be written."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return Check(name, "ok", str(folder))
    return Check(name, "fail", f"{folder} cannot be written", remedy)
