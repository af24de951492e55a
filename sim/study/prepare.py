"""From a scenario's arm to what the world plays with; from its workload to scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.engine import Engine
from sim.engine.factory import open_engine
from sim.errors import ScenarioError, UsageError
from sim.history import RowMaker
from sim.provider import AuxiliaryBehaviour, Profile, profile
from sim.scenario import Arm, Curve, ModelSpec, Replay, Scenario, Synthetic
from sim.streams import Streams
from sim.tokens import TokenModel, token_model
from sim.units import parse_seconds
from sim.workload import draw, draw_curve, load_preset, require_room, summary_text
from sim.workload.script import Script
from sim.world import AuxiliaryRoute, KeepAlive, Setup

Progress = Callable[[str, int, int, str], None]
"""Called with (event, done, total, label); events are `engine`, `draw`, `session`, `report`."""

DEFAULT_MEMORY = (2_200, 1_375)
"""Hermes's default `memory_char_limit` and `user_char_limit`, characters."""


class Workbench:
    """Opens engines, profiles and token counters once and keeps them for many replications; one per process."""

    def __init__(self) -> None:
        self._engines: dict[str, Engine] = {}
        self._profiles: dict[str, Profile] = {}
        self._makers: dict[str, RowMaker] = {}
        self._imported: dict[str, list[Script]] = {}

    def engine(self, arm: Arm, progress: Progress | None = None) -> Engine:
        """The arm's engine, shared by arms that name the same one."""
        key = arm.engine.model_dump_json()
        if key not in self._engines:
            self._engines[key] = open_engine(arm.engine, progress=progress)
        return self._engines[key]

    def profile(self, spec: ModelSpec, cache: Mapping[str, Any], prices: Mapping[str, Any]) -> Profile:
        """A model's cache and prices at the scenario's date."""
        key = repr((spec.name, spec.as_of, sorted(cache.items()), sorted(prices.items())))
        if key not in self._profiles:
            self._profiles[key] = profile(spec.name, as_of=spec.at, cache=cache, prices=prices)
        return self._profiles[key]

    def maker(self, model: str) -> RowMaker:
        """Token counts of a model's family, shared by models of one family."""
        tokens: TokenModel = token_model(model)
        if tokens.family not in self._makers:
            self._makers[tokens.family] = RowMaker(tokens)
        return self._makers[tokens.family]

    def setup(self, scenario: Scenario, arm: Arm, progress: Progress | None = None) -> Setup:
        """Everything one arm plays with."""
        arm = arm.model_copy(update={"prices": scenario.prices_of(arm)})
        cache, keep_alive, prewarm = _behaviour(arm)
        main = self.profile(arm.model, cache, arm.prices)
        window = arm.model.window or main.window
        if window is None:
            raise ScenarioError(
                f"the context window of model {arm.model.name!r} is not known", remedy="set `model.window`"
            )
        if isinstance(scenario.workload, Synthetic):
            workload = scenario.workload
            require_room(load_preset(workload.preset, base_dir=Path(scenario.base_dir), overrides=workload.set), window)
        settings: dict[str, Any] = {**arm.settings, **arm.engine_settings}
        caching = arm.settings.get("prompt_caching") or {}
        engine = self.engine(arm, progress)
        return Setup(
            arm=arm.name,
            engine=engine,
            engine_version=arm.engine.version or engine.version,
            window=window,
            max_tokens=arm.model.max_tokens,
            settings=settings,
            cache_ttl=str(caching.get("cache_ttl") or "5m"),
            provider=main,
            maker=self.maker(arm.model.name),
            auxiliary=self._auxiliary(scenario, arm),
            keep_alive=keep_alive,
            forgetting=getattr(scenario.workload, "forgetting", 0.0),
            prewarm=prewarm,
        )

    def _auxiliary(self, scenario: Scenario, arm: Arm) -> AuxiliaryRoute:
        """The summarising model: the one named under `auxiliary.compression`, else the main model itself."""
        block = (arm.settings.get("auxiliary") or {}).get("compression") or {}
        name = str(block.get("model") or "") or arm.model.name
        behaviour = scenario.workload.auxiliary
        configured = block.get("context_length")
        if behaviour.window is None and isinstance(configured, int) and configured > 0:
            behaviour = behaviour.model_copy(update={"window": configured})
        elif behaviour.window is None and name == arm.model.name and arm.model.window:
            # The main model summarises itself, so it reads as much as the arm says it does.
            behaviour = behaviour.model_copy(update={"window": arm.model.window})
        return self.auxiliary_route(arm, name, behaviour)

    def auxiliary_route(self, arm: Arm, name: str, behaviour: AuxiliaryBehaviour) -> AuxiliaryRoute:
        """A model as the summarising one of an arm."""
        spec = ModelSpec(name=name, as_of=arm.model.as_of)
        maker = self.maker(name)
        prices = arm.prices if name == arm.model.name else {}

        def write(seed: int, tokens: int) -> str:
            return summary_text(Streams(seed).rng("summary"), tokens, maker)

        return AuxiliaryRoute(self.profile(spec, {}, prices), maker, behaviour, write)

    # scripts ----------------------------------------------------------------------------------------------------

    def scripts(self, scenario: Scenario, replication: int, drawn: dict[str, list[Script]], arm: Arm) -> list[Script]:
        """The replication's scripts as this arm sees them: one draw for all arms.

        An arm of another token family plays the same texts, counted in its own tokens; other memory limits change the
        system prompt, so those are drawn again from the same streams.

        Args:
            drawn: what other arms of this replication already drew, by family and limits.
        """
        maker, first = self.maker(arm.model.name), self.maker(scenario.model.name)
        limits = memory_limits(arm.settings)
        key, base = f"{maker.tokens.family}|{limits}", f"{first.tokens.family}|{limits}"
        if base not in drawn:
            drawn[base] = self._draw(scenario, replication, first, limits)
        if key not in drawn:
            drawn[key] = [script.map_rows(maker.recount) for script in drawn[base]]
        return drawn[key]

    def _draw(self, scenario: Scenario, replication: int, maker: RowMaker, limits: tuple[int, int]) -> list[Script]:
        workload = scenario.workload
        streams = Streams(scenario.seed).child("replication", replication)
        started_at = scenario.model.at.timestamp()
        if isinstance(workload, Synthetic):
            preset = load_preset(workload.preset, base_dir=Path(scenario.base_dir), overrides=workload.set)
            # Text even when no arm needs it: sizes alone differ a little, and an arm added later must change nothing.
            return [draw(preset, streams, 0, maker, memory_limits=limits, started_at=started_at)]
        if isinstance(workload, Curve):
            return [
                draw_curve(
                    calls=workload.calls,
                    first=workload.first,
                    last=workload.last,
                    growth=workload.growth,
                    output=workload.output,
                    gap=workload.gap,
                    latency=workload.latency,
                    calls_per_turn=workload.calls_per_turn,
                    started_at=started_at,
                )
            ]
        return [self._replayed(scenario, workload, maker)[replication]]

    def _replayed(self, scenario: Scenario, workload: Replay, maker: RowMaker) -> list[Script]:
        from sim.workload.replay import import_transcripts

        key = maker.tokens.family
        if key not in self._imported:
            paths = transcript_paths(scenario, workload)
            found = import_transcripts(paths, format=workload.format, maker=maker)
            self._imported[key] = [item.script for item in found]
        return self._imported[key]

    def notes(self, scenario: Scenario) -> list[str]:
        """What the importers had to say of the transcripts, once each."""
        if not isinstance(scenario.workload, Replay):
            return []
        scripts = self._replayed(scenario, scenario.workload, self.maker(scenario.model.name))
        return list(dict.fromkeys(note for script in scripts for note in script.notes))

    def replications(self, scenario: Scenario) -> int:
        """Fixed number of replications; a replay plays each session once, a curve is the same every time.

        Raises:
            UsageError: the scenario replicates until a half-width is reached (see `study`).
        """
        if isinstance(scenario.workload, Replay):
            return len(self._replayed(scenario, scenario.workload, self.maker(scenario.model.name)))
        if isinstance(scenario.replications, int):
            if isinstance(scenario.workload, Curve) and "replications" not in scenario.model_fields_set:
                return 1
            return scenario.replications
        raise UsageError("the number of replications is not fixed")

    def close(self) -> None:
        """End the engines' helper processes."""
        for engine in self._engines.values():
            engine.close()
        self._engines.clear()


def _behaviour(arm: Arm) -> tuple[dict[str, Any], KeepAlive | None, bool]:
    """Split `provider_cache:` into the profile's overrides and what the client does to keep the cache warm.

    `keep_alive` is the time between two pings, `keep_alive_for` how long after the last activity they go on
    (an hour when unset), `prewarm` writes the fixed prefix before the first message.
    """
    cache = dict(arm.provider_cache)
    every = cache.pop("keep_alive", None)
    give_up = parse_seconds(cache.pop("keep_alive_for", 3_600))
    prewarm = bool(cache.pop("prewarm", False))
    if every is None:
        return cache, None, prewarm
    seconds = parse_seconds(every)
    if seconds <= 0:
        raise ScenarioError(
            f"provider_cache.keep_alive of arm {arm.name!r} must be above 0, not {every!r}",
            remedy="give the time between two pings, such as 4m",
        )
    return cache, KeepAlive(seconds, give_up), prewarm


def memory_limits(settings: Mapping[str, Any]) -> tuple[int, int]:
    """`memory_char_limit` and `user_char_limit` of an arm, characters."""
    block = settings.get("memory") or {}
    return int(block.get("memory_char_limit", DEFAULT_MEMORY[0])), int(block.get("user_char_limit", DEFAULT_MEMORY[1]))


def transcript_paths(scenario: Scenario, workload: Replay) -> list[str]:
    """Transcript paths, relative ones from the scenario's folder."""
    base = Path(scenario.base_dir)
    return [str(p if (p := Path(text).expanduser()).is_absolute() else base / p) for text in workload.transcripts]


@dataclass(frozen=True, slots=True)
class BlockTask:
    """One replication of every arm, as plain data."""

    scenario: Scenario
    replication: int
