"""A fleet's replication: who begins a session when, drawn once for all arms, played on one account."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.engine import Engine, Open
from sim.engine.none import NoneEngine
from sim.engine.parametric import ParametricEngine
from sim.scenario import Arm, Scenario
from sim.scenario.model import Fleet, Group, ModelSpec
from sim.streams import Streams, digest64
from sim.workload import draw, load_preset
from sim.workload.arrivals import arrival_times
from sim.workload.script import Script
from sim.world import Member, Setup, play_fleet

if TYPE_CHECKING:
    from sim.ledger import Ledger
    from sim.study.prepare import Workbench

_BLOCK = 1_000_000
"""Session numbers of a group start at a multiple of this that its name decides, so that no two sessions of a fleet hold
the same texts, whatever other groups there are."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One session of the span.

    Attributes:
        script: token counts, or text when it was chosen for the sample.
        sampled: whether it is played as text.
    """

    script: Script
    sampled: bool


def fleet_of(scenario: Scenario) -> Fleet:
    """The scenario's fleet."""
    assert scenario.fleet is not None
    return scenario.fleet


def arrivals(scenario: Scenario, group: Group, replication: int) -> list[float]:
    """Starts of a group's sessions in a replication, seconds from the start of the span."""
    streams = Streams(scenario.seed).child("replication", replication)
    return arrival_times(streams, group.label, group.per_day, fleet_of(scenario).days)


def sampled_places(scenario: Scenario, group: Group, replication: int, count: int) -> list[int]:
    """Which of a group's `count` sessions are played as text: a simple random sample, ascending."""
    fleet = fleet_of(scenario)
    if fleet.mode == "tokens":
        return []
    rng = Streams(scenario.seed).child("replication", replication).rng("sample", group.label)
    # The order is drawn in full, so that a larger sample holds the smaller one.
    return sorted(int(i) for i in rng.permutation(count)[: fleet.sample])


class FleetPlayer:
    """Plays replications of a fleet scenario.

    Args:
        bench: engines, profiles and token counters.
        scenario: with a `fleet`.
    """

    def __init__(self, bench: Workbench, scenario: Scenario) -> None:
        self._bench, self._scenario, self._fleet = bench, scenario, fleet_of(scenario)

    def play(self, replication: int) -> Ledger:
        """One span under every arm."""
        from sim.ledger import Ledger
        from sim.study.prepare import memory_limits

        ledger = Ledger()
        streams = Streams(self._scenario.seed).child("replication", replication)
        drawn: dict[tuple[str, tuple[int, int]], list[Drawn]] = {}
        for arm in self._scenario.arms:
            members: list[Member] = []
            for group in self._fleet.groups:
                key = (group.label, memory_limits(arm.settings))
                if key not in drawn:
                    drawn[key] = self._draw(group, replication, key[1])
                members += self._members(arm, group, drawn[key])
            ledger.extend(
                play_fleet(
                    members,
                    self._fleet.account,
                    started_at=self._scenario.model.at.timestamp(),
                    replication=replication,
                    streams=streams,
                )
            )
        return ledger

    # sessions ---------------------------------------------------------------------------------------------------

    def _draw(self, group: Group, replication: int, limits: tuple[int, int]) -> list[Drawn]:
        scenario = self._scenario
        maker = self._bench.maker(group.model.name if group.model else scenario.model.name)
        work = group.drawn_from(scenario.workload)
        preset = load_preset(work.preset, base_dir=Path(scenario.base_dir), overrides=work.set)
        streams = Streams(scenario.seed).child("replication", replication).child("group", group.label)
        base = scenario.model.at.timestamp()
        starts = arrivals(scenario, group, replication)
        first = digest64("group", group.label) % _BLOCK * _BLOCK
        chosen = set(sampled_places(scenario, group, replication, len(starts)))
        found = []
        for place, start in enumerate(starts):
            script = draw(
                preset,
                streams,
                first + place,
                maker,
                memory_limits=limits,
                started_at=base + start,
                text=place in chosen,
            )
            found.append(Drawn(replace(script, session=f"{group.label}-{place:05d}"), place in chosen))
        return _shared_prefix(found)

    def _members(self, arm: Arm, group: Group, drawn: list[Drawn]) -> list[Member]:
        scenario = self._scenario
        setup = self.setup(arm, group)
        if self._fleet.mode == "tokens":
            return [Member(setup, one.script, group.label) for one in drawn]
        drawn_with = self._bench.maker(group.model.name if group.model else scenario.model.name)
        crowd = stand_in(setup)
        members = []
        for one in drawn:
            if one.sampled:
                script = one.script if setup.maker is drawn_with else one.script.map_rows(setup.maker.recount)
                members.append(Member(setup, script, group.label))
            else:
                members.append(Member(crowd, one.script, group.label, recorded=False))
        return members

    def setup(self, arm: Arm, group: Group) -> Setup:
        """The arm as a group has it: with the group's model and workload."""
        scenario, fleet = self._scenario, self._fleet
        model = arm.model
        if group.model is not None:
            model = ModelSpec(**group.model.model_dump(), as_of=arm.model.as_of)
        workload = group.drawn_from(scenario.workload)
        own = arm.model_copy(update={"model": model})
        setup = self._bench.setup(scenario.model_copy(update={"workload": workload}), own)
        fallback = fleet.account.auxiliary.fallback or model.name
        if setup.auxiliary is None or fallback == setup.auxiliary.provider.model:
            return setup
        return replace(setup, auxiliary_fallback=self._bench.auxiliary_route(own, fallback, workload.auxiliary))


def _shared_prefix(drawn: list[Drawn]) -> list[Drawn]:
    """Sessions without text get the tools and the instructions of those with text: one installation, one cache."""
    texts = [one.script for one in drawn if one.sampled]
    if not texts:
        return drawn
    shared = texts[0].prefix[:-1]
    return [
        one if one.sampled else replace(one, script=replace(one.script, prefix=(*shared, *one.script.prefix[-1:])))
        for one in drawn
    ]


def stand_in(setup: Setup) -> Setup:
    """The arm for sessions that only load the account: a token-only engine at the trigger the real one resolves to."""
    if setup.engine.needs != "text":
        return setup
    info = setup.engine.resolve(
        Open(
            session="resolve",
            model=setup.provider.model,
            window=setup.window,
            max_tokens=setup.max_tokens,
            prefix=(),
            settings=setup.settings,
            auxiliary_window=setup.auxiliary.window if setup.auxiliary else None,
        )
    )
    engine: Engine = NoneEngine()
    settings: dict[str, Any] = {}
    if info.trigger_tokens is not None:
        engine = ParametricEngine()
        settings = {"parametric": {"trigger": info.trigger_tokens, "auxiliary_tokens": 0}}
        if info.tail_tokens is not None:
            settings["parametric"]["keep_tail"] = info.tail_tokens
    return replace(setup, engine=engine, settings=settings, forgetting=0.0)


__all__ = ["FleetPlayer", "arrivals", "fleet_of", "sampled_places", "stand_in"]
