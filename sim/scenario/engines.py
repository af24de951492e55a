"""The forms of `engine:`."""

from __future__ import annotations

import difflib
import re
from typing import Any

from sim.engine.hermes.versions import VERSIONS
from sim.scenario.model import EngineSpec

HERMES_VERSIONS = tuple(VERSIONS)
ENGINES = ("none", "parametric", "dual", *(f"hermes@{v}" for v in HERMES_VERSIONS))
"""Engines that a scenario names by a word."""

FORMS = f"{', '.join(ENGINES)}, {{hermes: {{python: PATH}}}}, {{python: 'pkg.mod:Class'}}"
_CLASS = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")

NEEDS_TEXT = frozenset({"hermes", "dual"})
"""Engines that read what messages say, not only how long they are."""


class EngineFormError(ValueError):
    """An `engine:` value that names no engine; `remedy` says what would."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


def parse_engine(value: Any) -> EngineSpec:
    """One of the forms as an `EngineSpec`; paths are kept as written.

    Raises:
        EngineFormError: none of the forms.
    """
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, dict) and len(value) == 1:
        name, inner = next(iter(value.items()))
        if name == "hermes" and isinstance(inner, dict):
            return _hermes(inner)
        if name == "python":
            if isinstance(inner, str) and _CLASS.fullmatch(inner):
                return EngineSpec(kind="python", python=inner)
            raise EngineFormError(f"{inner!r} does not name a class", "write {python: 'package.module:Class'}")
    raise EngineFormError(f"{_show(value)} is not an engine", f"there are {FORMS}")


def _word(text: str) -> EngineSpec:
    if text in ENGINES:
        kind, _, version = text.partition("@")
        return EngineSpec.model_validate({"kind": kind, "version": version or None})
    if text == "hermes":
        raise EngineFormError("'hermes' does not say which version", f"there are {', '.join(ENGINES[3:])}")
    if text.startswith("hermes@"):
        raise EngineFormError(f"there is no engine environment for '{text}'", f"there are {FORMS}")
    near = difflib.get_close_matches(text, ENGINES, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'? " if near else ""
    raise EngineFormError(f"unknown engine '{text}'", f"{hint}there are {FORMS}")


def _hermes(inner: dict[str, Any]) -> EngineSpec:
    allowed = {"python", "context_engine", "version"}
    for key in inner:
        if key not in allowed:
            raise EngineFormError(f"unknown key '{key}' under engine.hermes", "there are python and context_engine")
    for key, value in inner.items():
        if not isinstance(value, str) or not value:
            raise EngineFormError(f"engine.hermes.{key} must be text, not {_show(value)}", "put it in quotes")
    version = inner.get("version")
    if version is not None and version not in HERMES_VERSIONS:
        raise EngineFormError(f"unknown version '{version}'", f"there are {', '.join(HERMES_VERSIONS)}")
    if "python" not in inner and version is None:
        raise EngineFormError(
            "engine.hermes says neither which interpreter nor which version", "write {hermes: {python: PATH}}"
        )
    return EngineSpec(
        kind="hermes", version=version, python=inner.get("python"), context_engine=inner.get("context_engine")
    )


def written_form(spec: EngineSpec) -> Any:
    """The form that parses back into `spec`."""
    if spec.kind == "python":
        return {"python": spec.python}
    if spec.kind == "hermes" and (spec.python or spec.context_engine):
        inner = {"python": spec.python, "version": spec.version, "context_engine": spec.context_engine}
        return {"hermes": {k: v for k, v in inner.items() if v is not None}}
    return spec.label


def _show(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) < 60 else text[:57] + "…"
