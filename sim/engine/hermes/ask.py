"""Puts the questions of `probe.py` to an engine's interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

_SECONDS = 300


class ProbeFailed(Exception):  # noqa: N818 - becomes an EngineError or part of an EngineMissing
    """The interpreter or the probe failed; `remedy` says what to try next."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


def ask(interpreter: Path | str, question: str) -> dict[str, Any]:
    """The answer of `probe.py`, run away from the user's home and without the user's Hermes settings.

    Raises:
        ProbeFailed: the interpreter does not start, or the probe failed; its last words are told.
    """
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HERMES_", "PYTHON"))}
    clean |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1", "PYTHONNOUSERSITE": "1"}
    with as_file(files("sim.engine.hermes") / "probe.py") as script:
        try:
            done = subprocess.run(
                [str(interpreter), "-P", "-W", "ignore", str(script), question],
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                env=clean,
                cwd=tempfile.gettempdir(),
                stdin=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ProbeFailed(f"{interpreter} does not start: {error}", "name a Python ≥ 3.11") from error
    if done.returncode == 0:
        with suppress(ValueError, IndexError):
            answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
            return answer
    last = done.stderr.strip().splitlines()[-1:] or ["it printed no answer"]
    raise ProbeFailed(
        f"the Hermes of {interpreter} cannot be used: {last[0]}",
        "install it again with `hermes-sim engines install`, or repair that environment",
    )
