"""Which maker stands behind each name that presets use, and the class of its text."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TypeAlias

from sim.tokens import ContentKind
from sim.workload.synthetic.text import arguments, checks, chinese, code, data, logs, prose
from sim.workload.synthetic.text.arguments import Arguments
from sim.workload.synthetic.text.draft import Draft
from sim.workload.synthetic.text.project import Project

Maker: TypeAlias = Callable[[random.Random, int, Project], Draft]
ArgumentMaker: TypeAlias = Callable[[random.Random, int, Project], Arguments]

RESULTS: Mapping[str, Maker] = {
    "build": checks.build,
    "chat_history": prose.question,
    "csv": data.csv,
    "dataframe": data.dataframe,
    "diff": code.diff,
    "edit_report": logs.edit_report,
    "error": logs.error,
    "file": code.source_file,
    "json_api": data.json_api,
    "listing": logs.listing,
    "log": logs.log,
    "packages": logs.packages,
    "prose_zh": chinese.prose,
    "pytest": checks.pytest_run,
    "report": prose.answer,
    "search_hits": logs.search_hits,
    "short": logs.short,
    "stack_trace": logs.stack_trace,
    "status": logs.status,
    "web_page": prose.web_page,
    "web_search": data.web_search,
}

ARGUMENTS: Mapping[str, ArgumentMaker] = {
    "command": arguments.command,
    "document": arguments.document,
    "edit": arguments.edit,
    "file": arguments.file,
    "path": arguments.path,
    "prompt": arguments.prompt,
    "python": arguments.python,
    "query": arguments.query,
    "todo": arguments.todo,
}

_KINDS = {
    ContentKind.CODE: ("build", "diff", "file", "search_hits", "stack_trace"),
    ContentKind.LOG: ("csv", "dataframe", "log", "packages", "pytest"),
    ContentKind.JSON: ("json_api",),
    ContentKind.CHINESE: ("prose_zh",),
    ContentKind.MARKDOWN: ("web_page",),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}
_ARGUMENT_KIND = {
    "document": ContentKind.PROSE,
    "path": ContentKind.JSON,
    "todo": ContentKind.JSON,
    "query": ContentKind.PROSE,
    "prompt": ContentKind.PROSE,
}


def content_kind(name: str) -> ContentKind:
    """The class of a result's text, which decides the token multiplier."""
    return _KIND_OF.get(name, ContentKind.PROSE)


def argument_kind(style: str, language: str) -> ContentKind:
    """The class of a tool call's arguments."""
    if style == "document" and language == "chinese":
        return ContentKind.CHINESE
    return _ARGUMENT_KIND.get(style, ContentKind.CODE)


def argument_maker(style: str, language: str) -> ArgumentMaker:
    """The maker of a tool call's arguments."""
    return arguments.document_zh if style == "document" and language == "chinese" else ARGUMENTS[style]


def think(language: str) -> Maker:
    """The maker of thinking text."""
    return chinese.thinking if language == "chinese" else prose.thinking


def say(language: str) -> Maker:
    """The maker of answers."""
    return chinese.answer if language == "chinese" else prose.answer


def ask(language: str) -> Maker:
    """The maker of user messages."""
    return chinese.question if language == "chinese" else prose.question
