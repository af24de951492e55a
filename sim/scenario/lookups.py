"""Checks of a scenario against what exists outside its file: price cards, presets, transcripts, users' own classes."""

from __future__ import annotations

import os
from pathlib import Path as FilePath
from typing import Any

from sim.errors import InputError, ManyErrors
from sim.scenario.finding import Finding, Path
from sim.scenario.model import Arm, ModelSpec, Replay, Scenario, Synthetic
from sim.scenario.reader import Document


def check_lookups(scenario: Scenario, document: Document) -> list[Finding]:
    """Everything a scenario names that is not there."""
    return [*_models(scenario, document), *_workload(scenario, document), *_fleet(scenario, document)]


def _failed(error: InputError, document: Document, path: Path) -> list[Finding]:
    """An error of another room, told at the place in the scenario that led to it."""
    parts = error.errors if isinstance(error, ManyErrors) else [error]
    where = document.where(path)
    found = []
    for part in parts:
        message = f"{part.where}: {part.message}" if part.where else part.message
        found.append(Finding("error", message, where, path, part.rule, part.remedy))
    return found


def _models(scenario: Scenario, document: Document) -> list[Finding]:
    from sim.provider import profile

    found: list[Finding] = []
    seen: set[str] = set()
    for arm in scenario.arms:
        for spec, cache, prices, path in _named(arm, scenario.prices_of(arm), document):
            key = repr((spec, sorted(cache.items()), sorted(prices.items())))
            if key in seen:
                continue
            seen.add(key)
            try:
                known = profile(spec.name, as_of=spec.at, cache=cache, prices=prices)
            except InputError as error:
                found += _failed(error, document, _at_fault(spec, cache, prices, path, arm, document))
                continue
            if path[-1] == "name" and spec.window is None and known.window is None:
                found.append(
                    Finding(
                        "error",
                        f"the context window of model '{spec.name}' is not known",
                        document.where(path),
                        path,
                        None,
                        "add `window: 200K` (in tokens) beside the name",
                    )
                )
    return found


def _at_fault(
    spec: ModelSpec, cache: dict[str, Any], prices: dict[str, Any], path: Path, arm: Arm, document: Document
) -> Path:
    """Which of name, `prices` and `provider_cache` a failure comes from: the block without which it goes away."""
    from sim.provider import profile

    for block, given in (("provider_cache", cache), ("prices", prices)):
        if not given:
            continue
        try:
            profile(spec.name, as_of=spec.at, cache=cache if block == "prices" else {})
        except InputError:
            if block == "provider_cache":
                continue
        for place in (("arms", arm.name, block), ("defaults", block), (block,)):
            if place in document.places:
                return place
    return path


def _named(
    arm: Arm, prices: dict[str, Any], document: Document
) -> list[tuple[ModelSpec, dict[str, Any], dict[str, Any], Path]]:
    """The main and the summarising model of an arm, each with the place that names it."""
    own: Path = ("arms", arm.name, "model", "name")
    main: Path = own if own in document.places else ("model", "name")
    if ("defaults", "model", "name") in document.places and main != own:
        main = ("defaults", "model", "name")
    named = [(arm.model, arm.provider_cache, prices, main)]
    block = (arm.settings.get("auxiliary") or {}).get("compression") or {}
    auxiliary = str(block.get("model") or "")
    if auxiliary:
        inner = ("auxiliary", "compression", "model")
        path: Path = ("arms", arm.name, *inner)
        if path not in document.places and ("defaults", *inner) in document.places:
            path = ("defaults", *inner)
        named.append((ModelSpec(name=auxiliary, as_of=arm.model.as_of), {}, {}, path))
    return named


def _workload(scenario: Scenario, document: Document) -> list[Finding]:
    workload = scenario.workload
    if scenario.fleet is not None and ("workload",) not in document.places and document.places:
        return []  # it is the first group's, and is told there
    base = FilePath(scenario.base_dir)
    if isinstance(workload, Synthetic):
        from sim.workload import load_preset

        try:
            load_preset(workload.preset, base_dir=base, overrides=workload.set)
        except InputError as error:
            path: Path = ("workload", "set") if workload.set and "there is no preset" not in str(error) else ()
            return _failed(error, document, path or ("workload", "preset"))
    if isinstance(workload, Replay):
        return [
            Finding(
                "error",
                f"there is no transcript '{written}'",
                document.where(("workload", "transcripts", i)),
                ("workload", "transcripts", i),
                None,
                "check the path; relative ones start at the scenario's folder",
            )
            for i, written in enumerate(workload.transcripts)
            if not os.path.exists(base / os.path.expanduser(written))
        ]
    return []


def _fleet(scenario: Scenario, document: Document) -> list[Finding]:
    """Presets and models of the groups, and the fallback model."""
    from sim.provider import profile
    from sim.workload import load_preset, require_room

    fleet, found = scenario.fleet, list[Finding]()
    if fleet is None:
        return found
    named: list[tuple[str, int | None, Path]] = []
    for i, group in enumerate(fleet.groups):
        path: Path = ("fleet", "groups", i)
        window = scenario.model.window
        if group.model is not None:
            window = group.model.window
            named.append((group.model.name, window, (*path, "model", "name")))
        if group.workload is not None:
            own = group.drawn_from(scenario.workload)
            try:
                preset = load_preset(own.preset, base_dir=FilePath(scenario.base_dir), overrides=own.set)
                if window is not None:
                    require_room(preset, window)
            except InputError as error:
                found += _failed(error, document, (*path, "workload"))
    fallback = fleet.account.auxiliary.fallback
    if fallback is not None:
        named.append((fallback, 1, ("fleet", "account", "auxiliary", "fallback")))
    for name, window, path in named:
        try:
            known = profile(name, as_of=scenario.model.at)
        except InputError as error:
            found += _failed(error, document, path)
            continue
        if window is None and known.window is None:
            found.append(
                Finding(
                    "error",
                    f"the context window of model '{name}' is not known",
                    document.where(path),
                    path,
                    None,
                    "add `window: 200K` (in tokens) beside the name",
                )
            )
    return found
