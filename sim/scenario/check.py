"""From a document to a validated `ScenarioFile`, with every error at its place in the file."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sim.provider.auxiliary import AuxiliaryBehaviour
from sim.provider.limits import AccountLimits, AuxiliaryLimits, Outage, Retry
from sim.scenario.file import LATER, ArmFile, ModelPatch, ScenarioFile
from sim.scenario.finding import Finding, Path, dotted
from sim.scenario.hermes_keys import homes
from sim.scenario.model import Curve, Fleet, Group, GroupModel, ModelSpec, Part, Replay, Synthetic, UntilHalfWidth
from sim.scenario.reader import Document

WORKLOADS: dict[str, type[Part]] = {"synthetic": Synthetic, "replay": Replay, "curve": Curve}

_MISSING = {
    "model": "add `model: {name: claude-opus-4-7, window: 1M}`",
    "model.name": "add `name: claude-opus-4-7`; `hermes-sim prices` lists the models",
    "workload": "add `workload: {kind: synthetic, preset: long-haul}`",
    "workload.preset": "add `preset: long-haul`",
    "workload.transcripts": "add `transcripts: [session.jsonl]`",
    "fleet.groups": "add `groups: [{workload: coding-2026, sessions_per_day: 4}]`",
    "arms": "add `arms:` with at least one configuration under a name of its own",
}
_TYPES = {
    "int_type": ("a whole number", "write it without quotes or suffix"),
    "int_from_float": ("a whole number", "write it without a fraction"),
    "float_type": ("a number", "write it without quotes or suffix"),
    "string_type": ("text", "put it in quotes"),
    "bool_type": ("true or false", "write true or false"),
    "dict_type": ("a mapping", "write keys and values under it"),
    "model_type": ("a mapping", "write keys and values under it"),
    "model_attributes_type": ("a mapping", "write keys and values under it"),
    "tuple_type": ("a list", "write [a, b]"),
}
_BOUNDS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


MANY = 20
"""Unknown keys of one block that are told one by one."""


def check_shape(document: Document) -> tuple[ScenarioFile | None, list[Finding]]:
    """Check keys and types of a whole scenario document.

    Returns:
        (the file, findings); the file is None when an error stands in the way.
    """
    findings = list(document.findings)
    findings += [f for path, f in document.dates.items() if path[-1] != "as_of"]
    data = copy.deepcopy(document.data)
    findings += _prune(data, document)
    given = "workload" in data
    _share_workload(data)
    try:
        file = ScenarioFile.model_validate(data)
    except ValidationError as error:
        found = _mapped(error, document, findings)
        # A fleet without a workload of its own shares its first group's: what is wrong there is told there.
        told = [f for f in found if f.path[:1] != ("workload",)]
        findings += told if told and "fleet" in data and not given else found
        return None, findings
    return file, findings


def _share_workload(data: dict[str, Any]) -> None:
    """The first group's workload stands for the scenario's when a fleet leaves that out."""
    fleet = data.get("fleet")
    groups = fleet.get("groups") if isinstance(fleet, dict) else None
    first = groups[0] if isinstance(groups, list) and groups and isinstance(groups[0], dict) else {}
    if "workload" not in data and first.get("workload") is not None:
        own = first["workload"]
        shared = {"kind": "synthetic", "preset": own} if isinstance(own, str) else copy.deepcopy(own)
        if isinstance(shared, dict) and shared.get("kind") == "synthetic":
            data["workload"] = shared


# unknown keys ---------------------------------------------------------------------------------------------------


Shape = type[BaseModel]


def fields_of(model: Shape) -> list[str]:
    """Keys of a part as written in a file."""
    return [info.alias or name for name, info in model.model_fields.items()]


def shape_at(path: Path, data: Mapping[str, Any]) -> Shape | None:
    """Which part's keys a mapping at `path` takes; None where any key goes."""
    match path:
        case ():
            return ScenarioFile
        case ("model",):
            return ModelSpec
        case ("replications",):
            return UntilHalfWidth
        case ("workload",):
            return WORKLOADS.get(str(data.get("kind")))
        case ("workload", "auxiliary"):
            return AuxiliaryBehaviour
        case ("defaults",) | ("arms", _):
            return ArmFile
        case ("defaults", "model") | ("arms", _, "model"):
            return ModelPatch
        case ("fleet", *inner):
            return _fleet_shape(tuple(inner))
    return None


def _fleet_shape(path: Path) -> Shape | None:
    match path:
        case ():
            return Fleet
        case ("account",):
            return AccountLimits
        case ("account", "retry"):
            return Retry
        case ("account", "auxiliary"):
            return AuxiliaryLimits
        case ("account", "outages", _):
            return Outage
        case ("groups", _):
            return Group
        case ("groups", _, "model"):
            return GroupModel
        case ("groups", _, "workload"):
            return Synthetic
        case ("groups", _, "workload", "auxiliary"):
            return AuxiliaryBehaviour
    return None


def _prune(data: dict[str, Any], document: Document) -> list[Finding]:
    """Take unknown keys out of `data` and report them."""
    found: list[Finding] = []
    for path, node in list(_mappings(data, ())):
        shape = shape_at(path, node)
        if shape is None:
            continue
        allowed = fields_of(shape)
        unknown = [k for k in node if k not in allowed]
        for key in unknown[MANY:]:
            del node[key]
        if unknown[MANY:]:
            here = (*path, unknown[MANY])
            message = f"{len(unknown) - MANY} more unknown keys from here on"
            remedy = "is this the right file?"
            found.append(Finding("error", message, document.where(here, key=True), here, "unknown key", remedy))
        for key in unknown[:MANY]:
            here = (*path, key)
            if path == () and key in LATER:
                found.append(_later(key, document))
            else:
                message, remedy = _unknown(path, key, allowed)
                found.append(Finding("error", message, document.where(here, key=True), here, "unknown key", remedy))
            del node[key]
    return found


def _mappings(node: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    if isinstance(node, dict):
        yield path, node
        if len(path) < 3 or path[0] == "fleet":
            for key, value in list(node.items()):
                yield from _mappings(value, (*path, key))
    elif isinstance(node, list) and path[:1] == ("fleet",):
        for place, value in enumerate(node):
            yield from _mappings(value, (*path, place))


def _later(key: str, document: Document) -> Finding:
    return Finding(
        "error",
        f"`{key}` ({LATER[key]}) cannot be acted on by this version",
        document.where((key,), key=True),
        (key,),
        None,
        f"remove `{key}`; arms can be written out one by one",
    )


def _unknown(path: Path, key: str, allowed: list[str]) -> tuple[str, str]:
    place = f"under `{dotted(path)}`" if path else "at the top level"
    home = _home(path, key)
    if home:
        return f"`{key}` is misplaced {place}", f"it belongs to `{home}:`"
    near = difflib.get_close_matches(key, allowed, n=1, cutoff=0.6)
    if near:
        return f"unknown key '{key}' {place}", f"did you mean '{near[0]}'?"
    away = difflib.get_close_matches(key, _everywhere(), n=1, cutoff=0.8)
    if away and _home(path, away[0]):
        return f"unknown key '{key}' {place}", f"did you mean '{away[0]}' under `{_home(path, away[0])}:`?"
    return f"unknown key '{key}' {place}", f"there are {', '.join(allowed)}"


def _everywhere() -> list[str]:
    from sim.scenario.hermes_keys import KNOWN

    parts: tuple[Shape, ...] = (
        *(ScenarioFile, ModelSpec, UntilHalfWidth, Synthetic, Replay, Curve, AuxiliaryBehaviour, ArmFile),
        *(Fleet, Group, AccountLimits),
    )
    return sorted({k for part in parts for k in fields_of(part)} | {k.leaf for k in KNOWN})


def _home(path: Path, key: str) -> str | None:
    """Where a key would belong, seen from `path`; None when nowhere else."""
    in_arm = path[:1] in {("arms",), ("defaults",)}
    if not in_arm:
        for name, part in (
            ("model", ModelSpec),
            ("replications", UntilHalfWidth),
            ("workload", Synthetic),
            ("workload", Replay),
            ("workload", Curve),
            ("workload.auxiliary", AuxiliaryBehaviour),
            ("fleet", Fleet),
            ("fleet.account", AccountLimits),
        ):
            if key in fields_of(part) and name != dotted(path):
                return name
    if key in fields_of(ScenarioFile) and key not in fields_of(ArmFile) and path:
        return "the top level"
    if not in_arm and key in fields_of(ArmFile) and key not in fields_of(ScenarioFile):
        return "arms.NAME"
    found = homes(key)
    if not found:
        return None
    block = found[0].rpartition(".")[0]
    if not in_arm:
        return f"arms.NAME.{block}"
    arm = dotted(path[: 2 if path[0] == "arms" else 1])
    return f"{arm}.{block}"


# pydantic's errors ------------------------------------------------------------------------------------------------


def _mapped(error: ValidationError, document: Document, earlier: list[Finding]) -> list[Finding]:
    broken = {f.path for f in earlier if f.level == "error"}
    guesses = {f.remedy for f in earlier if f.remedy}
    found: list[Finding] = []
    for item in error.errors(include_url=False):
        path = locate(document.data, item)
        if item["type"] == "none_required" or any(path[: len(b)] == b for b in broken if b):
            continue
        if item["type"] == "missing" and f"did you mean '{path[-1]}'?" in guesses:
            continue
        if any(f.path == path for f in found):
            continue
        message, rule, remedy = say(item, path)
        found.append(Finding("error", message, document.where(path), path, rule, remedy))
    return found


def locate(data: Any, item: ErrorDetails) -> Path:
    """Pydantic's location without the names of union members."""
    path: Path = ()
    node = data
    for i, part in enumerate(item["loc"]):
        listed = isinstance(node, list) and isinstance(part, int) and part < len(node)
        if listed or (isinstance(node, dict) and part in node):
            node = node[part]
        elif item["type"] == "missing" and i == len(item["loc"]) - 1:
            return (*path, part)
        else:
            continue
        path = (*path, part)
    return path


def say(item: ErrorDetails, path: Path) -> tuple[str, str | None, str | None]:
    """Message, rule and remedy of one of pydantic's errors."""
    kind, name, value = item["type"], dotted(path), item.get("input")
    shown = _shown(value)
    context = item.get("ctx") or {}
    if kind == "missing":
        return f"`{name}` is missing", None, _MISSING.get(name, f"add `{path[-1]}:`")
    if kind in {"union_tag_not_found", "union_tag_invalid"}:
        kinds = ", ".join(WORKLOADS)
        if kind == "union_tag_not_found":
            return f"`{name}` does not say its kind", None, f"add `kind:`; there are {kinds}"
        tag = str(context.get("tag"))
        near = difflib.get_close_matches(tag, list(WORKLOADS), n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'? " if near else ""
        return f"unknown workload kind '{tag}'", None, f"{hint}there are {kinds}"
    if name == "schema":
        return f"`schema` is {shown}", None, "this version reads schema 1: write `schema: 1`"
    if kind in _BOUNDS:
        limit, words = _BOUNDS[kind]
        return f"`{name}` must be {words} {context[limit]}, not {shown}", None, _bound_remedy(name)
    if kind in _TYPES:
        what, remedy = _TYPES[kind]
        return f"`{name}` must be {what}, not {shown}", None, remedy
    if kind == "too_short":
        return f"`{name}` is empty", None, _MISSING.get(name, "write at least one")
    if kind == "string_too_short":
        return f"`{name}` is empty", None, _MISSING.get(name, "write a text")
    if kind == "value_error":
        message, _, remedy = str(context.get("error", item["msg"])).partition("; ")
        return f"`{name}`: {message}", None, remedy or None
    return f"`{name}`: {item['msg']}, not {shown}", None, None


def _bound_remedy(name: str) -> str:
    if name.endswith("window"):
        return "write the context window in tokens, such as 200K or 1M"
    return "write a number within the bound"


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    return f"'{value}'" if isinstance(value, str) else str(value)
