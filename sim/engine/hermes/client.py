"""The real Hermes compressor as an `Engine`: one host process a (interpreter, plugin), many sessions in it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.engine.contract import (
    EngineInfo,
    Ignored,
    Needs,
    Open,
)
from sim.engine.hermes.hostprocess import HostDiedError, HostProcess
from sim.engine.hermes.inert import Situation
from sim.engine.hermes.process.hermes_sim_host.books import Measure, Prices
from sim.engine.hermes.session import TRIES, HermesSession, Reply, checked, crashed
from sim.engine.hermes.settings import check_blocks
from sim.engine.hermes.versions import VERSIONS

_REMEMBERED = 10_000


def open_hermes(interpreter: str, version_label: str, *, context_engine: str | None = None) -> HermesEngine:
    """The Hermes of an interpreter.

    Args:
        interpreter: path of a Python ≥ 3.11 that has Hermes installed; the host is started at first use.
        version_label: how results name it (`0.22`).
        context_engine: name of a Hermes ContextEngine plugin to drive instead of the built-in compressor.
    """
    return HermesEngine(interpreter, version_label, context_engine)


class HermesEngine:
    """A Hermes version; opens any number of sessions in one host process, started at first use."""

    name = "hermes"
    needs: Needs = "text"

    def __init__(
        self, interpreter: str, version: str, context_engine: str | None = None, *, eager: bool = False
    ) -> None:
        self.version = version
        self.interpreter = absolute(interpreter)
        self.context_engine = context_engine
        self.eager = eager
        self.host: HostProcess | None = None
        self.generation = 0
        self._keys = itertools.count(1)
        self._known: dict[int, tuple[Any, Prices]] = {}
        self._measure: Measure | None = None

    # -- contract ------------------------------------------------------------------------------------------------

    def resolve(self, request: Open) -> EngineInfo:
        """What the settings come to, by the real class."""
        reply = self._ask_once({"do": "resolve", "key": self.new_key(), "spec": self.spec(request)})
        return self.info(reply["info"], request)

    def open(self, request: Open) -> HermesSession:
        """A new session."""
        return HermesSession(self, request)

    def close(self) -> None:
        """Stop the host process."""
        if self.host is not None:
            self.host.close()
            self.host = None
        self._known.clear()

    # -- host ----------------------------------------------------------------------------------------------------

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the Hermes of this interpreter can do."""
        return self.running().capabilities

    def running(self) -> HostProcess:
        """The host process, started again when it died; `generation` tells sessions that it is a new one."""
        if self.host is None or not self.host.alive:
            if self.host is not None:
                self.host.close()
            self.host = HostProcess(self.interpreter, self._plugin_folder())
            self.generation += 1
            self._measure = Measure(self.host.capabilities["rule"])
        return self.host

    def _plugin_folder(self) -> str | None:
        """Folder of a plugin the user installed; bundled ones and entry points the package finds itself."""
        if self.context_engine is None:
            return None
        home = os.environ.get("HERMES_HOME") or str(Path.home() / ".hermes")
        folder = Path(home) / "plugins" / self.context_engine
        return str(folder) if folder.is_dir() else None

    def _ask_once(self, frame: Mapping[str, Any]) -> Reply:
        """A frame that needs no session, tried again on a new host if one dies."""
        died: HostDiedError | None = None
        for _ in range(TRIES):
            try:
                return checked(self.running().request(frame), self)
            except HostDiedError as error:
                died = error
        assert died is not None
        raise crashed(self, died)

    def prices(self, message: Any) -> Prices | None:
        """Figures of a script's message, computed once; None when only the package can price it."""
        measure = self._measure
        if measure is None or measure.rule == "package":
            return None
        found = self._known.get(id(message))
        if found is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            found = self._known[id(message)] = (message, measure.prices(message))
        return found[1]

    def measure(self) -> Measure:
        """The estimation rule of the Hermes in the host."""
        self.running()
        assert self._measure is not None
        return self._measure

    def new_key(self) -> int:
        """Number of a new session in the host."""
        return next(self._keys)

    def spec(self, request: Open) -> dict[str, Any]:
        """A session's opening as plain data."""
        tools: list[Any] = []
        system: list[str] = []
        for row in request.prefix:
            if row.role == "tools" and row.message is not None:
                tools = list(row.message.get("schemas") or ())
            elif row.role == "system":
                system.append(row.text)
        return {
            "session": request.session,
            "model": request.model,
            "window": request.window,
            "max_tokens": request.max_tokens,
            "tools": tools,
            "system": "\n\n".join(system),
            "settings": plain(request.settings),
            "auxiliary_window": request.auxiliary_window,
            "gateway": request.gateway,
            "context_engine": self.context_engine,
            "now": request.now,
        }

    def info(self, found: Mapping[str, Any], request: Open) -> EngineInfo:
        """Resolved figures as the contract has them."""
        return EngineInfo(
            name=self.name,
            version=self.version,
            needs="text",
            trigger_tokens=found["trigger"],
            trigger_rule=found["rule"],
            tail_tokens=found["tail"],
            tail_kept_tokens=found["kept"],
            ignored=self._ignored(found["ignored"], request),
            details={**found["details"], "package": self.capabilities["version"]},
        )

    def _ignored(self, detected: list[Any], request: Open) -> tuple[Ignored, ...]:
        """What the version's own defaults and rules say has no effect, then what the host found by signature."""
        found: dict[str, Ignored] = {}
        if self.version in VERSIONS and self.context_engine is None:
            situation = Situation(request.window, request.max_tokens, request.model, request.gateway)
            found = {one.setting: one for one in check_blocks(self.version, request.settings, situation).ignored}
        for one in detected:
            found.setdefault(one[0], Ignored(*one))
        return tuple(found.values())


def absolute(interpreter: str) -> str:
    """The interpreter as a full path (the host runs in another folder); a bare name is looked up on PATH later."""
    path = Path(interpreter).expanduser()
    return interpreter if path.name == interpreter else str(path.absolute())


def plain(value: Any) -> Any:
    """Settings as plain data that a frame can hold."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
