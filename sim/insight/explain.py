"""`explain`: the trigger, tail and prune gates that will really apply, which rule set each, and what has no effect."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.engine.factory import Progress
from sim.engine.hermes.inert import Situation
from sim.engine.hermes.settings import BLOCKS, Remark, check_blocks
from sim.errors import InputError, UsageError
from sim.insight.diagnose import TOLD_BY_DIAGNOSIS, Said, collapses, diagnose
from sim.insight.gates import Case, Opened, engines_for, gates_row, version_of
from sim.scenario import Arm, EngineSpec, Scenario, load_scenario, looks_like_config
from sim.units import format_tokens, parse_tokens

if TYPE_CHECKING:
    import pandas as pd

    from sim.scenario.reader import Document

WINDOWS = (128_000, 200_000, 260_000, 400_000, 1_000_000)
"""Windows shown for a config that says neither its window nor a model whose window is known."""
ENGINES = ("hermes@0.22",)


@dataclass(frozen=True)
class Explanation:
    """What the settings come to.

    Attributes:
        rows: one for each arm or config, engine and window, as `explain --json` has them.
        ignored: settings without effect, or with another value than written: arm, engine, setting, value, reason,
            where, window (None: on every one).
        misplaced: settings not where Hermes reads them, or not spelt or typed as it does: engine, setting, value,
            status, reason, home, where.
        findings: different settings that come to one trigger.
        diagnosis: everything there is to say about each row, in plain words.
    """

    rows: list[dict[str, Any]]
    ignored: list[dict[str, Any]]
    misplaced: list[dict[str, Any]]
    findings: list[Said]
    diagnosis: list[Said]

    def json(self, *, diagnose: bool = False) -> dict[str, Any]:
        """The document of `explain --json`."""
        document: dict[str, Any] = {
            "schema": 1,
            "rows": self.rows,
            "ignored": self.ignored,
            "misplaced": self.misplaced,
            "findings": [said.as_dict() for said in self.findings],
        }
        if diagnose:
            document["diagnosis"] = [said.as_dict() for said in self.diagnosis]
        return document

    def frame(self) -> pd.DataFrame:
        """The rows as a table."""
        import pandas as pd

        return pd.DataFrame([{k: v for k, v in row.items() if k != "set_by"} for row in self.rows])

    def _repr_html_(self) -> str:
        head = ["arm", "engine", "window", "trigger", "rule", "tail", "kept", "prune at"]
        cells = [
            [
                row["arm"],
                row["engine"],
                format_tokens(row["window"]),
                "never" if row["trigger_tokens"] is None else f"{row['trigger_tokens']:,}",
                row["trigger_rule"],
                *("" if row[k] is None else f"{row[k]:,}" for k in ("tail_tokens", "tail_kept_tokens")),
                f"{row['proactive_prune_tokens']:,}" if row["proactive_prune_tokens"] else "off",
            ]
            for row in self.rows
        ]
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in cells)
        notes = "".join(f"<li>{html.escape(said.text)}</li>" for said in self.findings)
        return f"<table><tr>{''.join(f'<th>{h}</th>' for h in head)}</tr>{body}</table>" + (
            f"<ul>{notes}</ul>" if notes else ""
        )


def explain(
    source: Scenario | Mapping[str, Any] | str | os.PathLike[str],
    *,
    windows: Sequence[int | str] = (),
    engines: Sequence[str] = (),
    overrides: Sequence[str] = (),
    opened: Opened | None = None,
    progress: Progress | None = None,
) -> Explanation:
    """What a scenario's arms, or a Hermes config, come to in the real engines.

    Args:
        source: a scenario (loaded or a path), or a Hermes config (a path or plain blocks).
        windows: context windows (`260K`); by default each arm's own, or the config's.
        engines: `hermes@0.19`, `none`, …; by default each arm's own, or hermes@0.22 for a config.
        overrides: `path=value` each, when `source` is a path.
        opened: engines to use and leave open, by spec; others are opened and closed here.
        progress: told of an engine's installation.

    Raises:
        InputError: a missing or invalid file.
        UsageError: a window or an engine that is none.
        EngineError: an engine is missing or refuses the settings.
    """
    sizes = [_window(one) for one in windows]
    specs = [_engine(one) for one in engines]
    misplaced: list[dict[str, Any]] = []
    if isinstance(source, Scenario):
        cases = _of_scenario(source, sizes, specs)
    elif isinstance(source, Mapping):
        cases, misplaced = _of_blocks(source, sizes, specs)
    else:
        cases, misplaced = _of_file(Path(source), sizes, specs, overrides)
    return explain_cases(cases, misplaced, opened=opened, progress=progress)


def explain_cases(
    cases: Sequence[Case],
    misplaced: Sequence[dict[str, Any]] = (),
    *,
    opened: Opened | None = None,
    progress: Progress | None = None,
) -> Explanation:
    """The same for any combinations of settings, windows and engines at once."""
    rows: list[dict[str, Any]] = []
    without: list[dict[str, Any]] = []
    diagnosis: list[Said] = []
    with engines_for([case.engine for case in cases], opened, progress) as found:
        infos = [found[case.engine.model_dump_json()].resolve(case.request()) for case in cases]
    for case, info in zip(cases, infos, strict=True):
        rows.append(gates_row(case, info))
        diagnosis += diagnose(case, info)
        reported = set()
        version = version_of(case, info)
        if version:
            situation = Situation(case.window, case.max_tokens, None if case.model == "unknown" else case.model)
            judged = check_blocks(version, case.settings, situation)
            for one in (*judged.ignored, *judged.limited):
                reported.add(one.setting)
                without.append(_ignored(case, one.setting, one.value, one.reason))
        without += [
            _ignored(case, one.setting, one.value, one.reason) for one in info.ignored if one.setting not in reported
        ]
    merged = _merge_windows(without, {case.window for case in cases})
    diagnosis += [
        Said("warning", "ignored", one["arm"], one["engine"], one["window"], f"{one['setting']}: {one['reason']}")
        for one in merged
        if one["setting"] not in TOLD_BY_DIAGNOSIS or "no such setting" in one["reason"]
    ]
    diagnosis += [
        Said("warning", "ignored", "", one["engine"], None, f"{one['setting']}: {one['reason']}") for one in misplaced
    ]
    return Explanation(rows, merged, list(misplaced), collapses(rows), diagnosis)


def _ignored(case: Case, setting: str, value: str, reason: str) -> dict[str, Any]:
    return {
        "arm": case.arm,
        "engine": case.engine.label,
        "setting": setting,
        "value": value,
        "reason": reason,
        "where": case.origins.get(setting),
        "window": case.window,
    }


def _merge_windows(items: Iterable[dict[str, Any]], windows: set[int]) -> list[dict[str, Any]]:
    """One entry, with window None, for what is the same on every window."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for item in items:
        groups.setdefault(tuple(v for k, v in item.items() if k != "window"), []).append(item)
    merged: list[dict[str, Any]] = []
    for same in groups.values():
        everywhere = len({item["window"] for item in same}) == len(windows)
        merged += [{**same[0], "window": None}] if everywhere else same
    return merged


# sources ------------------------------------------------------------------------------------------------------------


def _window(text: int | str) -> int:
    try:
        size = parse_tokens(text)
    except ValueError as error:
        raise UsageError(f"--windows: {error}", remedy="write for example --windows 200K,1M") from None
    if size <= 0:
        raise UsageError(f"--windows: a window of {size} tokens", remedy="write for example --windows 200K,1M")
    return size


def _engine(text: str) -> EngineSpec:
    from sim.scenario.engines import EngineFormError, parse_engine

    try:
        return parse_engine(text)
    except EngineFormError as error:
        raise UsageError(f"--engine {text}: {error}", remedy=error.remedy) from None


def _of_scenario(scenario: Scenario, sizes: Sequence[int], specs: Sequence[EngineSpec]) -> list[Case]:
    cases = []
    for arm in scenario.arms:
        for spec in specs or (arm.engine,):
            for window in sizes or (_own_window(arm),):
                settings = {**arm.settings, **arm.engine_settings}
                cases.append(
                    Case(
                        arm=arm.name,
                        engine=spec,
                        window=window,
                        settings=settings,
                        model=arm.model.name,
                        max_tokens=arm.model.max_tokens,
                        auxiliary_window=_auxiliary_window(
                            settings, arm.model.name, scenario.workload.auxiliary.window
                        ),
                        origins=arm.origins,
                    )
                )
    return cases


def _own_window(arm: Arm) -> int:
    window = arm.model.window or _model_window(arm.model.name)
    if window is None:
        raise InputError(
            f"the context window of model {arm.model.name!r} is not known",
            remedy="set `model.window`, or give --windows",
        )
    return window


def _model_window(name: str) -> int | None:
    """The window that the price cards know for a model."""
    from datetime import UTC, datetime

    from sim.provider import profile

    try:
        return profile(name, as_of=datetime(2026, 12, 1, tzinfo=UTC), cache={}, prices={}).window
    except InputError:
        return None


def _auxiliary_window(settings: Mapping[str, Any], main: str, behaviour: int | None) -> int | None:
    """Window of the summarising model: as configured, or of the model named; the main model's is never the smaller."""
    block = (settings.get("auxiliary") or {}).get("compression") or {}
    configured = block.get("context_length")
    if behaviour is not None:
        return behaviour
    if isinstance(configured, int) and configured > 0:
        return configured
    name = str(block.get("model") or "")
    return _model_window(name) if name and name != main else None


def _of_file(
    path: Path, sizes: Sequence[int], specs: Sequence[EngineSpec], overrides: Sequence[str]
) -> tuple[list[Case], list[dict[str, Any]]]:
    from sim.scenario.override import apply_overrides
    from sim.scenario.reader import read_file

    document = read_file(path, strict=False)
    if not looks_like_config(document.data):
        return _of_scenario(load_scenario(path, overrides=tuple(overrides)), sizes, specs), []
    apply_overrides(document, overrides)
    return _of_config(document, path.name, sizes, specs)


def _of_blocks(
    blocks: Mapping[str, Any], sizes: Sequence[int], specs: Sequence[EngineSpec]
) -> tuple[list[Case], list[dict[str, Any]]]:
    import copy

    from sim.scenario.reader import Document

    return _of_config(Document("settings", copy.deepcopy(dict(blocks))), "settings", sizes, specs)


def _of_config(
    document: Document, name: str, sizes: Sequence[int], specs: Sequence[EngineSpec]
) -> tuple[list[Case], list[dict[str, Any]]]:
    cases: list[Case] = []
    misplaced: list[dict[str, Any]] = []
    for spec in specs or tuple(_engine(one) for one in ENGINES):
        version = spec.version if spec.kind == "hermes" else None
        judged = check_blocks(version or "0.22", document.data)

        def place(path: str) -> str | None:
            where = document.where(tuple(path.split(".")), key=True)
            return str(where) if document.places else None

        for status in ("misplaced", "renamed", "unknown", "wrong_type"):
            remarks: tuple[Remark, ...] = getattr(judged, status) if spec.kind == "hermes" else ()
            misplaced += [_misplaced(spec, status, one, place(one.path)) for one in remarks]
        # Only what is well-formed reaches the engine; a value of the wrong type would be coerced or refused.
        wrong = {one.path for one in judged.wrong_type}
        blocks = {b: _without(document.data[b], b, wrong) for b in BLOCKS if isinstance(document.data.get(b), Mapping)}
        origins = {path: where for path in _paths(blocks, "") if (where := place(path))}
        model = blocks.get("model", {})
        named = document.data.get("model")
        main = str(named if isinstance(named, str) else model.get("default") or "") or "unknown"
        own = model.get("context_length") or (_model_window(main) if main != "unknown" else None)
        base = Case(
            arm=name,
            engine=spec,
            window=own or WINDOWS[0],
            settings=blocks,
            model=main,
            max_tokens=model.get("max_tokens") or None,
            auxiliary_window=_auxiliary_window(blocks, main, None),
            origins=origins,
        )
        cases += [replace(base, window=window) for window in (sizes or ((own,) if own else WINDOWS))]
    return cases, misplaced


def _misplaced(spec: EngineSpec, status: str, remark: Remark, where: str | None) -> dict[str, Any]:
    return {
        "engine": spec.label,
        "setting": remark.path,
        "value": remark.value,
        "status": status.replace("_", " "),
        "reason": remark.reason,
        "home": remark.home,
        "where": where,
    }


def _without(node: Mapping[str, Any], at: str, wrong: set[str]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in node.items():
        path = f"{at}.{key}"
        if path not in wrong:
            kept[str(key)] = _without(value, path, wrong) if isinstance(value, Mapping) else value
    return kept


def _paths(node: Mapping[str, Any], at: str) -> list[str]:
    found: list[str] = []
    for key, value in node.items():
        path = f"{at}.{key}" if at else str(key)
        found += _paths(value, path) if isinstance(value, Mapping) and value else [path]
    return found
