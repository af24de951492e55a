"""The shared suite on our engines; and proof that each of its checks can fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from sim.engine import AuxRequest, Engine, EngineInfo, Hook, Open, Outcome, Rewrite, Usage
from sim.engine.dual import DualEngine
from sim.engine.hermes import envs
from sim.engine.hermes.client import open_hermes
from sim.engine.none import NoneEngine
from sim.engine.parametric import ParametricEngine, ParametricSession
from sim.history import Blank, Row, Splice
from sim.testing import CHECKS, Conformance, ConformanceError, run_conformance


def hermes(label: str) -> Engine:
    return open_hermes(str(envs.ensure(label)), label)


SUITES: dict[str, tuple[Any, dict[str, Any], int]] = {
    "none": (NoneEngine, {}, 64_000),
    "parametric": (ParametricEngine, {}, 64_000),
    "parametric-prune": (
        ParametricEngine,
        {"parametric": {"trigger": "30K", "landing": "12K", "prune": {"at": "10K", "keep_last": 6}}},
        64_000,
    ),
    "parametric-late": (
        ParametricEngine,
        {"parametric": {"trigger": "30K", "check": "after_tools", "on_failure": "fallback"}},
        64_000,
    ),
    "dual": (DualEngine, {}, 64_000),
    "hermes-0.19": (lambda: hermes("0.19"), {}, 64_000),
    "hermes-0.22": (
        lambda: hermes("0.22"),
        {
            "compression": {
                "threshold_tokens": 30_000,
                "proactive_prune_tokens": 12_000,
                "proactive_prune_min_result_chars": 300,
                "idle_compact_after_seconds": 300,
            }
        },
        96_000,
    ),
}


@pytest.fixture(scope="module", params=SUITES)
def suite(request: pytest.FixtureRequest) -> Iterator[Conformance]:
    factory, settings, window = SUITES[request.param]
    with Conformance(factory, settings=settings, window=window) as opened:
        yield opened


@pytest.mark.parametrize("name", CHECKS)
def test_conformance(suite: Conformance, name: str) -> None:
    suite.check(name)


def test_the_suite_really_exercises_the_real_engine() -> None:
    factory, settings, window = SUITES["hermes-0.22"]
    with Conformance(factory, settings=settings, window=window) as opened:
        seen = opened.seen(1, True)
        assert {e.kind for e in seen.rewrites} == {"compaction", "prune"}
        assert {"idle", "after_tools"} <= {e.site for e in seen.rewrites}
        assert seen.auxiliary > 3
        assert seen.peak < opened.play(1, True).tokens / 3


@pytest.mark.parametrize(("factory", "least"), [(ParametricEngine, 5), (DualEngine, 5)])
def test_the_suite_makes_engines_ask_the_auxiliary_model(factory: Any, least: int) -> None:
    with Conformance(factory) as opened:
        assert opened.seen(1, True).auxiliary >= least


# engines that break one rule each -----------------------------------------------------------------------------------


class Broken(ParametricSession):
    """A parametric session whose hooks or rewrites a subclass spoils."""

    def before_call(self, now: float) -> Hook:
        outcome = yield from super().before_call(now)
        return replace(outcome, events=tuple(self.spoil(e) if isinstance(e, Rewrite) else e for e in outcome.events))

    def spoil(self, event: Rewrite) -> Rewrite:
        return event


class Grows(Broken):
    def spoil(self, event: Rewrite) -> Rewrite:
        first = event.splices[0]
        return replace(event, splices=(replace(first, rows=(Blank("user", 90_000, "huge"),)),))


class Parts(Broken):
    """Keeps a result whose call is gone."""

    def spoil(self, event: Rewrite) -> Rewrite:
        first = event.splices[0]
        orphan = {"role": "tool", "tool_call_id": "call-0", "content": "x"}
        return replace(event, splices=(replace(first, rows=(*first.rows, orphan)),))


class Misfits(Broken):
    def spoil(self, event: Rewrite) -> Rewrite:
        return replace(event, splices=(Splice(0, 100_000, ()),))


class Deaf(Broken):
    """Tells a figure that has nothing to do with the request."""

    def before_call(self, now: float) -> Hook:
        outcome = yield from super().before_call(now)
        return replace(outcome, estimate=7)


class Restless(Broken):
    """Every session numbers its summaries on from the one before."""

    made = 0

    def spoil(self, event: Rewrite) -> Rewrite:
        Restless.made += 1
        first = event.splices[0]
        row = first.rows[0]
        assert isinstance(row, Blank)
        return replace(event, splices=(replace(first, rows=(replace(row, label=f"s{Restless.made}"),)),))


class Fragile(Broken):
    """Believes that auxiliary calls never fail."""

    def before_call(self, now: float) -> Hook:
        hook = super().before_call(now)
        try:
            request = next(hook)
            while True:
                assert isinstance(request, AuxRequest)
                reply = yield request
                if reply.failure:
                    raise ValueError("unexpected end of the answer")
                request = hook.send(reply)
        except StopIteration as stop:
            outcome: Outcome = stop.value
            return outcome


class Picky(Broken):
    """Needs usage that some providers do not report."""

    def after_response(self, row: Row, usage: Usage | None, now: float) -> Hook:
        assert usage is not None, "no usage"
        return super().after_response(row, usage, now)


class Once(Broken):
    """Cannot be closed twice."""

    closed = False

    def close(self) -> None:
        assert not self.closed, "closed already"
        self.closed = True


class Early(Broken):
    """Compacts long before its trigger."""

    def before_call(self, now: float) -> Hook:
        if self._tokens > 15_000:
            return (yield from self._compact("before_call", now))
        return (yield from super().before_call(now))


def broken(session: type[ParametricSession], **says: Any) -> type[ParametricEngine]:
    class Engine(ParametricEngine):
        def resolve(self, request: Open) -> EngineInfo:
            return replace(super().resolve(request), **says)

        def open(self, request: Open) -> ParametricSession:
            from sim.engine.parametric import read_settings

            return session(self.resolve(request), read_settings({}), request)

    return Engine


@pytest.mark.parametrize(
    ("engine", "failing"),
    [
        (broken(Grows), ["rewrites_fit"]),
        (broken(Parts), ["rewrites_fit"]),
        (broken(Misfits), ["rewrites_fit", "fires_at_its_trigger"]),
        (broken(Deaf), ["estimates_are_sane"]),
        (broken(Restless), ["same_again", "sessions_are_independent"]),
        (broken(Fragile), ["survives_failures"]),
        (broken(Picky), ["survives_odd_orders"]),
        (broken(Once), ["closes_twice"]),
        (broken(Early), ["fires_at_its_trigger"]),
        (broken(Broken, trigger_tokens=10**9), ["says_what_it_is"]),
        (broken(Broken, details={"x": object()}), ["says_what_it_is"]),
        (broken(Broken, name="other"), ["says_what_it_is"]),
        (broken(Broken, trigger_tokens=None), ["fires_at_its_trigger"]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_broken_rule_is_found(engine: type[Engine], failing: Sequence[str]) -> None:
    with pytest.raises(ConformanceError) as caught:
        run_conformance(engine)
    for name in failing:
        assert f"{name}:" in caught.value.message


def test_a_sound_engine_passes_in_one_call() -> None:
    assert run_conformance(broken(Broken)) == tuple(CHECKS)
