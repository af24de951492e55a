"""Unread tokens are split exactly, and each part has the cause that made it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sim.history import Edit
from sim.world.attribution import attribute

SUMS = [0, 100, 150, 200, 300, 450, 500]


def test_an_append_only_warm_call_loses_nothing() -> None:
    unread = attribute(sums=SUMS, unchanged=450, appended=50, edits=[], read=450, why="")
    assert (unread.first_write, unread.lost) == (50, {})


def test_an_expired_cache_loses_what_was_unchanged() -> None:
    unread = attribute(sums=SUMS, unchanged=450, appended=50, edits=[], read=0, why="ttl")
    assert (unread.first_write, unread.lost) == (50, {"ttl": 450})


def test_a_prune_loses_from_its_first_row_to_what_was_appended() -> None:
    unread = attribute(sums=SUMS, unchanged=150, appended=50, edits=[Edit(2, "prune")], read=150, why="")
    assert (unread.first_write, unread.lost) == (50, {"prune": 300})


def test_a_rebuilt_system_prompt_and_a_compaction_share_the_loss() -> None:
    edits = [Edit(3, "compaction"), Edit(1, "system")]
    unread = attribute(sums=SUMS, unchanged=100, appended=0, edits=edits, read=100, why="")
    assert unread.lost == {"system": 100, "compaction": 300}


def test_a_read_beyond_the_last_request_is_no_loss() -> None:
    unread = attribute(sums=SUMS, unchanged=0, appended=500, edits=[], read=300, why="")
    assert (unread.first_write, unread.lost) == (200, {})


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=20),
    st.integers(0, 20),
    st.integers(0, 20),
    st.integers(0, 20_000),
    st.lists(st.tuples(st.integers(0, 20), st.sampled_from(["compaction", "prune", "system", "model", "odd"]))),
)
def test_the_parts_add_up(
    sizes: list[int], unchanged: int, appended: int, read: int, edits: list[tuple[int, str]]
) -> None:
    sums = [0]
    for size in sizes:
        sums.append(sums[-1] + size)
    stable = sums[min(unchanged, len(sizes))]
    new = min(sums[-1] - stable, sums[-1] - sums[max(0, len(sizes) - appended)])
    hit = min(read, sums[-1])
    marks = [Edit(max(first, min(unchanged, len(sizes))), cause) for first, cause in edits]
    unread = attribute(sums=sums, unchanged=stable, appended=new, edits=marks, read=hit, why="ttl")
    assert unread.first_write >= 0
    assert all(n > 0 for n in unread.lost.values())
    assert unread.first_write + sum(unread.lost.values()) == sums[-1] - hit
