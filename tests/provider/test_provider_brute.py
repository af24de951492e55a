"""The fast caches agree call by call with caches that compare whole token lists."""

from __future__ import annotations

import pytest

from tests.provider.provider_play import CASES, Case, requests


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
@pytest.mark.parametrize(("seed", "calls"), [(1, 60), (2, 60), (3, 60), (4, 120)])
def test_equal_to_brute_force(case: Case, seed: int, calls: int) -> None:
    compare(case, seed, calls)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_equal_to_brute_force_on_one_long_session(case: Case) -> None:
    compare(case, 99, 300, sessions=1)


def compare(case: Case, seed: int, calls: int, sessions: int = 3) -> None:
    fast, slow = case.fast(), case.slow()
    for number, r in enumerate(requests(seed, calls, sessions=sessions, ttls=case.ttls)):
        got = fast.serve(r.prompt, r.marks, r.now, first_byte=r.first_byte, done=r.done, session=r.session)
        want = slow.serve(r.prompt, r.marks, r.now, r.first_byte, r.done, r.session)
        assert (got.read, dict(got.writes), got.storage) == (want.read, want.writes, want.storage), f"call {number}"
        assert got.read + sum(got.writes.values()) + got.fresh == r.prompt.tokens
        if r.reply is not None:
            r.prompt.append(r.reply)
            fast.settle(r.prompt, r.done, session=r.session)
            slow.settle(r.prompt, r.done, r.session)
            r.prompt.truncate(len(r.prompt) - 1)
