"""The settings of our own engines (`parametric:`, `dual:`), checked where they are written."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from sim.scenario.check import locate, say
from sim.scenario.finding import Finding, Path, dotted
from sim.scenario.reader import Document

OWN_BLOCKS = ("parametric", "dual")
"""Engines of ours with a block of their own name."""


def settings_model(block: str) -> type[BaseModel]:
    """The settings type of one of our engines."""
    if block == "dual":
        from sim.engine.dual.settings import DualSettings

        return DualSettings
    from sim.engine.parametric import ParametricSettings

    return ParametricSettings


def check_own_block(block: str, values: Mapping[str, Any], document: Document, arm: Path) -> list[Finding]:
    """Errors in one of our engines' blocks.

    Args:
        values: the arm's block with `defaults:` merged in.
        arm: path of the arm; a value that it does not hold itself is looked for under `defaults:`.
    """
    model = settings_model(block)
    try:
        model.model_validate(values)
    except ValidationError as error:
        return [_finding(block, item, values, model, document, arm) for item in _first_each(error, values)]
    return []


def _first_each(error: ValidationError, values: Mapping[str, Any]) -> list[Any]:
    """One error a value; unions report one for each member."""
    found: dict[Path, Any] = {}
    for item in error.errors(include_url=False):
        if item["type"] != "none_required":
            path = locate(values, item)
            found.setdefault((*path, "?") if item["type"] == "extra_forbidden" and not path else path, item)
    return list(found.values())


def _finding(
    block: str, item: Any, values: Mapping[str, Any], model: type[BaseModel], document: Document, arm: Path
) -> Finding:
    inner = locate(values, item)
    path: Path = (*arm, block, *inner)
    if path not in document.places and ("defaults", block, *inner) in document.places:
        path = ("defaults", block, *inner)
    if item["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(inner[-1]), _keys(model, inner[:-1]), n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(_keys(model, inner[:-1]))}"
        where = document.where(path, key=True)
        message = f"unknown key '{inner[-1]}' under `{dotted(path[:-1])}`"
        return Finding("error", message, where, path, "unknown key", hint)
    message, rule, remedy = say(item, path)
    return Finding("error", message, document.where(path), path, rule, remedy)


def _keys(model: type[BaseModel], inside: Path) -> list[str]:
    """Keys of the settings, or of a part of them."""
    for key in inside:
        field = model.model_fields.get(str(key))
        parts = [a for a in (field.annotation, *getattr(field.annotation, "__args__", ())) if field] if field else []
        nested = [p for p in parts if isinstance(p, type) and issubclass(p, BaseModel)]
        if not nested:
            return []
        model = nested[0]
    return list(model.model_fields)
