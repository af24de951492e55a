"""The suite that every engine passes, ours and a user's own.

In a test:

    suite = Conformance(MyEngine)

    @pytest.mark.parametrize("name", CHECKS)
    def test_conformance(name):
        suite.check(name)

or, in one call, `run_conformance(MyEngine)`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, get_args

from sim.engine.contract import AuxFailure, Engine, EngineInfo, Open
from sim.engine.rehearsal import Manner, Play, Rehearsal, Seen, make_play, play_together
from sim.errors import EngineError

EngineFactory = Callable[[], Engine]
WINDOW = 64_000
"""The smallest window that every engine of ours accepts, so that sessions stay small."""
GROWTH = 3.0
"""Sessions would grow to this many times the window."""
SHORT = 1.25
"""Those that are played once for each kind of failure."""


class ConformanceError(EngineError):
    """An engine broke a rule of the contract."""


class Conformance:
    """The checks, on one engine.

    Args:
        factory: makes the engine; called a second time only to compare two engines.
        settings: blocks the engine is opened with.
        window: context window of the sessions, tokens.
        model: whose tokens are counted.
    """

    def __init__(
        self,
        factory: EngineFactory,
        *,
        settings: Mapping[str, Any] | None = None,
        window: int = WINDOW,
        model: str = "claude-opus-4-7",
    ) -> None:
        self.factory = factory
        self.settings = dict(settings or {})
        self.window = window
        self.model = model
        self._engine: Engine | None = None
        self._seen: dict[tuple[int, bool], Seen] = {}

    @property
    def engine(self) -> Engine:
        """The engine under test, made at first use."""
        if self._engine is None:
            self._engine = self.factory()
        return self._engine

    def close(self) -> None:
        """Close the engine under test."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def check(self, name: str) -> None:
        """Run one check.

        Raises:
            ConformanceError: what rule is broken, and how it showed.
            KeyError: there is no such check.
        """
        CHECKS[name](self)

    # used by the checks -----------------------------------------------------------------------------------------

    def materials(self) -> tuple[bool, ...]:
        """Whether sessions hold text: an engine that needs only sizes gets both kinds."""
        return (True,) if self.engine.needs == "text" else (False, True)

    def play(self, seed: int, text: bool, growth: float = GROWTH) -> Play:
        """The session of a seed."""
        return make_play(seed, int(self.window * growth), text=text, model=self.model)

    def rehearse(
        self,
        seed: int,
        text: bool,
        manner: Manner | None = None,
        engine: Engine | None = None,
        growth: float = GROWTH,
    ) -> Rehearsal:
        """The session of a seed, ready to play."""
        return Rehearsal(
            engine or self.engine,
            self.play(seed, text, growth),
            window=self.window,
            settings=self.settings,
            model=self.model,
            manner=manner,
        )

    def seen(self, seed: int, text: bool) -> Seen:
        """What the plain session of a seed came to; played once."""
        key = (seed, text)
        if key not in self._seen:
            self._seen[key] = self.rehearse(seed, text).run()
        return self._seen[key]

    def info(self) -> EngineInfo:
        """What the settings come to."""
        return self.engine.resolve(Open("resolve", self.model, self.window, None, (), self.settings))


def _fail(rule: str, what: str) -> None:
    raise ConformanceError(what, rule=rule, remedy="see sim.engine.contract for what every engine keeps")


def _faultless(rule: str, seen: Seen) -> None:
    if seen.faults:
        more = f" (and {len(seen.faults) - 1} more)" if len(seen.faults) > 1 else ""
        _fail(rule, seen.faults[0] + more)


def says_what_it_is(suite: Conformance) -> None:
    """Name, version and needs are told alike everywhere; the trigger lies in the window; details are plain data."""
    engine, info = suite.engine, suite.info()
    rule = "an engine says what it is"
    if not isinstance(engine, Engine):
        _fail(rule, f"{type(engine).__name__} lacks a part of sim.engine.Engine")
    if (info.name, info.version, info.needs) != (engine.name, engine.version, engine.needs):
        _fail(rule, f"resolve says {info.name} {info.version} {info.needs}, the engine says otherwise")
    if info.trigger_tokens is not None and not 0 < info.trigger_tokens <= suite.window:
        _fail(rule, f"a trigger of {info.trigger_tokens} tokens on a window of {suite.window}")
    try:
        json.dumps(dict(info.details), allow_nan=False)
    except (TypeError, ValueError) as error:
        _fail(rule, f"details are not plain data: {error}")
    rehearsal = suite.rehearse(1, suite.materials()[0])
    opened = rehearsal.session.info
    rehearsal.session.close()
    if opened.trigger_tokens != info.trigger_tokens:
        _fail(rule, f"resolve says trigger {info.trigger_tokens}, an opened session {opened.trigger_tokens}")


def rewrites_fit(suite: Conformance) -> None:
    """Splices fit, tool calls keep their results, and no rewrite makes a history larger."""
    for text in suite.materials():
        for seed in (1, 2):
            _faultless("a rewrite leaves a valid, smaller request", suite.seen(seed, text))


def fires_at_its_trigger(suite: Conformance) -> None:
    """A session that outgrows the trigger is rewritten; one that stays below it is not compacted for its size."""
    trigger, rule = suite.info().trigger_tokens, "an engine fires at the trigger it tells"
    for text in suite.materials():
        seen = suite.seen(1, text)
        sized = [e for e in seen.rewrites if e.kind == "compaction" and e.site in ("before_call", "after_tools")]
        if trigger is None:
            if sized:
                _fail(rule, f"no trigger is told, but it compacted at {sized[0].estimate_before:,} tokens")
            continue
        if not seen.rewrites:
            _fail(
                rule, f"trigger {trigger:,}, and nothing was rewritten in a session of {suite.play(1, text).tokens:,}"
            )
        early = [e.estimate_before for e in sized if e.estimate_before < trigger * 0.8]
        if early:
            _fail(rule, f"trigger {trigger:,}, but it compacted at {early[0]:,} tokens by its own figure")


def estimates_are_sane(suite: Conformance) -> None:
    """The engine's figure of a request is of the size of the request."""
    for text in suite.materials():
        for estimate, tokens in suite.seen(1, text).estimates:
            if not tokens / 4 <= estimate <= tokens * 4:
                _fail("estimates are sane", f"it takes a request of {tokens:,} tokens for {estimate:,}")


def same_again(suite: Conformance) -> None:
    """The same session takes the same course: again in this engine, and in a new one."""
    rule = "an engine is deterministic"
    other = suite.factory()
    try:
        for text in suite.materials():
            first = suite.seen(1, text).trace
            for engine, where in ((suite.engine, "again in the same engine"), (other, "in a new engine")):
                again = suite.rehearse(1, text, engine=engine).run().trace
                if again != first:
                    _fail(rule, f"the same session took another course {where}: {_difference(first, again)}")
    finally:
        if other is not suite.engine:
            other.close()


def sessions_are_independent(suite: Conformance) -> None:
    """Sessions played side by side take the course they take alone."""
    for text in suite.materials():
        alone = [suite.seen(seed, text).trace for seed in (1, 2)]
        side = [suite.rehearse(seed, text) for seed in (1, 2)]
        play_together(side)
        for trace, rehearsal in zip(alone, side, strict=True):
            if rehearsal.seen.trace != trace:
                difference = _difference(trace, rehearsal.seen.trace)
                _fail("sessions are independent", f"beside another session {rehearsal.play.name} differs: {difference}")


def survives_failures(suite: Conformance) -> None:
    """However auxiliary calls end, the session goes on with a valid history."""
    kinds: tuple[AuxFailure, ...] = get_args(AuxFailure)
    for text in suite.materials():
        if not suite.seen(1, text).auxiliary:
            continue
        for kind in kinds:
            seen = suite.rehearse(1, text, Manner(failures=(kind,)), growth=SHORT).run()
            _faultless(f"an engine survives an auxiliary call that ends as {kind}", seen)
        mixed = suite.rehearse(2, text, Manner(failures=(None, *kinds))).run()
        _faultless("an engine survives failing auxiliary calls", mixed)


def survives_odd_orders(suite: Conformance) -> None:
    """Refused requests, a provider that reports no usage, and a change of model leave a valid history."""
    odd = {
        "requests that the provider refuses": Manner(overflow_every=7),
        "a provider without usage": Manner(usage=False),
        "a model with a smaller window": Manner(smaller_window=suite.window * 3 // 4 + 16_000),
        "refused requests and failing auxiliary calls": Manner(failures=("timeout", None), overflow_every=5),
    }
    for text in suite.materials():
        for name, manner in odd.items():
            _faultless(f"an engine copes with {name}", suite.rehearse(2, text, manner).run())


def can_be_abandoned(suite: Conformance) -> None:
    """A session left in the middle of an auxiliary call disturbs no other."""
    for text in suite.materials():
        rehearsal = suite.rehearse(2, text)
        asked = _until_asked(rehearsal)
        rehearsal.session.close()
        trace = suite.rehearse(1, text).run().trace
        if asked and trace != suite.seen(1, text).trace:
            difference = _difference(suite.seen(1, text).trace, trace)
            _fail("a session can be abandoned", f"another one differs after it: {difference}")


def _until_asked(rehearsal: Rehearsal) -> bool:
    """Play up to the first auxiliary request and drop the hook there."""
    steps = rehearsal.steps()
    for _ in steps:
        if rehearsal.waiting:
            steps.close()
            return True
    return False


def closes_twice(suite: Conformance) -> None:
    """Closing a session or an engine a second time does nothing."""
    rehearsal = suite.rehearse(1, suite.materials()[0])
    rehearsal.session.close()
    rehearsal.session.close()
    other = suite.factory()
    if other is not suite.engine:
        other.close()
        other.close()


CHECKS: Mapping[str, Callable[[Conformance], None]] = {
    check.__name__: check
    for check in (
        says_what_it_is,
        rewrites_fit,
        fires_at_its_trigger,
        estimates_are_sane,
        same_again,
        sessions_are_independent,
        survives_failures,
        survives_odd_orders,
        can_be_abandoned,
        closes_twice,
    )
}
"""Every check by name; the docstring of each says what it proves."""


def _difference(one: list[str], other: list[str]) -> str:
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return f"event {place} is {b[:120]!r} instead of {a[:120]!r}"
    return f"{len(other)} events instead of {len(one)}"


def run_conformance(
    factory: EngineFactory,
    *,
    settings: Mapping[str, Any] | None = None,
    window: int = WINDOW,
    model: str = "claude-opus-4-7",
) -> tuple[str, ...]:
    """Run every check.

    Args:
        factory: makes the engine; a class without constructor arguments will do.
        settings: blocks the engine is opened with.
        window: context window of the sessions, tokens.
        model: whose tokens are counted.

    Returns:
        Names of the checks, all passed.

    Raises:
        ConformanceError: every rule that is broken.
    """
    broken: list[str] = []
    with Conformance(factory, settings=settings, window=window, model=model) as suite:
        for name in CHECKS:
            try:
                suite.check(name)
            except ConformanceError as error:
                broken.append(f"{name}: {error.message} ({error.rule})")
            except Exception as error:
                broken.append(f"{name}: {type(error).__name__}: {error}")
    if broken:
        raise ConformanceError("\n".join(broken), rule=f"{len(broken)} of {len(CHECKS)} checks failed")
    return tuple(CHECKS)
