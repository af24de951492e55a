"""ContextEngine plugins, through the package's own mechanisms."""

from __future__ import annotations

import importlib
from typing import Any


def _bundled() -> Any:
    try:
        return importlib.import_module("plugins.context_engine")
    except ImportError:
        return None


def available() -> list[str]:
    """Names of context engines the package can load."""
    finder = getattr(_bundled(), "discover_context_engines", None)
    if finder is None:
        return []
    try:
        return sorted(str(found[0]) for found in finder())
    except Exception:
        return []


def load(name: str) -> Any:
    """A new instance of the named context engine, None when there is none."""
    loader = getattr(_bundled(), "load_context_engine", None)
    if loader is not None:
        engine = loader(name)
        if engine is not None:
            return engine
    try:
        registry = importlib.import_module("hermes_cli.plugins")
        candidate = registry.get_plugin_context_engine()
    except Exception:
        return None
    if candidate is None or candidate.name != name:
        return None
    clone = getattr(candidate, "clone_for_agent", None)
    return clone() if callable(clone) else candidate
