"""Reads presets: ours by name, a person's own by path; `extends`, `scales` and single overrides applied."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from sim.errors import InputError, ManyErrors, Where
from sim.workload.preset import Preset, merge

_MAX_CHARACTERS = 1_000_000
_MAX_VALUES = 50_000


def preset_names() -> list[str]:
    """Names of the presets that come with hermes-sim."""
    folder = files("sim.workload") / "presets"
    return sorted(p.name.removesuffix(".yaml") for p in folder.iterdir() if p.name.endswith(".yaml"))


def load_preset(
    name_or_path: str, *, base_dir: Path | None = None, overrides: Mapping[str, Any] | None = None
) -> Preset:
    """A preset, validated.

    Args:
        name_or_path: one of `preset_names()`, or the path of a YAML file.
        base_dir: where relative paths start.
        overrides: knobs to change; keys may be dotted (`prefix.mcp_tokens`), `scale` picks one of the file's `scales`.

    Raises:
        InputError: no such preset, not YAML, an unknown key, or an impossible value; each with a remedy.
    """
    data, where = _read(name_or_path, base_dir or Path("."), seen=())
    changes: dict[str, Any] = {}
    for key, value in (overrides or {}).items():
        changes = merge(changes, _nested(str(key).split("."), value))
    scales = data.pop("scales", None) or {}
    scale = changes.pop("scale", data.pop("scale", None))
    if scale is not None:
        if not isinstance(scales, dict) or not isinstance(scale, str) or scale not in scales:
            known = ", ".join(scales) if isinstance(scales, dict) and scales else "none"
            raise InputError(f"preset {name_or_path!r} has no scale {scale!r}", where=where, remedy=f"it has: {known}")
        data = merge(data, scales[scale] or {})
    data = merge(data, changes)
    data.setdefault("name", Path(name_or_path).stem)
    try:
        return Preset.model_validate(data)
    except ValidationError as error:
        found = [_explain(entry, where) for entry in error.errors()]
        raise (found[0] if len(found) == 1 else ManyErrors(list(found))) from None


def _read(name_or_path: str, base_dir: Path, seen: tuple[str, ...]) -> tuple[dict[str, Any], Where]:
    if name_or_path in seen:
        raise InputError(f"preset {name_or_path!r} extends itself", remedy="remove one `extends`")
    bundled = preset_names()
    if name_or_path in bundled:
        where = Where(f"preset {name_or_path}")
        text = (files("sim.workload") / "presets" / f"{name_or_path}.yaml").read_text("utf-8")
        folder = base_dir
    else:
        path = base_dir / os.path.expanduser(name_or_path)
        if not os.path.isfile(path):
            near = difflib.get_close_matches(name_or_path, bundled, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise InputError(
                f"there is no preset {name_or_path!r}",
                remedy=f"{hint}there are {', '.join(bundled)}; or give the path of a YAML file",
            )
        where, folder = Where(str(path)), path.parent
        try:
            with open(path, encoding="utf-8-sig") as stream:
                text = stream.read(_MAX_CHARACTERS + 1)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {error}", where=where, remedy="use a UTF-8 text file") from error
        if len(text) > _MAX_CHARACTERS:
            raise InputError("is too large for a preset", where=where, remedy="is this the right file?")
    data = _parse(text, where)
    parent = data.pop("extends", None)
    if parent is not None:
        base, _ = _read(str(parent), folder, (*seen, name_or_path))
        data = merge(base, data)
    return data, where


class _Loader(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice."""

    def get_single_node(self) -> yaml.Node | None:
        """The document, unless it stands for more values than any preset has (`*alias` of aliases)."""
        node = super().get_single_node()
        if node is None:
            return None
        waiting, count = [node], 0
        while waiting:
            count += 1
            if count > _MAX_VALUES:
                raise yaml.constructor.ConstructorError(
                    None, None, "aliases stand for too many values", node.start_mark
                )
            one = waiting.pop()
            if isinstance(one, yaml.SequenceNode):
                waiting += one.value
            elif isinstance(one, yaml.MappingNode):
                waiting += [part for pair in one.value for part in pair]
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key is no word", key_node.start_mark)
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"duplicate key {key!r}", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def _parse(text: str, where: Where) -> dict[str, Any]:
    try:
        data = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = Where(where.file, mark.line + 1, mark.column + 1) if mark else where
        raise InputError(f"is not valid YAML: {error.problem}", where=place, remedy="correct the line") from error
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"is not valid YAML: {error}", where=where, remedy="correct the file") from error
    except RecursionError:
        raise InputError("is nested too deeply", where=where, remedy="flatten it") from None
    if not isinstance(data, dict):
        raise InputError(
            "is not a preset", where=where, remedy="start from a copy of one of ours: `turns:`, `tools:`, …"
        )
    return data


def _nested(path: list[str], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    assert isinstance(value, dict)
    return value


_TAGS = {"fixed", "lognormal", "exponential", "uniform", "quantiles", "mixture"}


def _explain(entry: Any, where: Where) -> InputError:
    """One pydantic error as ours: the field's path, the value, the rule and a remedy."""
    path = [str(part) for part in entry["loc"] if str(part) not in _TAGS and not str(part).startswith("function-")]
    field = ".".join(path) or "preset"
    kind, value = entry["type"], entry.get("input")
    shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
    if kind == "extra_forbidden":
        parent = _fields(path[:-1])
        near = difflib.get_close_matches(path[-1], parent, n=1) if parent else []
        remedy = f"did you mean {near[0]!r}?" if near else "remove it"
        return InputError(f"unknown key `{field}`", where=where, remedy=remedy)
    if kind == "missing":
        return InputError(f"`{field}` is missing", where=where, remedy="add it; any bundled preset shows how")
    if kind == "union_tag_invalid":
        return InputError(
            f"`{field}` is no known distribution: {shown}", where=where, remedy=f"`kind` is one of {sorted(_TAGS)}"
        )
    rule = str(entry["msg"]).removeprefix("Value error, ")
    return InputError(f"`{field}` is {shown}: {rule}", where=where, remedy="correct the value")


def _fields(path: list[str]) -> list[str]:
    """Keys allowed at a place of the preset, for suggestions; empty when unknown."""
    from sim.workload.preset import Facts, Prefix, Rhythm, Tool, Totals

    if not path:
        return [f.alias or n for n, f in Preset.model_fields.items()]
    parts: dict[str, Any] = {"prefix": Prefix, "rhythm": Rhythm, "totals": Totals, "facts": Facts}
    if len(path) == 1 and path[0] in parts:
        return list(parts[path[0]].model_fields)
    if len(path) == 2 and path[0] == "tools":
        return list(Tool.model_fields)
    return []
