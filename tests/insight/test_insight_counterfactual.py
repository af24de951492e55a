"""Where a replay stops being what happened."""

from __future__ import annotations

import pandas as pd

from sim.insight.counterfactual import divergences, summary


def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    sessions = pd.DataFrame({"arm": ["a", "b", "a", "b"], "session": ["s", "s", "t", "t"], "calls": [10, 10, 4, 4]})
    rewrites = pd.DataFrame(
        {
            "arm": ["a", "a", "a", "b", "b"],
            "session": ["s", "s", "s", "s", "t"],
            "kind": ["attempt", "prune", "compaction", "compaction", "prune"],
            "call": [2, 7, 5, 9, 5],
        }
    )
    return sessions, rewrites


def test_the_first_rewrite_that_changed_something_counts() -> None:
    found = divergences(*tables())
    assert [(d.first_call, d.cause, d.counterfactual_calls) for d in found] == [
        (5, "compaction", 6),
        (9, "compaction", 2),
        (None, "", 0),
        (None, "", 0),  # a rewrite after the last call changed no request
    ]


def test_an_undone_compaction_of_the_recording_counts_too() -> None:
    found = divergences(*tables(), {"s": (7, 3), "t": (9,)})
    assert [(d.first_call, d.cause) for d in found[:2]] == [(3, "recorded compaction undone")] * 2
    assert found[2].first_call is None


def test_summary_by_arm() -> None:
    rows = summary(divergences(*tables()))
    assert rows[0] == {
        "arm": "a", "sessions": 2, "diverged": 1, "calls": 14, "counterfactual_calls": 6,
        "counterfactual_share": 6 / 14,
    }  # fmt: skip
    assert rows[1]["counterfactual_calls"] == 2
