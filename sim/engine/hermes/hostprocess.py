"""One host process: spawning it clean, talking to it in frames, ending it."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from sim.engine.hermes.process.hermes_sim_host import frames
from sim.errors import EngineError

_START = "import sys; sys.path.append(sys.argv[1]); from hermes_sim_host.serve import main; main()"
_KEPT = ("PATH", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR", "TEMP")
START_SECONDS = 120.0
STEP_SECONDS = 600.0
_live: weakref.WeakSet[HostProcess] = weakref.WeakSet()


class HostDiedError(Exception):
    """The host process ended or stopped answering; the session can be driven again on a new one."""

    def __init__(self, reason: str, stderr: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.stderr = stderr


def host_folder() -> Path:
    """Folder that holds the host's own package, also in an installed wheel."""
    return Path(__file__).resolve().parent / "process"


def environment(plugin: str | None) -> dict[str, str]:
    """The host's environment: nothing of the user's but what a process needs to start."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    kept |= {
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
    }
    if plugin:
        kept["HERMES_SIM_PLUGIN"] = plugin
    return kept


class HostProcess:
    """A running host.

    Attributes:
        capabilities: what the Hermes in it can do.
    """

    def __init__(self, interpreter: str, plugin: str | None = None) -> None:
        self.interpreter = interpreter
        self._owner = os.getpid()
        self._deadline: float | None = None
        self._late = False
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`
        self._scratch = tempfile.mkdtemp(prefix="hermes-sim-host-")
        command = [interpreter, "-P", "-W", "ignore", "-c", _START, str(host_folder()), self._scratch]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=environment(plugin),
                cwd=tempfile.gettempdir(),
            )
        except OSError as error:
            self._stderr.close()
            shutil.rmtree(self._scratch, ignore_errors=True)
            raise EngineError(
                f"cannot start the engine's interpreter {interpreter}: {error.strerror or error}",
                remedy="name an existing Python ≥ 3.11 that has Hermes installed",
            ) from error
        _live.add(self)
        threading.Thread(target=self._watch, args=(weakref.ref(self),), daemon=True).start()
        try:
            hello = self.request({"do": "hello"}, START_SECONDS)
        except HostDiedError as died:
            self.close()
            raise EngineError(
                f"the engine host under {interpreter} did not start: {died.reason}{_tail(died.stderr)}",
                remedy="run `hermes-sim engines check`, or name a Python ≥ 3.11 that has Hermes installed",
            ) from died
        if hello["kind"] != "hello":
            self.close()
            raise EngineError(
                f"no usable Hermes under {interpreter}: {hello['message']}",
                remedy="install Hermes into that environment, or name another interpreter",
            )
        self.capabilities: Mapping[str, Any] = hello["capabilities"]

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether this very process may use it."""
        return self._owner == os.getpid() and self._process.poll() is None

    def request(self, frame: Mapping[str, Any], seconds: float = STEP_SECONDS) -> dict[str, Any]:
        """Send one frame and wait for its reply.

        Raises:
            HostDiedError: the process ended, or took longer than `seconds`.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._deadline = time.monotonic() + seconds
        try:
            frames.write(self._process.stdin, frames.encode(frame))  # type: ignore[arg-type]
            reply: dict[str, Any] = frames.read(self._process.stdout)  # type: ignore[arg-type]
        except (OSError, EOFError, frames.FrameError, ValueError) as error:
            late = self._late
            self.kill()
            reason = f"no answer within {seconds:.0f} s" if late else f"it ended ({self._process.wait()})"
            raise HostDiedError(reason, self._read_stderr()) from error
        except BaseException:
            # Interrupted half-way through a frame: the stream is out of step for good.
            self.kill()
            raise
        finally:
            self._deadline = None
        return reply

    @staticmethod
    def _watch(reference: weakref.ref[HostProcess]) -> None:
        while True:
            time.sleep(0.5)
            host = reference()
            if host is None or host._process.poll() is not None:
                return
            deadline = host._deadline
            if deadline is not None and time.monotonic() > deadline:
                host._late = True
                host.kill()
                return

    def _read_stderr(self) -> str:
        with contextlib.suppress(OSError, ValueError):
            self._stderr.seek(0)
            return self._stderr.read().decode("utf-8", "replace")
        return ""

    def kill(self) -> None:
        """End the process at once."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End the process: the closed stream tells it to leave; it is killed if it does not."""
        if self._owner != os.getpid():
            return
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._stderr.close()
        shutil.rmtree(self._scratch, ignore_errors=True)
        _live.discard(self)


def _tail(stderr: str) -> str:
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    if lines and lines[0].startswith("Unknown option: -P"):
        return "; it is older than Python 3.11"
    return f"; its last words: {lines[-1].strip()}" if lines else ""


@atexit.register
def _close_all() -> None:
    for host in list(_live):
        host.close()
