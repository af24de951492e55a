"""Recorded against predicted: exact where the cache is simple, a named cause where it is not, and on to a bill."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.errors import InputError, TranscriptError
from sim.insight.bill import read_bill
from sim.insight.reconcile import Reconciliation, reconcile, waterfall
from sim.insight.verify import promised_saving, verify

T0 = 1_780_000_000
AS_OF = datetime(2026, 12, 1, tzinfo=UTC)
MODEL = "claude-sonnet-4-5"


def stamp(at: float) -> str:
    return datetime.fromtimestamp(T0 + at, UTC).isoformat()


def write(path: Path, calls: list[tuple[float, int, int, int, int]], model: str = MODEL, *, long: bool = False) -> Path:
    """A Claude Code session; each call is (start, fresh, read, write, output), answered after 3 s."""
    items: list[dict[str, Any]] = []
    for n, (at, fresh, read, written, output) in enumerate(calls):
        usage = {
            "input_tokens": fresh,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "cache_creation": {"ephemeral_1h_input_tokens": written if long else 0},
            "output_tokens": output,
        }
        text = f"question number {n} " + "on the state of things " * 8
        for kind, uuid, parent, when, message in (
            ("user", f"u{n}", f"a{n - 1}" if n else None, at, {"role": "user", "content": text}),
            ("assistant", f"a{n}", f"u{n}", at + 3, {"id": f"{path}-m{n}", "role": "assistant",
                                                     "model": model, "usage": usage,
                                                     "content": [{"type": "text", "text": "an answer"}]}),
        ):  # fmt: skip
            items.append({"type": kind, "uuid": uuid, "parentUuid": parent, "timestamp": stamp(when),
                          "isSidechain": False, "message": message})  # fmt: skip
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return path


def exact(path: Path) -> Reconciliation:
    return reconcile([str(path)], exact=True, as_of=AS_OF)


def brute_force(starts: list[float], sizes: list[int], lifetime: float) -> list[tuple[float, int, int, int, int]]:
    """Usage of an append-only session whose whole prompt is marked: every earlier end may be read while it is alive."""
    alive: dict[int, float] = {}
    made = []
    for at, size in zip(starts, sizes, strict=True):
        read = max((end for end, used in alive.items() if end <= size and at - used <= lifetime), default=0)
        if read:
            alive[read] = at
        alive[size] = at
        made.append((at, 0, read, size - read, 5))
    return made


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([4, 20, 250, 299, 310, 900, 3_500, 4_000]), st.integers(0, 9_000)),
                min_size=1, max_size=12), st.booleans())  # fmt: skip
def test_split_of_an_append_only_session_is_predicted_to_the_token(
    tmp_path_factory: Any, steps: list[tuple[int, int]], long: bool
) -> None:
    """Property: prompts and times alone give the recorded split, for both TTL classes."""
    starts, sizes, at, size = [], [], 0.0, 12_000
    for gap, growth in steps:
        starts.append(at)
        sizes.append(size)
        at, size = at + gap, size + growth
    calls = brute_force(starts, sizes, 3_600 if long else 300)
    found = exact(write(tmp_path_factory.mktemp("r") / "s.jsonl", calls, long=long))
    for line, (_, _, read, written, _) in zip(found.lines, calls, strict=True):
        assert (line.predicted.read, line.predicted.write_5m + line.predicted.write_1h) == (read, written)
        assert line.cause == ""
        assert line.predicted_pico == line.recorded_pico
    assert found.read_share()[0] == found.read_share()[1]


def test_money_is_the_list_price_of_the_recorded_usage(tmp_path: Path) -> None:
    calls = [(0.0, 10, 0, 20_000, 100), (60.0, 10, 20_000, 500, 200)]
    found = exact(write(tmp_path / "s.jsonl", calls))
    # Sonnet 4.5: $3 input, $15 output, $0.30 read, $3.75 5-minute write per million tokens; pico-dollars a token.
    assert [line.recorded_pico for line in found.lines] == [
        10 * 3_000_000 + 20_000 * 3_750_000 + 100 * 15_000_000,
        10 * 3_000_000 + 20_000 * 300_000 + 500 * 3_750_000 + 200 * 15_000_000,
    ]


def test_a_warm_first_call_is_told_apart_from_a_wrong_prediction(tmp_path: Path) -> None:
    found = exact(write(tmp_path / "s.jsonl", [(0.0, 3, 11_000, 1_000, 9), (30.0, 3, 12_000, 300, 9)]))
    assert found.lines[0].cause == "state of the cache before the file"
    assert found.lines[0].start
    assert found.lines[1].cause == ""
    recorded, predicted = found.read_share()
    assert abs(recorded - predicted) < 0.001


def test_causes_of_differences(tmp_path: Path) -> None:
    cases = {
        "not explained": [(0.0, 0, 0, 30_000, 5), (30.0, 0, 12_000, 18_500, 5)],
        "unknown rewrite": [(0.0, 0, 0, 30_000, 5), (30.0, 0, 12_000, 6_000, 5)],
        "TTL class": [(0.0, 0, 0, 30_000, 5), (900.0, 0, 30_000, 500, 5)],
        "": [(0.0, 0, 0, 30_000, 5), (30.0, 0, 30_000, 500, 5), (60.0, 0, 30_500, 0, 5)],
    }
    for cause, calls in cases.items():
        found = exact(write(tmp_path / "s.jsonl", calls))
        assert found.lines[-1].cause == cause
        assert found.explained == (0.5 if cause == "not explained" else 1.0)
    assert found.causes == {}


def test_a_model_switch_starts_cold(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", [(0.0, 0, 0, 30_000, 5), (30.0, 0, 30_000, 100, 5), (60.0, 0, 0, 30_200, 5)])
    text = path.read_text(encoding="utf-8").splitlines()
    text[-1] = text[-1].replace(MODEL, "claude-opus-4-5")
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    found = exact(path)
    assert found.lines[-1].model == "claude-opus-4-5"
    assert found.lines[-1].predicted.read == 0
    assert found.lines[-1].cause == ""


def test_counted_prompts_follow_a_calibrated_tokenizer(tmp_path: Path) -> None:
    """The provider counts twice our tokens; a calibration on the first ten calls carries over to the rest."""
    calls, size = [], 15_000
    for n in range(30):
        calls.append((n * 30.0, 0, size - 150 if n else 0, 150 if n else size, 5))
        size += 150
    found = reconcile([str(write(tmp_path / "s.jsonl", calls))], as_of=AS_OF)
    (calibration,) = found.calibrations.values()
    assert calibration.pairs == 10
    last = found.lines[-1]
    assert abs(last.predicted.input - last.recorded.input) < 0.02 * last.recorded.input


def test_an_unknown_model_is_no_price_not_zero(tmp_path: Path) -> None:
    found = exact(write(tmp_path / "s.jsonl", [(0.0, 0, 0, 9_000, 5), (9.0, 0, 9_000, 10, 5)], "my-own-model"))
    assert all(line.recorded_pico is None and line.predicted_pico is None for line in found.lines)
    assert any("my-own-model" in note for note in found.notes)


def test_the_waterfall_adds_up_to_the_bill(tmp_path: Path) -> None:
    path = str(write(tmp_path / "s.jsonl", [(0.0, 3, 11_000, 1_000, 9), (30.0, 3, 12_000, 300, 9)]))
    counted, sized = reconcile([path], as_of=AS_OF), reconcile([path], exact=True, as_of=AS_OF)
    (tmp_path / "bill.txt").write_text("$0.50", encoding="utf-8")
    steps = waterfall(counted, sized, read_bill(tmp_path / "bill.txt"))
    assert sum(step["pico"] for step in steps) == steps[-1]["total"] == 500_000_000_000
    assert steps[-2]["total"] == sum(line.recorded_pico or 0 for line in sized.lines)


@pytest.mark.parametrize(
    ("text", "pico", "entries"),
    [
        ("12.34", 12_340_000_000_000, 1),
        ("$1,200.50", 1_200_500_000_000_000, 1),
        ('{"cost_usd": "0.000001"}', 1_000_000, 1),
        ('{"data": [{"cost": 1}, {"cost": 2.5}]}', 3_500_000_000_000, 2),
        ("date,model,Cost (USD)\n2026-01-01,a,0.10\n2026-01-02,b,0.20\n", 300_000_000_000, 2),
    ],
)
def test_bills(text: str, pico: int, entries: int, tmp_path: Path) -> None:
    (tmp_path / "bill").write_text(text, encoding="utf-8")
    assert read_bill(tmp_path / "bill") == {"pico": pico, "source": "bill", "entries": entries}


@pytest.mark.parametrize("text", ["", "hello", "[]", "a,b\n1,2\n", "NaN", "inf", "{" * 3_000])
def test_what_is_no_bill(text: str, tmp_path: Path) -> None:
    (tmp_path / "bill").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="no amount"):
        read_bill(tmp_path / "bill")


# verify ------------------------------------------------------------------------------------------------------------


def sessions(folder: Path, written: list[int]) -> list[str]:
    """One session for each size of what its second call writes."""
    folder.mkdir()
    return [
        str(write(folder / f"{n}.jsonl", [(n * 9_000.0, 0, 0, 10_000, 5), (n * 9_000.0 + 30, 0, 10_000, size, 5)]))
        for n, size in enumerate(written)
    ]


def test_a_saving_that_arrived_and_one_that_did_not(tmp_path: Path) -> None:
    before = sessions(tmp_path / "a", [40_000, 42_000, 44_000, 41_000, 43_000, 40_500])
    after = sessions(tmp_path / "b", [9_000, 10_000, 11_000, 9_500, 10_500, 10_000])
    good = verify(before, after, (0.5, 0.4, 0.6), as_of=AS_OF)
    assert good.verdict == "arrived"
    assert good.low < good.measured < good.high
    assert verify(before, after, (0.95, 0.9, 0.99), as_of=AS_OF).verdict == "partly arrived"
    assert verify(after, before, (0.5, 0.4, 0.6), as_of=AS_OF).verdict == "did not arrive"
    assert verify(before[:2], after[:2], (0.5, 0.4, 0.6), as_of=AS_OF).verdict == "cannot tell"
    assert verify(before, after, (0.5, 0.4, 0.6), as_of=AS_OF) == good


def test_verify_needs_usage_on_both_sides(tmp_path: Path) -> None:
    before = sessions(tmp_path / "a", [1_000])
    chat = tmp_path / "chat.json"
    chat.write_text('[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]', encoding="utf-8")
    with pytest.raises(TranscriptError, match="after the change"):
        verify(before, [str(chat)], (0.5, 0.4, 0.6), as_of=AS_OF)


def test_the_promise_is_read_from_a_stored_run() -> None:
    pair = {"arm": "cap", "saving_pct": {"mean": 25.0, "low": 20.0, "high": 30.0}}
    assert promised_saving({"result": {"paired": [pair]}}) == (0.25, 0.2, 0.3)
    with pytest.raises(InputError, match="its arms are: cap"):
        promised_saving({"result": {"paired": [pair]}}, "other")
