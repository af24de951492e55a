"""Whole sessions through the real engines: same course every time, whatever happens to the host."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator

import pytest
from hermes_play import Played, Story, drive, finish, make, play, request

from sim.engine.hermes.client import HermesEngine
from sim.errors import EngineError
from sim.history import Row

LEAN = {"compression": {"threshold": 0.5, "threshold_tokens": 70_000}}
PRUNING = {
    "compression": {
        "threshold": 0.7,
        "threshold_tokens": 90_000,
        "proactive_prune_tokens": 30_000,
        "proactive_prune_min_reclaim_tokens": 8_192,
        "proactive_prune_min_result_chars": 1_000,
        "idle_compact_after_seconds": 1_800,
    }
}
EARLY = {"compression": {"threshold": 0.5}}


def story_of(engine: HermesEngine, played: Played, settings: dict, **more: object) -> Story:
    return play(engine, played, settings, **more)


def test_compactions_prunes_and_idle_happen_where_they_should(late: HermesEngine) -> None:
    settings = {"compression": {**PRUNING["compression"], "proactive_prune_min_result_chars": 8_000}}
    story = story_of(late, make(1, 160, result=5_000, gaps=(60.0,) * 9 + (2_000.0,)), settings)
    kinds = story.kinds()
    assert "after_tools prune" in kinds
    assert "after_tools compaction" in kinds
    assert "idle compaction" in kinds
    assert story.stop is None
    assert len(story.prompts) == sum("compaction" in kind for kind in kinds)


def test_every_compaction_fires_at_the_trigger_and_lands_below_it(late: HermesEngine) -> None:
    story = story_of(late, make(2, 160), LEAN)
    rewrites = [event for event in story.events if event[2] == "compaction"]
    assert len(rewrites) >= 2
    for _, _, _, before, after, _ in rewrites:
        assert before >= 70_000
        assert after < 70_000


def test_early_version_fires_before_the_call_because_it_has_no_anchor(early: HermesEngine) -> None:
    story = story_of(early, make(2, 120, result=9_000), EARLY, window=128_000)
    assert "before_call compaction" in story.kinds()


@pytest.mark.parametrize(("label", "settings"), [("0.22", PRUNING), ("0.22", LEAN), ("0.19", EARLY)])
def test_the_same_session_takes_the_same_course_twice(
    engines: dict[str, HermesEngine], label: str, settings: dict
) -> None:
    played = make(3, 100, result=8_000, gaps=(60.0, 2_000.0))
    first = story_of(engines[label], played, settings, window=128_000)
    assert first.events
    assert story_of(engines[label], played, settings, window=128_000).digest == first.digest


@pytest.mark.parametrize(("label", "settings"), [("0.22", PRUNING), ("0.19", EARLY)])
def test_steps_kept_back_change_nothing(interpreters: dict[str, str], label: str, settings: dict) -> None:
    """Asking the host at every gate, or only when the mirror says something may happen: the same course."""
    played = make(4, 100, result=8_000, gaps=(60.0, 2_000.0))
    lazy, eager = HermesEngine(interpreters[label], label), HermesEngine(interpreters[label], label, eager=True)
    try:
        kept = story_of(lazy, played, settings, window=128_000)
        asked = story_of(eager, played, settings, window=128_000)
    finally:
        lazy.close()
        eager.close()
    assert kept.events
    assert kept.digest == asked.digest


def test_a_session_without_events_costs_one_frame(late: HermesEngine) -> None:
    played = make(5, 60)
    session = late.open(request(played, {"compression": {"threshold": 0.5}}, window=1_000_000))
    for _ in drive(session, played):
        pass
    assert session.frames == 1  # only the opening
    session.close()


def test_interleaved_sessions_are_as_if_alone(late: HermesEngine) -> None:
    """Three sessions with different schemas take turns, also while one waits for its auxiliary model."""
    plays = [make(seed, 70, result=6_000) for seed in (6, 7, 8)]
    settings = [LEAN, PRUNING, LEAN]
    alone = [story_of(late, p, s, session=f"s{i}").digest for i, (p, s) in enumerate(zip(plays, settings, strict=True))]
    sessions = [late.open(request(p, s, session=f"s{i}")) for i, (p, s) in enumerate(zip(plays, settings, strict=True))]
    running = dict(enumerate(drive(s, p) for s, p in zip(sessions, plays, strict=True)))
    together: dict[int, str] = {}
    while running:
        for index in list(running):
            try:
                next(running[index])
            except StopIteration as ended:
                together[index] = ended.value.digest
                del running[index]
    for session in sessions:
        session.close()
    assert [together[index] for index in range(3)] == alone


KILLED = make(9, 60, result=6_000)
KILLED_UNDER = {"compression": {**PRUNING["compression"], "threshold_tokens": 60_000, "protect_last_n": 10}}


@pytest.fixture(scope="module")
def undisturbed(engines: dict[str, HermesEngine]) -> str:
    story = story_of(engines["0.22"], KILLED, KILLED_UNDER)
    assert {"compaction", "prune"} <= {kind.split()[1] for kind in story.kinds()}
    return story.digest


@pytest.mark.parametrize("call", [1, 20, 37])
def test_killing_the_host_changes_nothing(interpreters: dict[str, str], undisturbed: str, call: int) -> None:
    engine = HermesEngine(interpreters["0.22"], "0.22")

    def kill(number: int) -> None:
        if number == call:
            assert engine.host is not None
            engine.host.kill()

    try:
        assert story_of(engine, KILLED, KILLED_UNDER, before=kill).digest == undisturbed
        assert engine.generation == 2
    finally:
        engine.close()


def test_killing_the_host_inside_the_auxiliary_call_changes_nothing(interpreters: dict[str, str]) -> None:
    played = make(10, 60, result=6_000)
    engine = HermesEngine(interpreters["0.22"], "0.22")
    undisturbed = story_of(engine, played, LEAN)
    session = engine.open(request(played, LEAN))
    asked = 0

    def watched(running: Generator[None, None, Story]) -> Generator[None, None, Story]:
        nonlocal asked
        while True:
            try:
                next(running)
            except StopIteration as ended:
                return ended.value
            if session.waiting and asked < 2:
                asked += 1
                assert engine.host is not None
                engine.host.kill()
            yield

    disturbed = finish(watched(drive(session, played)))
    session.close()
    engine.close()
    assert asked >= 1
    assert disturbed.digest == undisturbed.digest


def test_a_row_without_text_is_refused(late: HermesEngine) -> None:
    session = late.open(request(make(1, 2), LEAN))
    with pytest.raises(EngineError, match="needs text"):
        next(session.turn_start([Row("user", 1, 500)], 0.0, 0.0))
    session.close()


def test_killing_the_host_at_any_moment_changes_nothing(interpreters: dict[str, str], undisturbed: str) -> None:
    """A killer that knows nothing of frames; every gate is asked, so that nearly always a frame is under way."""
    engine = HermesEngine(interpreters["0.22"], "0.22", eager=True)
    over = threading.Event()

    def killer() -> None:
        for wait in (0.8, 0.6):  # a third death within one exchange would rightly be an error
            if over.wait(wait):
                return
            host = engine.host
            if host is not None and host.alive:
                os.kill(host.pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)

    engine.running()
    thread = threading.Thread(target=killer)
    thread.start()
    try:
        while engine.generation < 2:
            assert story_of(engine, KILLED, KILLED_UNDER).digest == undisturbed
    finally:
        over.set()
        thread.join()
        engine.close()
