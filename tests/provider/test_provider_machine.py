"""A random walk over cache operations, each request compared with the brute force.

An ordinary run takes some hundred steps; `HYPOTHESIS_PROFILE=full` takes more than 10,000.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from sim.history import Prompt
from sim.provider.seam import Mark
from tests.provider.provider_play import CASES, row

FULL = os.environ.get("HYPOTHESIS_PROFILE") == "full"
SESSIONS = ("a", "b", "c")
texts = st.text("xy", max_size=24)
roles = st.sampled_from(["user", "assistant", "tool"])
steps = {"done": 0}


class CacheMachine(RuleBasedStateMachine):
    """Sessions that share a beginning write, read, wait, rewrite and are evicted."""

    @initialize(case=st.sampled_from(CASES), opening=texts)
    def start(self, case: object, opening: str) -> None:
        self.case = case
        self.fast, self.slow = case.fast(), case.slow()  # type: ignore[attr-defined]
        self.prompts = {name: Prompt([row("tools", "t"), row("system", opening)]) for name in SESSIONS}
        self.now = 0.0
        self.sent: set[str] = set()

    @rule(session=st.sampled_from(SESSIONS), role=roles, text=texts, calls=st.integers(0, 2), says=st.booleans())
    def append(self, session: str, role: str, text: str, calls: int, says: bool) -> None:
        self.prompts[session].append(row(role, text, calls if role == "assistant" else 0, says))

    @rule(seconds=st.sampled_from([0.0, 0.5, 4.0, 59.0, 60.0, 240.0, 300.0, 300.5, 1_000.0, 3_600.0, 90_000.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(session=st.sampled_from(SESSIONS), data=st.data(), text=texts)
    def rewrite(self, session: str, data: st.DataObject, text: str) -> None:
        prompt = self.prompts[session]
        start = data.draw(st.integers(0, len(prompt)))
        stop = data.draw(st.integers(start, len(prompt)))
        tail = prompt.rows[stop:]
        kept = prompt.rows[start].text[3:-1][: len(text)] if start < stop else ""
        prompt.truncate(start)
        for item in (row("user", kept + text), *tail):
            prompt.append(item)

    @rule(session=st.sampled_from(SESSIONS), source=st.sampled_from(SESSIONS))
    def fork(self, session: str, source: str) -> None:
        self.prompts[session] = Prompt(self.prompts[source].rows)

    @rule(
        session=st.sampled_from(SESSIONS),
        data=st.data(),
        wait=st.sampled_from([0.0, 1.0, 30.0]),
        answer=st.sampled_from([0.0, 20.0]),
        reply=st.none() | texts,
    )
    def request(self, session: str, data: st.DataObject, wait: float, answer: float, reply: str | None) -> None:
        prompt = self.prompts[session]
        if not len(prompt):
            return
        places = data.draw(st.sets(st.integers(1, len(prompt)), max_size=5))
        ttls = self.case.ttls  # type: ignore[attr-defined]
        marks = [Mark(p, ttls[0]) for p in sorted(places)]
        first, done = self.now + wait, self.now + wait + answer
        got = self.fast.serve(prompt, marks, self.now, first_byte=first, done=done, session=session)
        want = self.slow.serve(prompt, marks, self.now, first, done, session)
        assert (got.read, dict(got.writes), got.storage) == (want.read, want.writes, want.storage)
        assert got.read + sum(got.writes.values()) + got.fresh == prompt.tokens
        if reply is not None:
            prompt.append(row("assistant", reply))
            self.fast.settle(prompt, done, session=session)
            self.slow.settle(prompt, done, session)

    @invariant()
    def count(self) -> None:
        steps["done"] += 1


def test_state_machine() -> None:
    examples, length = (150, 150) if FULL else (25, 40)
    chosen = settings(
        max_examples=examples,
        stateful_step_count=length,
        deadline=None,
        derandomize=not FULL,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(CacheMachine, settings=chosen)
    assert steps["done"] >= (10_000 if FULL else 500)
