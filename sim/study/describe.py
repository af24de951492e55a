"""What a run rests on and what each arm's settings came to."""

from __future__ import annotations

import glob
import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sim.engine import EngineInfo, Open
from sim.ledger import Stamp
from sim.scenario import Arm, Replay, Scenario
from sim.study.fleet import FleetPlayer
from sim.study.prepare import Progress, Workbench, transcript_paths
from sim.tokens import token_model
from sim.world.setup import Provider, Setup


def resolve_arm(scenario: Scenario, arm: Arm, bench: Workbench, progress: Progress | None = None) -> EngineInfo:
    """What the arm's engine makes of its settings, without playing a session."""
    setup = bench.setup(scenario, arm, progress)
    return setup.engine.resolve(
        Open(
            session="resolve",
            model=setup.provider.model,
            window=setup.window,
            max_tokens=setup.max_tokens,
            prefix=(),
            settings=setup.settings,
            auxiliary_window=setup.auxiliary.window if setup.auxiliary else None,
            now=scenario.model.at.timestamp(),
        )
    )


def describe_arms(scenario: Scenario, bench: Workbench) -> dict[str, dict[str, Any]]:
    """Per arm: engine, resolved trigger and its rule, ignored settings, window, model."""
    described: dict[str, dict[str, Any]] = {}
    for arm in scenario.arms:
        info = resolve_arm(scenario, arm, bench)
        setup = bench.setup(scenario, arm)
        described[arm.name] = {
            "arm": arm.name,
            "engine": arm.engine.kind,
            "engine_version": info.version,
            "model": setup.provider.model,
            "window": setup.window,
            "trigger_tokens": info.trigger_tokens,
            "trigger_rule": info.trigger_rule,
            "tail_tokens": info.tail_tokens,
            "auxiliary_model": setup.auxiliary.provider.model if setup.auxiliary else None,
            "ignored_settings": [asdict(item) for item in info.ignored],
            "misplaced_settings": dict(arm.misplaced),
            "settings": {k: v for k, v in arm.settings.items() if v},
            "engine_settings": dict(arm.engine_settings),
        }
    return described


def stamp_of(scenario: Scenario, bench: Workbench, progress: Progress | None = None) -> Stamp:
    """Versions, price cards, tokenizer and transcript digests of a scenario."""
    engines: dict[str, str] = {}
    cards: dict[str, dict[str, str]] = {}
    for arm in scenario.arms:
        setup = bench.setup(scenario, arm, progress)
        engines[arm.engine.label] = _engine_version(arm, setup.engine.version)
        for card in (route.card for own in _setups(scenario, arm, bench, setup) for route in _routes(own)):
            cards[f"{card.provider}/{card.model}"] = {
                "model": card.model,
                "provider": card.provider,
                "effective": card.effective,
                "checked": card.checked,
                "source": card.source,
            }
    tokens = token_model(scenario.model.name)
    transcripts: dict[str, str] = {}
    if isinstance(scenario.workload, Replay):
        for written, path in zip(
            scenario.workload.transcripts, transcript_paths(scenario, scenario.workload), strict=True
        ):
            transcripts[written] = _digest(Path(path))
    for arm in scenario.arms:
        if "card" in arm.prices:
            transcripts[str(arm.prices["card"])] = _digest(Path(scenario.prices_of(arm)["card"]))
    return Stamp(
        engines=engines,
        price_cards=tuple(cards[k] for k in sorted(cards)),
        tokenizer={
            "family": tokens.family,
            "encoding": tokens.encoding,
            "confidence": tokens.confidence,
            **({"note": tokens.note} if tokens.note else {}),
        },
        transcripts=transcripts,
    )


def _setups(scenario: Scenario, arm: Arm, bench: Workbench, setup: Setup) -> list[Setup]:
    """The arm, or the arm as each group of a fleet has it."""
    if scenario.fleet is None:
        return [setup]
    player = FleetPlayer(bench, scenario)
    return [player.setup(arm, group) for group in scenario.fleet.groups]


def _routes(setup: Setup) -> list[Provider]:
    """Every model an arm may pay for."""
    summarising = [route.provider for route in (setup.auxiliary, setup.auxiliary_fallback) if route is not None]
    return [setup.provider, *summarising]


def _engine_version(arm: Arm, version: str) -> str:
    """Version, and for a user's own class the digest of its file."""
    if arm.engine.kind != "python" or not arm.engine.python:
        return version
    from sim.engine.factory import source_hash

    return f"{version} ({source_hash(arm.engine.python)[:16]})"


def _digest(path: Path) -> str:
    """SHA-256 of a file, or of all files of a folder or behind a glob in path order."""
    digest = hashlib.sha256()
    if path.is_dir():
        files = sorted(p for p in path.rglob("*") if p.is_file())
    elif path.is_file():
        files = [path]
    else:
        files = sorted(Path(p) for p in glob.glob(str(path), recursive=True))
    for file in files:
        if file.is_file():
            digest.update(file.name.encode("utf-8", "surrogateescape"))
            with file.open("rb") as stream:
                for chunk in iter(lambda: stream.read(1 << 20), b""):
                    digest.update(chunk)
    return digest.hexdigest()
