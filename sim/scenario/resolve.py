"""From a validated scenario file to the frozen `Scenario`: defaults, config files and arms merged, values traced."""

from __future__ import annotations

import difflib
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from sim.engine.hermes.settings import settings as known_settings
from sim.errors import ConfigError
from sim.scenario.blocks import check_blocks
from sim.scenario.config import RULES, read_config
from sim.scenario.engines import NEEDS_TEXT, EngineFormError, parse_engine
from sim.scenario.file import ArmFile, ScenarioFile
from sim.scenario.finding import Finding, Path, dotted
from sim.scenario.hermes_keys import BY_PATH
from sim.scenario.model import Arm, EngineSpec, ModelSpec, Scenario, Synthetic
from sim.scenario.own_blocks import OWN_BLOCKS, check_own_block
from sim.scenario.reader import Document

HERMES_BLOCKS = ("compression", "auxiliary", "memory", "prompt_caching")
DEFAULT_ENGINE = "hermes@0.22"
_NAME = re.compile(r"[\w.+@%-]([\w.+@% -]*[\w.+@%-])?")


def resolve(
    file: ScenarioFile, document: Document, *, name: str, source: str, base_dir: str
) -> tuple[Scenario | None, list[Finding]]:
    """Build the scenario.

    Returns:
        (scenario, findings); the scenario is None when a finding is an error.
    """
    findings: list[Finding] = []
    arms = [_Arm(file, document, arm, findings, base_dir).build() for arm in file.arms]
    baseline = file.baseline or next(iter(file.arms))
    if baseline not in file.arms:
        near = difflib.get_close_matches(baseline, list(file.arms), n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'? " if near else ""
        findings.append(
            Finding(
                "error",
                f"baseline '{baseline}' is not an arm",
                document.where(("baseline",)),
                ("baseline",),
                None,
                f"{hint}there are {', '.join(file.arms)}",
            )
        )
    findings += _check_fleet(file, document)
    if any(f.level == "error" for f in findings):
        return None, findings
    given: dict[str, Any] = {}
    if "replications" in file.model_fields_set:
        given["replications"] = file.replications
    scenario = Scenario(
        name=name,
        title=file.title or name,
        seed=file.seed,
        model=file.model,
        workload=file.workload,
        fleet=file.fleet,
        baseline=baseline,
        arms=tuple(a for a in arms if a is not None),
        source=source,
        base_dir=base_dir,
        **given,
    )
    return scenario, findings


def _check_fleet(file: ScenarioFile, document: Document) -> list[Finding]:
    """Sessions of a fleet are drawn from presets."""
    if file.fleet is None or isinstance(file.workload, Synthetic):
        return []
    path: Path = ("workload", "kind")
    return [
        Finding(
            "error",
            f"a fleet's sessions are drawn from presets, and the workload is a {file.workload.kind}",
            document.where(path),
            path,
            None,
            "remove `fleet`, or take `workload: {kind: synthetic, preset: coding-2026}`",
        )
    ]


class _Arm:
    """One arm on its way: layers are laid over each other, each value with its origin."""

    def __init__(
        self, file: ScenarioFile, document: Document, name: str, findings: list[Finding], base_dir: str
    ) -> None:
        self.file = file
        self.document = document
        self.name = name
        self.findings = findings
        self.base_dir = FilePath(base_dir)
        self.path: Path = ("arms", name)
        self.settings: dict[str, Any] = {}
        self.own: dict[str, Any] = {}
        self.provider_cache = dict(file.provider_cache)
        self.prices = dict(file.prices)
        self.origins: dict[str, str] = {}
        self.misplaced: dict[str, str] = {}
        self.model = file.model.model_dump(exclude_none=True)

    def error(self, message: str, path: Path, remedy: str, *, rule: str | None = None, key: bool = False) -> None:
        self.findings.append(Finding("error", message, self.document.where(path, key=key), path, rule, remedy))

    def warn(self, message: str, path: Path, remedy: str | None, *, rule: str | None = None) -> None:
        self.findings.append(Finding("warning", message, self.document.where(path, key=True), path, rule, remedy))

    def build(self) -> Arm | None:
        if not _NAME.fullmatch(self.name) or len(self.name) > 60:
            self.error(
                f"arm name '{self.name}' cannot be used",
                self.path,
                "use up to 60 letters, digits and . _ - + @ %",
                key=True,
            )
            return None
        arm, defaults = self.file.arms[self.name], self.file.defaults
        engine = self.engine(arm, defaults)
        if engine is None:
            return None
        self.origin_model(("model",))
        for layer, path in ((defaults, ("defaults",)), (arm, self.path)):
            if layer is not None:
                self.lay(layer, path, engine)
        self.check_engine(engine, arm)
        for block in OWN_BLOCKS:
            if block in self.own:
                self.findings += check_own_block(block, self.own[block], self.document, self.path)
        self.origin_defaults(engine)
        card = self.prices.get("card")
        if isinstance(card, str):
            self.prices["card"] = str(self.base_dir / os.path.expanduser(card))
        return Arm(
            name=self.name,
            engine=engine,
            model=ModelSpec.model_validate(self.model),
            settings=self.settings,
            engine_settings=self.own,
            provider_cache=self.provider_cache,
            prices=self.prices,
            origins=self.origins,
            misplaced=self.misplaced,
        )

    # engine -----------------------------------------------------------------------------------------------------

    def engine(self, arm: ArmFile, defaults: ArmFile | None) -> EngineSpec | None:
        form, path = DEFAULT_ENGINE, (*self.path, "engine")
        if arm.engine is not None:
            form = arm.engine
        elif defaults is not None and defaults.engine is not None:
            form, path = defaults.engine, ("defaults", "engine")
        self.origins["engine"] = (
            str(self.document.where(path)) if path in self.document.places else "the default engine"
        )
        try:
            spec = parse_engine(form)
        except EngineFormError as error:
            self.error(str(error), path, error.remedy)
            return None
        if spec.kind == "hermes" and spec.python:
            return self.interpreter(spec, path)
        return spec

    def interpreter(self, spec: EngineSpec, path: Path) -> EngineSpec | None:
        written = spec.python or ""
        if not any(c in written for c in "/\\~"):
            found = shutil.which(written)
        else:
            # Symbolic links stay: a virtual environment's python is one, and means the environment.
            joined = os.path.abspath(self.base_dir / os.path.expanduser(written))
            found = joined if os.path.isfile(joined) else None
        if found is None:
            self.error(
                f"there is no interpreter '{written}'", path, "give the path of the python that runs your Hermes"
            )
            return None
        return spec.model_copy(update={"python": found})

    def check_engine(self, engine: EngineSpec, arm: ArmFile) -> None:
        path = (*self.path, "engine")
        if engine.kind in NEEDS_TEXT and self.file.workload.kind == "curve":
            self.error(
                f"engine {engine.label} of arm '{self.name}' needs text, and a curve has token counts only",
                path if path in self.document.places else self.path,
                "take engine none or parametric, or a synthetic or replayed workload",
            )
        if engine.kind in NEEDS_TEXT and self.file.fleet is not None and self.file.fleet.mode == "tokens":
            self.error(
                f"engine {engine.label} of arm '{self.name}' needs text, and the fleet has token counts only",
                path if path in self.document.places else self.path,
                "set `fleet.mode: sample`, which plays some sessions of each group as text; or take engine parametric",
            )
        if engine.kind != "hermes":
            for block in HERMES_BLOCKS[:1]:
                if getattr(arm, block):
                    self.warn(f"engine {engine.label} does not read `{block}`", (*self.path, block), None)
        for block in OWN_BLOCKS:
            if getattr(arm, block) and engine.kind != block:
                self.warn(
                    f"engine {engine.label} does not read `{block}`", (*self.path, block), f"set `engine: {block}`"
                )

    # layers -----------------------------------------------------------------------------------------------------

    def lay(self, layer: ArmFile, path: Path, engine: EngineSpec) -> None:
        if layer.config is not None:
            self.lay_config(layer.config, (*path, "config"), engine)
        blocks = {name: getattr(layer, name) for name in HERMES_BLOCKS if getattr(layer, name)}
        self.check_blocks(blocks, path, engine)
        merge(self.settings, blocks, self.origins, lambda p: str(self.document.where((*path, *p), key=True)))
        own = {name: getattr(layer, name) for name in OWN_BLOCKS if getattr(layer, name)}
        merge(self.own, own, self.origins, lambda p: str(self.document.where((*path, *p), key=True)))
        merge(self.provider_cache, layer.provider_cache, {}, str)
        merge(self.prices, layer.prices, {}, str)
        if layer.model is not None:
            given = layer.model.model_dump(exclude_none=True)
            hermes_window = given.pop("context_length", None)
            if hermes_window is not None:
                given.setdefault("window", hermes_window)
            self.model.update(given)
            self.origin_model((*path, "model"))

    def origin_model(self, path: Path) -> None:
        for place in [p for p in self.document.places if p[:-1] == path]:
            key = "window" if place[-1] == "context_length" else place[-1]
            self.origins[f"model.{key}"] = str(self.document.where(place, key=True))

    def origin_defaults(self, engine: EngineSpec) -> None:
        """Settings that nobody wrote come from the engine version's own defaults."""
        if engine.kind == "hermes" and engine.version is not None:
            for path, setting in known_settings(engine.version).items():
                if path in BY_PATH and setting.default is not None:
                    self.origins.setdefault(path, f"default of {engine.label}")

    def lay_config(self, written: str, path: Path, engine: EngineSpec) -> None:
        file = self.base_dir / os.path.expanduser(written)
        try:
            config = read_config(file, self.version(engine))
        except ConfigError as error:
            self.error(f"config '{written}': {error.message}", path, error.remedy or "check the path")
            if error.where and error.where.line:
                self.findings[-1] = Finding("error", error.message, error.where, path, error.rule, error.remedy)
            return
        self.findings += config.findings
        self.misplaced.update(config.misplaced)
        model = config.settings.pop("model", {})
        merge(self.settings, config.settings, self.origins, lambda p: config.origins.get(dotted(p), str(file)))
        for hermes, ours in (("context_length", "window"), ("max_tokens", "max_tokens")):
            value = model.get(hermes)
            if not isinstance(value, int) or value <= 0 or self.origins.get(f"model.{ours}", "").startswith("--set "):
                continue
            here = config.origins[f"model.{hermes}"]
            if ours == "window" and self.file.model.window not in (None, value) and not self.window_of_its_own():
                self.warn(
                    f"arm '{self.name}' plays with the window of its config, {value:,} ({here}), and not with the"
                    f" scenario's {self.file.model.window:,}: it is compared with arms of another window",
                    path,
                    f"write `model: {{window: {value}}}` for the scenario, or for this arm the window meant",
                )
            self.model[ours] = value
            self.origins[f"model.{ours}"] = here

    def window_of_its_own(self) -> bool:
        """Whether the arm says its window itself, over whatever its config says."""
        model = self.file.arms[self.name].model
        return model is not None and bool(model.model_dump(exclude_none=True).keys() & {"window", "context_length"})

    def version(self, engine: EngineSpec) -> str:
        """Whose keys the blocks take; the newest version's for an interpreter of the user's and for other engines."""
        return engine.version or "0.22"

    def check_blocks(self, blocks: Mapping[str, Any], path: Path, engine: EngineSpec) -> None:
        for line in check_blocks(blocks, self.version(engine)):
            here = (*path, *line.path)
            if line.status == "ignored":
                self.warn(f"`{line.name}`: {line.why}", here, line.remedy, rule="ignored")
            elif line.status == "skipped":
                self.warn(f"`{line.name}` has no effect here: {line.why}", here, None)
            elif line.status == "wrong type":
                self.error(line.why, here, line.remedy or "")
            elif line.status != "works":
                self.error(f"`{line.name}`: {line.why}", here, line.remedy or "", rule=RULES[line.status], key=True)


def merge(into: dict[str, Any], new: Mapping[str, Any], origins: dict[str, str], origin: Any, at: Path = ()) -> None:
    """Lay `new` over `into`; mappings merge, anything else replaces. `origins` notes every leaf's origin."""
    for key, value in new.items():
        path = (*at, key)
        if isinstance(value, Mapping) and value:
            if not isinstance(into.get(key), dict):
                into[key] = {}
            merge(into[key], value, origins, origin, path)
        else:
            into[key] = value
            origins[dotted(path)] = origin(path)
