"""Outline of a source file: classes and functions with their line numbers.

Python is read by its own parser; other languages by tree-sitter where the optional `outline` extra is installed;
everything else, and source that does not parse, by the line outline: a line is a definition when it opens with a
definition keyword of one of the common languages.
"""

from __future__ import annotations

import ast
import importlib
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sim.engine.dual.fit import Piece, gap_piece
from sim.engine.dual.lines import clip, count_lines, first_lines
from sim.engine.dual.phrases import say
from sim.engine.dual.strategy import Context, Plan

_MOST_CHARACTERS = 400_000
"""Larger texts are outlined line by line: a parser's time and memory are not worth an outline of 150 tokens."""

_DEFINITION = re.compile(
    r"^(\s*)((?:export |default |public |private |protected |internal |static |final |abstract |async |"
    r"pub(?:\(\w+\))? |"
    r"unsafe |extern |virtual |inline |override |open |sealed |data )*"
    r"(?:def|class|func|function|fn|interface|struct|enum|trait|impl|type|module|namespace|record|object|mod"
    r"|macro_rules!)"
    r"\b.*|(?:public|private|protected)[\w\s<>\[\],?]* \w+\(.*"
    r"|(?:export )?(?:const|let|var) \w+ = (?:async )?(?:\(|function).*"
    r"|(?!if\b|for\b|while\b|switch\b|else\b|catch\b|return\b)[A-Za-z_]\w*(?:[ *]+\w+)*\([^;{}]*\)\s*\{?$)"
)
_NUMBER = re.compile(r"^\s{0,6}(\d{1,6})(?:\||\t|: | │ |→)", re.MULTILINE)

_NODES = {
    "class_declaration", "class_definition", "class_specifier", "class", "interface_declaration", "struct_item",
    "struct_specifier", "enum_item", "enum_declaration", "enum_specifier", "trait_item", "impl_item",
    "type_declaration", "type_alias_declaration", "module", "namespace_definition", "mod_item", "function_declaration",
    "function_definition", "function_item", "method_declaration", "method_definition", "method", "singleton_method",
    "constructor_declaration", "lexical_declaration", "object_declaration", "generator_function_declaration",
}  # fmt: skip
_CONTAINERS = {"class", "interface", "struct", "enum", "trait", "impl", "module", "namespace", "mod", "object"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One definition."""

    line: int
    depth: int
    text: str


def plan_source(text: str, language: str, context: Context, *, numbered: bool) -> Plan:
    """Pieces of a source file: outer definitions before inner ones, private ones last."""
    body = _NUMBER.sub("", text) if numbered else text
    offset = 0
    if numbered and (match := _NUMBER.search(text)):
        offset = int(match.group(1)) - 1
    entries, parser = outline(body, language, context.settings.outline_parser)
    total = count_lines(text)
    if not entries:
        pieces = [Piece(10 + i, clip(line, context.language), 1) for i, (_, line) in enumerate(first_lines(text, 20))]
        return Plan([*pieces, gap_piece(2)], total)
    title = f"{language or 'source'}, {parser}, {len(entries)}"
    pieces = [Piece(1, say("lines", context.language, n=total)), Piece(1, say("outline", context.language, text=title))]
    for entry in entries[:400]:
        private = bool(re.search(r"\b_\w+", entry.text[:60]))
        asked = any(term in entry.text for term in context.focus.terms)
        rank = 2 if asked else 3 + min(entry.depth, 3) * 2 + private
        shown = f"{'  ' * min(entry.depth, 4)}{entry.text} :{entry.line + offset}"
        pieces.append(Piece(rank, clip(shown, context.language, 120)))
    return Plan(pieces)


def outline(text: str, language: str, parser: str = "auto") -> tuple[list[Entry], str]:
    """Definitions of a source text, and which reader found them (`ast`, `tree-sitter`, `lines`)."""
    if parser == "auto" and len(text) <= _MOST_CHARACTERS:
        if language == "python":
            found = _python(text)
            if found is not None:
                return found, "ast"
        else:
            found = _tree_sitter(text, language)
            if found:
                return found, "tree-sitter"
    return _by_line(text), "lines"


def _python(text: str) -> list[Entry] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return list(_walk_python(tree, 0))


def _walk_python(node: ast.AST, depth: int) -> Iterator[Entry]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            bases = ", ".join(ast.unparse(b) for b in child.bases[:4])
            yield Entry(child.lineno, depth, f"class {child.name}({bases})" if bases else f"class {child.name}")
            yield from _walk_python(child, depth + 1)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            word = "async def" if isinstance(child, ast.AsyncFunctionDef) else "def"
            names = [a.arg for a in (*child.args.posonlyargs, *child.args.args, *child.args.kwonlyargs)]
            yield Entry(child.lineno, depth, f"{word} {child.name}({', '.join(names[:8])})")
        elif isinstance(child, ast.If | ast.Try | ast.With):
            yield from _walk_python(child, depth)


def _tree_sitter(text: str, language: str) -> list[Entry] | None:
    try:
        pack: Any = importlib.import_module("tree_sitter_language_pack")
        parser: Any = pack.get_parser(language)
    except (ImportError, LookupError):
        return None
    root = parser.parse(text.encode("utf-8", "replace")).root_node
    lines = text.split("\n")
    entries: list[Entry] = []
    stack: list[tuple[Any, int, int]] = [(child, 0, 0) for child in reversed(root.children)]
    while stack:
        node, depth, level = stack.pop()
        inner = depth
        if node.type in _NODES and node.is_named:
            row = node.start_point[0]
            line = lines[row].strip() if row < len(lines) else ""
            if node.type != "lexical_declaration" or "=>" in line or "function" in line:
                entries.append(Entry(row + 1, depth, line.rstrip("{ ").rstrip()))
                inner = depth + 1
            if not any(word in node.type for word in _CONTAINERS):
                continue
        if level < 12:
            stack += [(child, inner, level + 1) for child in reversed(node.children)]
    return entries


def _by_line(text: str) -> list[Entry]:
    entries = []
    for number, (_, line) in enumerate(first_lines(text, 20_000), 1):
        match = _DEFINITION.match(line[:300])
        if match:
            indent = len(match.group(1).expandtabs(4))
            entries.append(Entry(number, min(indent // 4, 4), match.group(2).rstrip("{: ").rstrip()))
    return entries
