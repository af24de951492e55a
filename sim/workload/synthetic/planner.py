"""Draws a plan: structure first, then sizes, then times; every quantity from its own named stream."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

import numpy as np

from sim.streams import Streams
from sim.workload.distributions import Distribution, Draws, Lognormal
from sim.workload.preset import Preset
from sim.workload.synthetic.plan import Plan, PlannedReply, PlannedTool, PlannedTurn
from sim.workload.synthetic.times import play_times
from sim.workload.synthetic.totals import scale_sizes

_MOST_PARALLEL = 8
_MOST_TURNS = 5_000
_REPEAT_REACH = 40
_ERROR_SIZE = Lognormal(median=70, sigma=0.8, min=8, max=1_500)
"""Tokens of an error result; an assumption, in line with the small results of the calibration's section 2."""


def make_plan(preset: Preset, streams: Streams, started_at: float = 0.0) -> Plan:
    """Draw one session in numbers.

    Args:
        preset: the kind of session.
        streams: the session's own family of streams.
        started_at: its start, seconds since the epoch (for the person's nights and weekends).
    """
    plan = _Planner(preset, streams).plan()
    scale_sizes(plan, preset, streams)
    play_times(plan, preset, streams, started_at)
    _cut_off(plan, preset, streams)
    _plant_facts(plan, preset, streams)
    return plan


class _Planner:
    """Structure and raw sizes."""

    def __init__(self, preset: Preset, streams: Streams) -> None:
        self.preset, self.streams = preset, streams
        self.names = list(preset.tools)
        self.turns = 0
        self.tool_calls = 0
        self.history: dict[str, list[PlannedTool]] = {}
        self._draws: dict[str, Draws] = {}
        self._coins: dict[str, list[float]] = {}
        self._rngs: dict[str, np.random.Generator] = {}
        weights = np.cumsum([preset.tools[n].weight for n in self.names]) if self.names else np.zeros(0)
        self.edges: list[float] = (weights / weights[-1]).tolist() if len(weights) and weights[-1] > 0 else []
        self.last = ""

    def draw(self, purpose: str, distribution: Distribution) -> float:
        """The next value of a purpose's own stream."""
        found = self._draws.get(purpose)
        if found is None:
            found = self._draws[purpose] = Draws(distribution, self.streams.rng(purpose))
        return found.next()

    def coin(self, purpose: str) -> float:
        """The next even number in [0, 1) of a purpose's own stream."""
        pile = self._coins.get(purpose)
        if pile is None:
            self._rngs[purpose] = self.streams.rng(purpose)
            pile = self._coins[purpose] = []
        if not pile:
            pile.extend(self._rngs[purpose].random(512).tolist())
        return pile.pop()

    # structure --------------------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """All turns, sizes not yet scaled."""
        preset = self.preset
        if preset.counted:
            return Plan(self._counted_turns())
        turns: list[PlannedTurn] = []
        if preset.calls is not None:
            left = max(1, round(self.draw("calls", preset.calls)))
            while left > 0:
                size = min(left, self._turn_length())
                turns.append(self._turn(self._groups(size - 1)))
                left -= size
        else:
            count = min(_MOST_TURNS, max(1, round(self.draw("turns", preset.turns))))
            turns.extend(self._turn(self._groups(self._turn_length() - 1)) for _ in range(count))
        return Plan(turns)

    def _turn_length(self) -> int:
        if not self.names:
            return 1
        return max(1, round(self.draw("calls-per-turn", self.preset.calls_per_turn)))

    def _groups(self, replies: int) -> list[list[str]]:
        """Tool names of each response that uses tools."""
        groups = []
        for _ in range(replies):
            group = [self._choose()]
            while len(group) < _MOST_PARALLEL and self.coin("parallel") < self.preset.parallel:
                group.append(group[0])
            groups.append(group)
        return groups

    def _choose(self) -> str:
        sticks, place = self.coin("sticky"), self.coin("tool")
        if self.last and sticks < self.preset.sticky:
            return self.last
        index = min(bisect_right(self.edges, place), len(self.names) - 1)
        self.last = self.names[index]
        return self.last

    def _counted_turns(self) -> list[PlannedTurn]:
        """Exactly the preset's calls of each tool, spread over the turns in bursts."""
        preset = self.preset
        calls = [name for name in self.names for _ in range(preset.tools[name].count or 0)]
        order = self.streams.rng("tool").permutation(len(calls))
        count = min(_MOST_TURNS, max(1, round(self.draw("turns", preset.turns))))
        weights = np.cumsum([max(0.01, self.draw("calls-per-turn", preset.calls_per_turn)) for _ in range(count)])
        places = np.sort(self.streams.rng("burst").random(len(calls))) * weights[-1]
        owners = np.searchsorted(weights, places, side="right")
        groups: list[list[list[str]]] = [[] for _ in range(count)]
        for place, call in enumerate(order.tolist()):
            owner = groups[min(int(owners[place]), count - 1)]
            if owner and self.coin("parallel") < preset.parallel and len(owner[-1]) < _MOST_PARALLEL:
                owner[-1].append(calls[call])
            else:
                owner.append([calls[call]])
        return [self._turn(g) for g in groups]

    # sizes ------------------------------------------------------------------------------------------------------

    def _turn(self, groups: list[list[str]]) -> PlannedTurn:
        preset = self.preset
        size = self.draw("user", preset.user)
        if self.turns == 0 and preset.first_user is not None:
            size = self.draw("first-user", preset.first_user)
        turn = PlannedTurn(max(1.0, size), 0.0)
        model = preset.other_model if self.coin("model") < preset.switches else None
        self.turns += 1
        for group in groups:
            thinking, text = self.draw("thinking", preset.thinking), self.draw("remark", preset.remark)
            turn.replies.append(PlannedReply(thinking, text, [self._tool(n) for n in group], 0.0, model=model))
        thinking = self.draw("thinking", preset.thinking)
        turn.replies.append(PlannedReply(thinking, max(1.0, self.draw("answer", preset.answer)), [], 0.0, model=model))
        return turn

    def _tool(self, name: str) -> PlannedTool:
        tool = self.preset.tools[name]
        call = PlannedTool(
            name,
            self.tool_calls,
            max(6.0, self.draw(f"arguments:{name}", tool.arguments)),
            self.draw(f"result:{name}", tool.result),
            self._text(tool.result_text, self.coin("text-kind")),
            0.0,
        )
        self.tool_calls += 1
        fails, repeats, which, changed = (self.coin(p) for p in ("fails", "repeats", "which", "changed"))
        error_size = self.draw("error-size", _ERROR_SIZE)
        earlier = self.history.setdefault(name, [])
        if fails < tool.fails:
            call.failed, call.result, call.text = True, error_size, "error"
        elif repeats < tool.repeats and earlier:
            reach = earlier[-_REPEAT_REACH:]
            source = reach[int(which * len(reach))]
            call.repeats, call.changed = source.number, changed < tool.changed
            call.arguments, call.text = source.arguments, source.text
            call.result = source.result
        if not call.failed and call.repeats < 0:
            earlier.append(call)
        return call

    @staticmethod
    def _text(weights: dict[str, float], place: float) -> str:
        edges = list(accumulate(weights.values()))
        return list(weights)[min(bisect_right(edges, place * edges[-1]), len(edges) - 1)]


def _cut_off(plan: Plan, preset: Preset, streams: Streams) -> None:
    """Ends some sessions in the middle of a turn."""
    rng = streams.rng("cut-off")
    cut, place = float(rng.random()), float(rng.random())
    calls = sum(len(turn.replies) for turn in plan.turns)
    if cut >= preset.cut_off or calls < 2:
        return
    keep = max(1, int(place * calls))
    for index, turn in enumerate(plan.turns):
        if keep <= len(turn.replies):
            plan.finished = keep == len(turn.replies) and index == len(plan.turns) - 1
            del turn.replies[keep:]
            del plan.turns[index + 1 :]
            return
        keep -= len(turn.replies)


def _plant_facts(plan: Plan, preset: Preset, streams: Streams) -> None:
    """Plants facts in results and makes later responses need them."""
    share = preset.facts.share
    if share <= 0:
        return
    rng = streams.rng("facts")
    delays = Draws(preset.facts.needed_after, streams.rng("fact-delay"))
    replies = list(plan.replies())
    needs: dict[int, list[int]] = {}
    for index, reply in enumerate(replies):
        for tool in reply.tools:
            planted = float(rng.random()) < share
            whens = [delays.whole(1) for _ in range(preset.facts.needed_times)]
            if not planted or tool.failed or tool.repeats >= 0 or tool.result < 60:
                continue
            tool.facts = (plan.facts,)
            for when in whens:
                if index + when < len(replies):
                    needs.setdefault(index + when, []).append(plan.facts)
            plan.facts += 1
    for index, found in needs.items():
        replies[index].needs = tuple(sorted(set(found)))
