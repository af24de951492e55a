"""`--set path=value`: single values over a scenario document, before it is checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sim.errors import ScenarioError, UsageError, Where
from sim.scenario.finding import Finding, Path, dotted
from sim.scenario.reader import Document, Place, read_text


def apply_overrides(document: Document, overrides: Sequence[str]) -> None:
    """Set values in a document; `*` stands for every key at its level (`arms.*.compression.threshold=0.5`).

    Values are read as in the file, by the same strict rules (`1M` under our own keys, `[a, b]`, `null`).

    Raises:
        UsageError: no `=`, an empty path, or a path through something that is not a mapping.
        ScenarioError: the value is not one YAML scalar, list or mapping.
    """
    for text in overrides:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise UsageError(f"--set {text!r} is not path=value", remedy="write --set model.window=1M")
        label = f"--set {text.strip()}"
        parsed = _value(value.strip(), label)
        for target in _targets(document.data, path.strip(), label):
            _put(document, target, parsed, label)


def _value(text: str, label: str) -> Document:
    if not text:
        text = "null"
    try:
        return read_text(f"value: {text}\n", label)
    except ScenarioError as error:
        raise ScenarioError(
            error.message, where=Where(label), remedy="put a text with special characters in quotes"
        ) from None


def _targets(data: dict[str, Any], path: str, label: str) -> list[Path]:
    """All key paths that a dotted path names; arm names may hold dots."""
    found: list[tuple[Path, str, Any]] = [((), path, data)]
    done: list[Path] = []
    while found:
        at, rest, node = found.pop(0)
        if not rest:
            done.append(at)
            continue
        if node is not None and not isinstance(node, dict):
            raise UsageError(f"{label}: `{dotted(at)}` is not a mapping", remedy="give the path of a single value")
        inner: dict[str, Any] = node or {}
        keys = list(inner)
        head, _, tail = rest.partition(".")
        if head == "*":
            found += [((*at, k), tail, inner[k]) for k in keys]
            continue
        whole = [k for k in keys if rest == k or rest.startswith(k + ".")]
        key = max(whole, key=len, default=head)
        if at == ("arms",) and key not in keys:
            raise UsageError(f"{label}: there is no arm '{key}'", remedy=f"there are {', '.join(keys) or 'none'}")
        found.append(((*at, key), rest[len(key) + 1 :], inner.get(key)))
    if not done:
        raise UsageError(f"{label} names nothing in this scenario", remedy="check the path")
    return done


def _put(document: Document, path: Path, parsed: Document, label: str) -> None:
    node: dict[str, Any] = document.data
    for i, key in enumerate(str(p) for p in path[:-1]):
        if node.get(key) is None:
            node[key] = {}
            document.places[path[: i + 1]] = Place(Where(label), Where(label))
        node = node[key]
    node[str(path[-1])] = parsed.data["value"]
    for old in [p for p in document.places if p[: len(path)] == path]:
        del document.places[old]
    document.findings = [f for f in document.findings if f.path[: len(path)] != path]
    document.dates = {p: f for p, f in document.dates.items() if p[: len(path)] != path}
    for inner in parsed.places:
        document.places[(*path, *inner[1:])] = Place(Where(label), Where(label))
    for finding in parsed.findings:
        document.findings.append(_moved(finding, path, label))
    for inner, finding in parsed.dates.items():
        document.dates[(*path, *inner[1:])] = _moved(finding, path, label)


def _moved(finding: Finding, path: Path, label: str) -> Finding:
    return replace(finding, where=Where(label), path=(*path, *finding.path[1:]))
