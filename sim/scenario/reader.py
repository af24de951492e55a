"""Read a YAML file into plain data with the place of every key and value, and say everything that is wrong with it.

Two manners: *strict* for scenarios, where whatever two YAML readers could read differently is an error, and *lenient*
for a Hermes `config.yaml`, which is read as Hermes reads it (YAML 1.1) with the same things as warnings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import yaml

from sim.errors import ConfigError, InputError, ScenarioError, Where
from sim.scenario.finding import Finding, Level, Path
from sim.scenario.scalars import implicit_tag, read_plain

MAX_BYTES = 4_000_000
"""A scenario or config larger than this is something else."""
MAX_DEPTH = 60
AMBIGUOUS = "YAML 1.1 and 1.2 differ"
MAX_NODES = 40_000
MAX_NUMBER = 2**63
"""What the stored tables hold."""

# Control characters, halves of surrogate pairs, and the marks that turn the direction of writing round.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

_TAGS = {"tag:yaml.org,2002:" + t for t in ("str", "int", "float", "bool", "null", "map", "seq", "timestamp", "merge")}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a key stands and where its value starts."""

    key: Where
    value: Where


@dataclass(slots=True)
class Document:
    """A file's content.

    Attributes:
        data: plain mappings, lists and scalars.
        places: path → place, for every key and list item.
        dates: paths of unquoted dates, which YAML 1.1 and 1.2 read differently but a date field may take.
    """

    file: str
    data: dict[str, Any]
    places: dict[Path, Place] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    dates: dict[Path, Finding] = field(default_factory=dict)

    def where(self, path: Path, *, key: bool = False) -> Where:
        """The place of a path, or of the nearest enclosing key that is there."""
        while path:
            place = self.places.get(path)
            if place:
                return place.key if key else place.value
            path, key = path[:-1], True
        return Where(self.file, 1, 1) if self.places else Where(self.file)


def read_file(path: FilePath | str, *, strict: bool = True) -> Document:
    """Read a file.

    Raises:
        ScenarioError, ConfigError: missing, unreadable, not text, not YAML, empty, or not a mapping.
    """
    kind: type[InputError] = ScenarioError if strict else ConfigError
    name = str(path)
    what = "scenario" if strict else "Hermes config"
    try:
        with open(path, "rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise kind(f"no such {what}", where=Where(name), remedy=_missing(FilePath(path), strict)) from None
    except IsADirectoryError:
        raise kind("is a folder", where=Where(name), remedy=f"name the {what} file in it") from None
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise kind(f"cannot be read: {reason}", where=Where(name), remedy="check the path and its rights") from None
    return read_text(_decode(raw, name, kind), name, strict=strict)


def _missing(path: FilePath, strict: bool) -> str:
    import difflib

    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder} either; check the path"
    names = {p.stem: p for p in sorted(folder.iterdir()) if p.suffix in {".yaml", ".yml"}}
    near = difflib.get_close_matches(path.stem, list(names), n=1, cutoff=0.6)
    if near:
        return f"did you mean {names[near[0]]}?"
    return "write one with `hermes-sim init`" if strict else "check the path"


def _decode(raw: bytes, name: str, kind: type[InputError]) -> str:
    if len(raw) > MAX_BYTES:
        raise kind(f"is larger than {MAX_BYTES // 1_000_000} MB", where=Where(name), remedy="is this the right file?")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise kind("is UTF-16 text", where=Where(name, 1, 1), rule="files are UTF-8", remedy="save it as UTF-8")
    if b"\x00" in raw:
        line = raw[: raw.index(b"\x00")].count(b"\n") + 1
        raise kind("is not a text file (it holds a NUL byte)", where=Where(name, line), remedy="save it as UTF-8 text")
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line = before.count(b"\n") + 1
        col = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        raise kind(
            f"byte 0x{raw[error.start]:02x} is not UTF-8", where=Where(name, line, col), remedy="save the file as UTF-8"
        ) from None


def read_text(text: str, name: str, *, strict: bool = True) -> Document:
    """Read YAML text; `name` stands for the file in messages.

    Raises:
        ScenarioError, ConfigError: not YAML, empty, or not a mapping.
    """
    kind: type[InputError] = ScenarioError if strict else ConfigError
    try:
        nodes = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        raise _syntax(error, text, name, kind) from None
    except yaml.YAMLError as error:
        position = getattr(error, "position", None)
        where = Where(name)
        if isinstance(position, int):
            where = Where(name, text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))
        raise kind(f"not YAML: {str(error).splitlines()[0]}", where=where, remedy="remove that character") from None
    except RecursionError:
        raise kind(f"nested deeper than {MAX_DEPTH} levels", where=Where(name), remedy="flatten it") from None
    root = nodes[0] if nodes else None
    if root is None or (isinstance(root, yaml.ScalarNode) and root.value == "" and root.style is None):
        remedy = "`hermes-sim init` writes a starter scenario" if strict else "an empty config changes no default"
        raise kind("the file is empty", where=Where(name, 1, 1), remedy=remedy)
    if len(nodes) > 1:
        raise kind(
            "holds several YAML documents",
            where=Where(name, nodes[1].start_mark.line + 1, 1),
            rule="one document a file",
            remedy="remove the `---` line and what follows",
        )
    if not isinstance(root, yaml.MappingNode):
        found = "a list" if isinstance(root, yaml.SequenceNode) else f"the text {_cut(root.value)!r}"
        raise kind(
            f"the file holds {found}, not keys and values",
            where=Where(name, root.start_mark.line + 1, root.start_mark.column + 1),
            remedy="start with `schema: 1`"
            if strict
            else "a Hermes config starts with sections such as `compression:`",
        )
    document = Document(name, {})
    document.data = _Walk(document, strict).mapping(root, (), 0)
    return document


def _syntax(error: yaml.MarkedYAMLError, text: str, name: str, kind: type[InputError]) -> InputError:
    mark = error.problem_mark or error.context_mark
    where = Where(name, mark.line + 1, mark.column + 1) if mark else Where(name)
    message = f"not YAML: {error.problem or error.context or 'syntax error'}"
    remedy = "check the indentation and the colons of this line and the one above it"
    line = text.split("\n")[mark.line] if mark and mark.line < text.count("\n") + 1 else ""
    if "\t" in line[: len(line) - len(line.lstrip())] or "'\\t'" in message:
        col = line.index("\t") + 1 if "\t" in line else where.col
        where = Where(name, where.line, col)
        message, remedy = "a tab is used for indentation", "YAML indents with spaces only; replace the tab"
    elif "mapping values are not allowed" in message:
        remedy = "two keys stand on one line, or a text with a colon needs quotes"
    elif "undefined alias" in message:
        remedy = "a text that starts with `*` needs quotes"
    return kind(message, where=where, remedy=remedy)


def _tagged(node: yaml.Node) -> bool:
    """Whether a scalar carries a tag of its own (`!!str 5`)."""
    if not isinstance(node, yaml.ScalarNode):
        return False
    return node.tag != implicit_tag(node.value, plain=node.style is None)


def _cut(text: str) -> str:
    return text if len(text) <= 30 else text[:27] + "…"


class _Walk:
    """One pass over the nodes of a document."""

    def __init__(self, document: Document, strict: bool) -> None:
        self.document = document
        self.strict = strict
        self.nodes = 0

    def at(self, node: yaml.Node) -> Where:
        return Where(self.document.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def say(self, message: str, node: yaml.Node, path: Path, rule: str | None, remedy: str | None) -> None:
        level: Level = "error" if self.strict else "warning"
        self.document.findings.append(Finding(level, message, self.at(node), path, rule, remedy))

    def value(self, node: yaml.Node, path: Path, depth: int) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise (ScenarioError if self.strict else ConfigError)(
                "too deeply nested or too large", where=self.at(node), remedy="write it flatter, without aliases"
            )
        if node.tag not in _TAGS or _tagged(node):
            name = node.tag.replace("tag:yaml.org,2002:", "!!")
            self.say(f"the tag `{name}` is not read", node, path, "plain YAML only", "remove the tag")
            return node.value if isinstance(node, yaml.ScalarNode) else None
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path, depth)
        if isinstance(node, yaml.SequenceNode):
            return self.sequence(node, path, depth)
        return self.scalar(node, path)

    def sequence(self, node: yaml.SequenceNode, path: Path, depth: int) -> list[Any]:
        items = []
        for i, item in enumerate(node.value):
            if self.strict and item.start_mark.index < node.start_mark.index:
                self.alias(node, (*path, i))
            self.document.places[(*path, i)] = Place(self.at(item), self.at(item))
            items.append(self.value(item, (*path, i), depth + 1))
        return items

    def scalar(self, node: yaml.Node, path: Path) -> Any:
        text = self.text(node, path)
        if not isinstance(node, yaml.ScalarNode) or node.style is not None:
            return text
        reading = read_plain(text)
        if reading.ambiguous is None:
            if self.strict and isinstance(reading.value, (int, float)) and not abs(reading.value) < MAX_NUMBER:
                self.say(f"{_cut(text)} is no number that can be used", node, path, "numbers have an end", "write less")
            return reading.value
        rule = AMBIGUOUS
        level: Level = "error" if self.strict else "warning"
        finding = Finding(level, reading.ambiguous, self.at(node), path, rule, reading.remedy)
        if reading.date:
            self.document.dates[path] = finding
        else:
            self.document.findings.append(finding)
        return reading.value

    def text(self, node: yaml.Node, path: Path) -> str:
        """A scalar's text without the characters that no file name, terminal or report can show."""
        text: str = node.value
        bad = _UNPRINTABLE.search(text)
        if bad:
            rule = "text is printable Unicode"
            self.say(f"holds the character U+{ord(bad[0]):04X}", node, path, rule, "take it out")
        return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)

    def mapping(self, node: yaml.MappingNode, path: Path, depth: int) -> dict[str, Any]:
        data: dict[str, Any] = {}
        first: dict[str, Where] = {}
        for key_node, value_node in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge" and key_node.style is None:
                self.merge(key_node, value_node, path, depth, data)
                continue
            key = self.key(key_node, path)
            if key is None:
                continue
            here = (*path, key)
            if key in first:
                self.say(
                    f"duplicate key '{key}'",
                    key_node,
                    here,
                    f"first written in line {first[key].line}; YAML readers keep only one of them",
                    "remove one",
                )
                if self.strict:
                    continue
            first[key] = self.at(key_node)
            self.document.places[here] = Place(self.at(key_node), self.at(value_node))
            if self.strict and value_node.start_mark.index < key_node.start_mark.index:
                self.alias(key_node, here)
            data[key] = self.value(value_node, here, depth + 1)
        return data

    def key(self, node: yaml.Node, path: Path) -> str | None:
        if not isinstance(node, yaml.ScalarNode):
            self.say("a key is a list or a mapping", node, path, "keys are text", "write a word before the colon")
            return None
        text = self.text(node, path)
        if node.style is None:
            reading = read_plain(text)
            if reading.ambiguous or not isinstance(reading.value, str):
                shown = reading.ambiguous or f"`{text}` is not text"
                self.say(f"key {shown}", node, (*path, text), "keys are text", f"write '{text}' in quotes")
        return text

    def alias(self, node: yaml.Node, path: Path) -> None:
        self.say(
            "an alias `*…` is used as a value",
            node,
            path,
            "a scenario is read from top to bottom, without anchors",
            "repeat the value, or share settings between arms under `defaults:`",
        )

    def merge(self, key: yaml.Node, node: yaml.Node, path: Path, depth: int, data: dict[str, Any]) -> None:
        if self.strict:
            self.say(
                "a merge key `<<` is used",
                key,
                path,
                "YAML 1.2 has no merge keys",
                "share settings between arms under `defaults:`",
            )
            return
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        for source in sources:
            if isinstance(source, yaml.MappingNode):
                for name, value in self.mapping(source, path, depth + 1).items():
                    data.setdefault(name, value)
