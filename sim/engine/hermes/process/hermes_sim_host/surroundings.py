"""What the engine may see of the machine: a scratch home, no network, silent logs, nothing of the real user."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import sys
import tempfile
from typing import Any, BinaryIO, NoReturn


class NetworkBlockedError(OSError):
    """The engine tried to reach the network."""


def take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The original stdin and stdout in binary; anything printed from now on goes to stderr."""
    source, target = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(source, os.O_BINARY)
        msvcrt.setmode(target, os.O_BINARY)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - lives as long as the process
    sys.stdout = sys.stderr
    return os.fdopen(source, "rb"), os.fdopen(target, "wb", buffering=1 << 16)


def make_home(root: str | None = None) -> str:
    """A scratch folder as every kind of home and as working folder; call before any import of Hermes.

    Args:
        root: an empty folder that the caller removes if this process cannot; a fresh one when None.
    """
    root = root or tempfile.mkdtemp(prefix="hermes-sim-host-")
    for name in ("HOME", "USERPROFILE", "HERMES_HOME", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        folder = os.path.join(
            root, {"HERMES_HOME": "hermes", "TMPDIR": "tmp", "TEMP": "tmp", "TMP": "tmp"}.get(name, "home")
        )
        os.makedirs(folder, exist_ok=True)
        os.environ[name] = folder
    tempfile.tempdir = None
    os.chdir(os.path.join(root, "home"))
    return root


def wipe_home(root: str) -> None:
    """Empty the Hermes home but for a plugin brought in (between sessions, when none is open)."""
    home = os.path.join(root, "hermes")
    for entry in os.listdir(home):
        if entry == "plugins":
            continue
        path = os.path.join(home, entry)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)


def bring_plugin(root: str, folder: str) -> None:
    """Copy one context-engine plugin into the scratch home, where the package looks for the user's plugins."""
    shutil.copytree(folder, os.path.join(root, "hermes", "plugins", os.path.basename(folder.rstrip("/\\"))))


def remove_home(root: str) -> None:
    """Delete the scratch folder."""
    os.chdir(os.path.dirname(root))
    shutil.rmtree(root, ignore_errors=True)


def block_network() -> None:
    """Make every connection and name lookup fail."""

    def refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
        raise NetworkBlockedError("the simulator's engine host has no network")

    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "getnameinfo", "create_connection"):
        setattr(socket, name, refuse)
    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, refuse)


def silence_logs() -> None:
    """Drop log records; failures of the auxiliary call are data here, not news."""
    logging.disable(logging.CRITICAL)
    logging.getLogger().addHandler(logging.NullHandler())
