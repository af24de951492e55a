"""The host's main loop: one frame in, one frame out, any number of sessions, one running at a time.

Every session runs on a thread of its own, and only one thread of all ever runs: a step is handed to the session's
thread, which either finishes it or stops inside the auxiliary call; then the main loop has the turn again. So a session
can wait for its auxiliary reply while others go on, and the order of work is exactly the order of frames.
"""

from __future__ import annotations

import os
import sys
import threading
import time as real_time
import traceback
from collections.abc import Mapping
from typing import Any, BinaryIO

from . import frames, surroundings
from .gates_anchored import AnchoredGates
from .gates_early import EarlyGates
from .package import Package, PackageError
from .resolve import info
from .session import Session


class _Closed(BaseException):
    """Raised inside the auxiliary call of a session that is being closed."""


class Runner:
    """A session and its thread."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.session: Session | None = None
        self.now = 0.0
        self.busy = 0.0
        self._go = threading.Semaphore(0)
        self._done = threading.Semaphore(0)
        self._work: Any = None
        self._answer: Any = None
        self._reply: Mapping[str, Any] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def give(self, work: Any) -> Any:
        """Hand over the turn with work (or the reply waited for) and take it back with an answer."""
        clock = self.host.package.clock
        self.host.current = self
        clock.now = self.now
        if isinstance(work, dict) and work.get("do") == "aux":
            self._reply = work["reply"]
            self.now = clock.now = max(self.now, float(work["reply"]["finished_at"]))
        elif work is None:
            self._reply = None
        else:
            self._work = work
        self._go.release()
        self._done.acquire()
        self.now = clock.now
        return self._answer

    def ask(self, request: dict[str, Any]) -> Mapping[str, Any]:
        """Called on the session's thread inside the auxiliary call."""
        self._answer = {"kind": "aux", "request": request}
        self._done.release()
        self._go.acquire()
        if self._reply is None:
            raise _Closed
        reply, self._reply = self._reply, None
        return reply

    def close(self) -> None:
        """End the thread, wherever it stands."""
        self.give(None)
        self._thread.join(timeout=5)

    def _run(self) -> None:
        while True:
            self._go.acquire()
            work, self._work = self._work, None
            if work is None:
                self._answer = None
                self._done.release()
                return
            try:
                self._answer = self.host.work(self, work)
            except _Closed:
                self._answer = None
                self._done.release()
                return
            except PackageError as error:
                self._answer = {"kind": "refused", "message": str(error)}
            except Exception as error:
                self._answer = {
                    "kind": "failed",
                    "message": f"{type(error).__name__}: {error}",
                    "trace": traceback.format_exc(limit=-6),
                }
            self._done.release()


class Host:
    """All sessions of this process."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.runners: dict[int, Runner] = {}
        self.current: Runner | None = None
        self.package = Package(self._ask)

    def _ask(self, request: dict[str, Any]) -> Mapping[str, Any]:
        assert self.current is not None
        started = real_time.perf_counter()
        try:
            session = self.current.session
            if session is not None and session.task is not None:
                request["task"] = session.task
            return self.current.ask(request)
        finally:
            self.package.waited += real_time.perf_counter() - started

    def answer(self, frame: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to one frame."""
        do = frame["do"]
        if do == "hello":
            return {"kind": "hello", "capabilities": self.package.capabilities}
        key = frame["key"]
        if do == "close":
            runner = self.runners.pop(key, None)
            if runner is not None:
                runner.close()
            return {"kind": "closed"}
        if do in ("open", "resolve"):
            if not self.runners:
                surroundings.wipe_home(self.root)
            runner = self.runners[key] = Runner(self)
            runner.now = frame["spec"]["now"]
        else:
            runner = self.runners[key]
        reply: dict[str, Any] = runner.give(frame)
        if do == "resolve" or (do == "open" and reply["kind"] != "opened"):
            self.runners.pop(key).close()
        return reply

    def work(self, runner: Runner, frame: Mapping[str, Any]) -> dict[str, Any]:
        """One frame's work, on the session's thread."""
        if frame["do"] in ("open", "resolve"):
            family = AnchoredGates if self.package.capabilities["family"] == "anchored" else EarlyGates
            session = runner.session = family(self.package, frame["spec"])
            opened = {"kind": "opened", "info": info(session), "fixed": _fixed(session), "state": state(session)}
            if frame["do"] == "open" and session.blocks.auxiliary_window is not None:
                # `info` lowered a probe's trigger; the session itself learns of the auxiliary window at its first pass.
                runner.session = family(self.package, frame["spec"])
            return opened
        assert runner.session is not None
        return self._steps(runner, runner.session, frame["steps"])

    def _steps(self, runner: Runner, session: Session, steps: list[Any]) -> dict[str, Any]:
        clock, start = self.package.clock, real_time.perf_counter()
        last = len(steps) - 1
        for index, (name, arguments, now) in enumerate(steps):
            clock.now = max(clock.now, now)
            session.events, stopped = [], session.stop
            getattr(session, name)(*arguments)
            if index < last and (session.events or session.stop not in (None, stopped)):
                return {
                    "kind": "failed",
                    "message": f"an event came in step {index} of {last}, kept back as event-free: "
                    f"{session.stop or session.events}"[:500],
                    "trace": "",
                }
        runner.busy += real_time.perf_counter() - start
        return {
            "kind": "done",
            "events": session.events,
            "stop": session.stop,
            "estimate": session.gauge.estimate(),
            "state": state(session),
            "prices": session.books.each if session.events else None,
            "busy": runner.busy,
            "engine": session.engine_seconds,
        }


def _fixed(session: Session) -> tuple[int, int, int, bool]:
    fixed = session.gauge.fixed
    return fixed.system, fixed.system_row, fixed.tools, fixed.replayed


def state(session: Session) -> dict[str, Any]:
    """What the client needs to predict when the next event can happen."""
    engine, books = session.engine, session.books
    prune = books.prune
    return {
        "trigger": session.trigger,
        "anchor": session.gauge.anchor,
        "reply": session.gauge.reply,
        "awaiting": session.awaiting,
        "reading": session.reading,
        "last_real": int(getattr(engine, "last_real_prompt_tokens", 0) or 0),
        "last_prompt": int(getattr(engine, "last_prompt_tokens", 0) or 0),
        "rearm": int(getattr(engine, "_proactive_prune_rearm_tokens", 0) or 0),
        "rough": books.rough,
        "rows": len(books),
        "refused": session.refused,
        "bound": None if prune is None else prune.bound,
        "attempts": session.attempts,
        "checked": session.checked,
    }


def main() -> None:
    """Serve frames until the client closes the stream."""
    source, target = surroundings.take_streams()
    root = surroundings.make_home(sys.argv[2])
    surroundings.block_network()
    surroundings.silence_logs()
    try:
        _serve(source, target, root)
    finally:
        surroundings.remove_home(root)
        sys.stderr.flush()
        os._exit(0)


def _serve(source: BinaryIO, target: BinaryIO, root: str) -> None:
    plugin = os.environ.pop("HERMES_SIM_PLUGIN", "")
    if plugin:
        surroundings.bring_plugin(root, plugin)
    try:
        host = Host(root)
    except PackageError as error:
        frames.write(target, frames.encode({"kind": "refused", "message": str(error)}))
        return
    while True:
        try:
            frame = frames.read(source)
        except EOFError:
            return
        frames.write(target, frames.encode(host.answer(frame)))
