"""The sacred zone is exact: checked against its definition, spelled out by brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sim.engine.dual.item import Item
from sim.engine.dual.zones import find_zones, first_exchange, recent_start, step_starts


def rows(spec: str, tokens: int = 10) -> list[Item]:
    """`u` user, `a` assistant, `c` assistant with a call, `t` tool result, `s` system."""
    role = {"u": "user", "a": "assistant", "c": "assistant", "t": "tool", "s": "system"}
    return [Item(role[x], tokens, {"role": role[x], "content": ""}, int(x == "c")) for x in spec]


def test_first_exchange_holds_system_user_and_first_response():
    # The chapter's own loop starts its first exchange at index 0 and so leaves the first response out.
    assert first_exchange(rows("suactct")) == (3, 3)
    assert first_exchange(rows("uctttct")) == (2, 5)
    assert first_exchange(rows("uu")) == (2, 2)
    assert first_exchange([]) == (0, 0)


def test_recent_zone_of_a_short_history_is_everything():
    # The chapter leaves its boundary at the last message when the history is shorter than the zone.
    zones = find_zones(rows("uctctct"), 20_000)
    assert list(zones.old) == []
    assert zones.recent_start == 2


def test_recent_zone_never_parts_a_call_from_its_results():
    items = rows("uctt" + "cttt" * 5)
    for budget in range(0, 260, 5):
        start = recent_start(items, budget)
        assert items[start].role != "tool"


def test_step_in_hand_is_kept_whatever_its_size():
    items = [*rows("uctct"), Item("assistant", 5, {}, 1), Item("tool", 50_000, {"content": ""})]
    assert recent_start(items, 100) == 5
    assert recent_start([*items, Item("user", 3, {})], 0) == 5
    assert recent_start([*rows("uct"), *rows("a"), *rows("u")], 0) == 4
    assert recent_start(rows("ucta"), 0) == 3


def test_first_exchange_results_may_shrink_but_not_go():
    zones = find_zones(rows("uctctctct"), 20)
    assert zones.first_stop == 2
    assert zones.pinned_stop == 3
    assert zones.old[0] == 2
    assert zones.removable[0] == 3


def test_first_exchange_can_be_given_up():
    zones = find_zones(rows("suctctct"), 0, keep_first=False)
    assert (zones.first_stop, zones.pinned_stop) == (1, 1)


@given(
    st.lists(st.sampled_from(["u", "a", "ct", "ctt", "cttt"]), max_size=14),
    st.lists(st.integers(0, 300), min_size=60, max_size=60),
    st.integers(0, 1_500),
)
def test_recent_zone_is_the_longest_tail_of_whole_steps(parts, sizes, budget):
    spec = "u" + "".join(parts)
    items = [Item(i.role, sizes[k], i.message, i.calls) for k, i in enumerate(rows(spec))]
    start = recent_start(items, budget)
    # Definition: among tails that begin at a step and hold everything unanswered, the longest within the budget.
    unanswered = len(items)
    while unanswered and items[unanswered - 1].role == "user":
        unanswered -= 1
    if unanswered and (unanswered == len(items) or items[unanswered - 1].role == "tool"):
        unanswered = max(s for s in step_starts(items) if s < unanswered)
    fitting = [s for s in step_starts(items) if s <= unanswered and sum(i.tokens for i in items[s:]) <= budget]
    assert start == min([*fitting, unanswered])
