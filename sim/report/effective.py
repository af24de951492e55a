"""Settings as they work: what an arm leaves unsaid is its engine's own default, and no difference from saying so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.engine.hermes.settings import settings
from sim.engine.hermes.versions import VERSIONS
from sim.report.view import ArmView


def flat(value: Any, prefix: str = "") -> dict[str, str]:
    """Leaves of nested mappings by dotted path, as text."""
    if not isinstance(value, Mapping):
        return {prefix: "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)}
    found: dict[str, str] = {}
    for key, item in value.items():
        found.update(flat(item, f"{prefix}.{key}" if prefix else str(key)))
    return found


def default(arm: ArmView, path: str) -> str | None:
    """The value that the arm's Hermes takes where nobody sets one; None if it has none or is another engine."""
    version = ".".join(str(arm.row.get("engine_version") or "").split(".")[:2])
    if arm.row.get("engine") != "hermes" or version not in VERSIONS:
        return None
    known = settings(version).get(path)
    if known is None or known.default == "":
        return None
    return flat(known.default, path).get(path)


def differing(arm: ArmView, other: ArmView) -> list[str]:
    """Hermes settings with which two arms really differ; none when an arm is not Hermes.

    Settings that have no effect in either arm do not count; the trigger and the summarising model count once each.
    """
    if any(one.row.get("engine") != "hermes" for one in (arm, other)):
        return []
    mine, theirs = (flat(one.row.get("settings", {})) for one in (arm, other))
    silent = [{str(i["setting"]) for i in one.row.get("ignored_settings", ())} for one in (arm, other)]
    found = []
    for path in dict.fromkeys((*mine, *theirs)):
        values = [own.get(path) or default(one, path) for one, own in ((arm, mine), (other, theirs))]
        # A setting counts unless every arm that gives it says so in vain.
        spoken = [path not in ignored for own, ignored in ((mine, silent[0]), (theirs, silent[1])) if path in own]
        if values[0] != values[1] and any(spoken):
            found.append("auxiliary.compression" if path.startswith("auxiliary.compression.") else path)
    names = [path.removeprefix("compression.") for path in dict.fromkeys(found)]
    # A cap and the ratio that it takes the place of are one change of the trigger.
    return [name for name in names if name != "threshold" or "threshold_tokens" not in names]
