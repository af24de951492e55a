"""What settings really come to: many combinations of settings, window and engine, resolved by the real engines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sim.engine import Engine, EngineInfo, Open
from sim.engine.factory import Progress, open_engine
from sim.engine.hermes.settings import defaults, merge
from sim.engine.hermes.versions import VERSIONS
from sim.scenario import EngineSpec

HYGIENE_SHARE = 0.85
"""Share of the window at which a messaging gateway compacts before a message (both versions, read in their code)."""

SHOWN = (
    "threshold",
    "threshold_tokens",
    "target_ratio",
    "tail_mode",
    "protect_first_n",
    "protect_last_n",
    "max_attempts",
    "proactive_prune_tokens",
    "proactive_prune_min_result_chars",
    "proactive_prune_min_reclaim_tokens",
    "idle_compact_after_seconds",
    "hygiene_hard_message_limit",
)
"""Settings of `compression` whose value in effect and origin are told."""


@dataclass(frozen=True, slots=True)
class Case:
    """One combination to resolve.

    Attributes:
        arm: name of the arm or config, for the row.
        settings: blocks for the engine, as an arm holds them.
        origins: dotted setting → where it was set.
    """

    arm: str
    engine: EngineSpec
    window: int
    settings: Mapping[str, Any]
    model: str = "unknown"
    max_tokens: int | None = None
    auxiliary_window: int | None = None
    origins: Mapping[str, str] = field(default_factory=dict)

    def request(self) -> Open:
        """As an engine is asked."""
        return Open(
            session="explain",
            model=self.model,
            window=self.window,
            max_tokens=self.max_tokens,
            prefix=(),
            settings=self.settings,
            auxiliary_window=self.auxiliary_window,
        )


Opened = dict[str, Engine]
"""Engines by the JSON of their spec, kept over several questions."""


@contextmanager
def engines_for(specs: Sequence[EngineSpec], opened: Opened | None, progress: Progress | None) -> Iterator[Opened]:
    """Engines of all specs; those not in `opened` are closed at the end.

    Raises:
        EngineError: an engine is missing or does not start.
    """
    mine: Opened = {}
    given = opened or {}
    for spec in specs:
        key = spec.model_dump_json()
        if key not in given and key not in mine:
            mine[key] = open_engine(spec, progress=progress)
    try:
        _start_hosts(list(mine.values()))
        yield {**given, **mine}
    finally:
        for engine in mine.values():
            engine.close()


def _start_hosts(engines: Sequence[Engine]) -> None:
    """Start the Hermes hosts side by side; each takes about a second to import its package."""
    from concurrent.futures import ThreadPoolExecutor

    starts = [start for engine in engines if (start := getattr(engine, "running", None)) is not None]
    if len(starts) > 1:
        with ThreadPoolExecutor(len(starts)) as pool:
            for done in [pool.submit(start) for start in starts]:
                done.result()


def resolve_cases(
    cases: Sequence[Case], *, opened: Opened | None = None, progress: Progress | None = None
) -> list[EngineInfo]:
    """What each case comes to, in order; one engine for all cases of a spec, about a millisecond a case.

    Raises:
        EngineError: an engine is missing, fails, or refuses the settings.
    """
    with engines_for([case.engine for case in cases], opened, progress) as engines:
        return [engines[case.engine.model_dump_json()].resolve(case.request()) for case in cases]


def gates_row(case: Case, info: EngineInfo) -> dict[str, Any]:
    """One row of `explain --json`; keys are always the same, None where an engine has no such thing."""
    hermes = case.engine.kind == "hermes"
    details = dict(info.details)
    compression = _in_effect(case, info) if hermes else {}
    trigger = info.trigger_tokens
    first, last = details.get("protect_first_n"), details.get("protect_last_n")
    rows_gate = first + last + 1 if isinstance(first, int) and isinstance(last, int) else None
    prune = details.get("proactive_prune_tokens") or 0
    return {
        "arm": case.arm,
        "engine": case.engine.label,
        "engine_version": details.get("package", info.version),
        "window": case.window,
        "threshold": compression.get("threshold"),
        "threshold_tokens": compression.get("threshold_tokens"),
        "max_tokens": details.get("max_tokens", case.max_tokens),
        "trigger_tokens": trigger,
        "trigger_rule": info.trigger_rule,
        "trigger_share": None if trigger is None else round(trigger / case.window, 6),
        "trigger_ratio_used": details.get("threshold_percent"),
        "tail_tokens": info.tail_tokens,
        "tail_kept_tokens": info.tail_kept_tokens,
        "tail_mode": details.get("tail_mode"),
        "target_ratio": compression.get("target_ratio"),
        "landing_tokens": details.get("landing_tokens", details.get("target_tokens")),
        "protect_first_n": first,
        "protect_last_n": last,
        "max_attempts": details.get("max_attempts"),
        "proactive_prune_tokens": prune,
        "proactive_prune_min_result_chars": details.get("proactive_prune_min_result_chars") if prune else None,
        "proactive_prune_min_reclaim_tokens": details.get("proactive_prune_min_reclaim_tokens") if prune else None,
        "proactive_prune_above_rows": rows_gate if prune else None,
        "idle_compact_after_seconds": details.get("idle_compact_after_seconds") or 0,
        "idle_floor_tokens": details.get("idle_floor_tokens"),
        "hygiene_tokens": int(case.window * HYGIENE_SHARE) if hermes and trigger is not None else None,
        "hygiene_hard_message_limit": details.get("hygiene_hard_message_limit") if trigger is not None else None,
        "auxiliary_window": details.get("auxiliary_window", case.auxiliary_window),
        "agent_refuses_window": bool(details.get("agent_refuses_window", False)),
        "set_by": {key: _origin(case, key) for key in SHOWN if key in compression},
    }


def version_of(case: Case, info: EngineInfo | None = None) -> str | None:
    """The Hermes version whose settings a case speaks, None for other engines and unknown releases."""
    label = case.engine.version or (info.version if info else None)
    return label if case.engine.kind == "hermes" and label in VERSIONS else None


def _in_effect(case: Case, info: EngineInfo) -> dict[str, Any]:
    given = case.settings.get("compression")
    given = given if isinstance(given, Mapping) else {}
    version = version_of(case, info)
    if version is None:
        return dict(given)
    base = defaults(version)["compression"]
    merged: dict[str, Any] = merge(base, {key: value for key, value in given.items() if key in base})
    return merged


def _origin(case: Case, key: str) -> str:
    path = f"compression.{key}"
    if path in case.origins:
        return case.origins[path]
    given = case.settings.get("compression") or {}
    return "given" if key in given else f"default of {case.engine.label}"
