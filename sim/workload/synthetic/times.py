"""The session's clock: person, agent and tools as SimPy processes; gaps and waits come out of it."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, TypeAlias

from sim.streams import Streams
from sim.workload.distributions import Draws
from sim.workload.preset import Preset, Rhythm
from sim.workload.synthetic.plan import Plan, PlannedTool, PlannedTurn
from sim.workload.synthetic.totals import jittered

if TYPE_CHECKING:
    import simpy

Process: TypeAlias = Generator[Any, Any, None]
_DAY = 86_400.0
_THURSDAY = 3  # 1970-01-01


def play_times(plan: Plan, preset: Preset, streams: Streams, started_at: float) -> None:
    """Draw all durations and let the session happen once; fills in seconds and gaps."""
    import simpy

    latency = Draws(preset.latency, streams.rng("latency"))
    think = Draws(preset.think_time, streams.rng("think-time"))
    tools = {name: Draws(tool.seconds, streams.rng("tool-seconds", name)) for name, tool in preset.tools.items()}
    busy = 0.0
    for reply in plan.replies():
        reply.seconds = latency.next()
        for tool in reply.tools:
            tool.seconds = tools[tool.name].next()
        busy += reply.seconds + max((t.seconds for t in reply.tools), default=0.0)
    gaps = [0.0, *(think.next() for _ in plan.turns[1:])]
    if preset.totals.span is not None and sum(gaps) > 0:
        room = max(0.0, jittered(preset.totals.span, streams, "span") - busy)
        gaps = [gap * room / sum(gaps) for gap in gaps]
    env = simpy.Environment()
    env.process(_person(env, plan, gaps, preset.rhythm, started_at))
    env.run()


def _person(env: simpy.Environment, plan: Plan, gaps: list[float], rhythm: Rhythm, started_at: float) -> Process:
    """Thinks, waits for the morning if it is night, writes, and waits for the answer."""
    for index, (turn, gap) in enumerate(zip(plan.turns, gaps, strict=True)):
        answered = env.now
        yield env.timeout(gap)
        yield env.timeout(_until_awake(rhythm, started_at + env.now))
        if index == 0:
            plan.waited = env.now - answered
        else:
            turn.gap = env.now - answered
        yield env.process(_agent(env, turn))


def _agent(env: simpy.Environment, turn: PlannedTurn) -> Process:
    """Calls the model, runs its tools, until there is an answer."""
    for reply in turn.replies:
        yield env.timeout(reply.seconds)
        if reply.tools:
            yield env.all_of([env.process(_tool(env, tool)) for tool in reply.tools])


def _tool(env: simpy.Environment, tool: PlannedTool) -> Process:
    yield env.timeout(tool.seconds)


def _until_awake(rhythm: Rhythm, at: float) -> float:
    """Seconds from `at` until the person is at work; 0 when they are."""
    if rhythm.always:
        return 0.0
    waited = 0.0
    for _ in range(9):
        now = at + waited
        day, second = divmod(now, _DAY)
        weekday = (int(day) + _THURSDAY) % 7
        opens, closes = rhythm.from_hour * 3_600, rhythm.to_hour * 3_600
        free = rhythm.days == "weekdays" and weekday >= 5
        if not free and opens <= second < closes:
            return waited
        if not free and second < opens:
            return waited + opens - second
        waited += _DAY - second
    return waited
