"""The engine that a scenario names."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from sim.engine.contract import Engine
from sim.errors import EngineError

Progress = Callable[[str, int, int, str], None]


class Spec(Protocol):
    """What is read of a scenario's `EngineSpec`."""

    @property
    def kind(self) -> str: ...

    @property
    def version(self) -> str | None: ...

    @property
    def python(self) -> str | None: ...

    @property
    def context_engine(self) -> str | None: ...


def open_engine(spec: Spec, *, progress: Progress | None = None, trusted: bool = True) -> Engine:
    """The engine of a spec; a published Hermes version is installed on first use.

    Args:
        spec: `kind` is none, parametric, dual, hermes or python.
        progress: told of an installation's steps as (event, done, total, label).
        trusted: False refuses a user's own class and a user's own interpreter.

    Raises:
        EngineMissing: a Hermes version is not installed and cannot be now.
        EngineError: an unknown kind, an interpreter without Hermes, a class that is no engine.
    """
    if not trusted and (spec.kind == "python" or spec.python):
        raise EngineError(
            f"this scenario runs code of its own ({spec.python})",
            rule="--untrusted",
            remedy="read that code, then run without --untrusted",
        )
    if spec.kind == "none":
        from sim.engine.none import NoneEngine

        return NoneEngine()
    if spec.kind == "parametric":
        from sim.engine.parametric import ParametricEngine

        return ParametricEngine()
    if spec.kind == "dual":
        from sim.engine.dual import DualEngine

        return DualEngine()
    if spec.kind == "hermes":
        return _hermes(spec, progress)
    if spec.kind == "python":
        return _users_class(spec.python or "")
    raise EngineError(f"there is no engine {spec.kind!r}", remedy="take none, parametric, dual, hermes or python")


def _hermes(spec: Spec, progress: Progress | None) -> Engine:
    from sim.engine.hermes import envs
    from sim.engine.hermes.client import open_hermes
    from sim.engine.hermes.versions import label_of

    if spec.python:
        label = spec.version
        if label is None:
            found = envs.identify(spec.python)
            # A checkout without package metadata: what it can do is found by the host, by signature.
            label = label_of(found[1]) if found else "checkout"
        return open_hermes(spec.python, label, context_engine=spec.context_engine)
    if not spec.version:
        raise EngineError("hermes without a version", remedy="write hermes@0.22, or {hermes: {python: PATH}}")
    interpreter = envs.ensure(spec.version, progress=progress)
    return open_hermes(str(interpreter), spec.version, context_engine=spec.context_engine)


def _load(name: str) -> type[Any]:
    """A class from `pkg.mod:Class`; the current folder is searched as well.

    Raises:
        EngineError: it cannot be imported, or is no class.
    """
    module_name, _, class_name = name.partition(":")
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.append(here)
    try:
        found: Any = importlib.import_module(module_name)
        for part in class_name.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise EngineError(
            f"engine class {name!r} cannot be loaded: {type(error).__name__}: {error}",
            remedy="write it as 'package.module:Class', importable from here or installed beside hermes-sim",
        ) from error
    finally:
        if added and here in sys.path:
            sys.path.remove(here)
    if not inspect.isclass(found):
        raise EngineError(f"{name!r} is not a class", remedy="name a class that implements sim.engine.Engine")
    return found


def _users_class(name: str) -> Engine:
    found = _load(name)
    try:
        engine = found()
    except Exception as error:
        raise EngineError(
            f"engine class {name!r} cannot be made: {type(error).__name__}: {error}",
            remedy="its constructor must work without arguments",
        ) from error
    if not isinstance(engine, Engine):
        missing = [
            part for part in ("name", "version", "needs", "resolve", "open", "close") if not hasattr(engine, part)
        ]
        raise EngineError(
            f"{name!r} is not an engine: it has no {', '.join(missing)}",
            remedy="implement sim.engine.Engine and prove it with sim.testing.run_conformance",
        )
    return engine


def source_hash(name: str) -> str:
    """SHA-256 of the file that defines a user's class, for the stamp.

    Raises:
        EngineError: the class cannot be loaded or its file not be read.
    """
    found = _load(name)
    try:
        return hashlib.sha256(Path(inspect.getfile(found)).read_bytes()).hexdigest()
    except (OSError, TypeError) as error:
        raise EngineError(
            f"the file of {name!r} cannot be read: {error}", remedy="keep its source beside it"
        ) from error
