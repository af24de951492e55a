"""Hostile files: each ends in a clear message or a counted skip; no crash, no hang, bounded memory."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from replay_samples import SAMPLES
from replay_writers_first import claude_answer, claude_line, claude_usage
from replay_writing import document, iso, lines

from sim.errors import TranscriptError, UsageError
from sim.history import RowMaker
from sim.workload.replay import Imports, format_names, import_transcripts
from sim.workload.replay import source as source_module
from sim.workload.replay.source import mend


def turn(
    n: int, at: float, usage: dict[str, object] | None = None, parent: str | None = None
) -> list[dict[str, object]]:
    """A message and its answer in Claude Code's form."""
    say = {"role": "user", "content": f"question {n}"}
    answer = claude_answer(f"m{n}", {"type": "text", "text": "yes"}, usage or claude_usage(1, 0, 500, 0, 5))
    return [
        claude_line("user", f"u{n}", parent or (f"a{n - 1}" if n else None), at, say),
        claude_line("assistant", f"a{n}", f"u{n}", at + 2, answer),
    ]


def test_empty_file(tmp_path: Path, maker: RowMaker) -> None:
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(TranscriptError, match="empty") as caught:
        import_transcripts([str(tmp_path / "x")], maker=maker)
    assert caught.value.exit_code == 3


def test_missing_path_and_unknown_format(tmp_path: Path, maker: RowMaker) -> None:
    with pytest.raises(TranscriptError, match="no such file"):
        import_transcripts([str(tmp_path / "nowhere")], maker=maker)
    (tmp_path / "x").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="openai-chat"):
        import_transcripts([str(tmp_path / "x")], format="word", maker=maker)


@pytest.mark.parametrize(
    "text", ["dear diary", "{}", "[]", '{"a": 1}', "a,b\n1,2\n", "[1, 2", '"x"', "null", "{" * 5_000]
)
def test_not_a_transcript_names_what_was_tried(text: str, tmp_path: Path, maker: RowMaker) -> None:
    (tmp_path / "x").write_text(text, encoding="utf-8")
    with pytest.raises(TranscriptError) as caught:
        import_transcripts([str(tmp_path / "x")], maker=maker)
    assert caught.value.exit_code == 3
    assert "claude-code" in str(caught.value)


def test_a_folder_without_transcripts_is_an_error(tmp_path: Path, maker: RowMaker) -> None:
    (tmp_path / "a.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(TranscriptError, match="no session found"):
        import_transcripts([str(tmp_path)], maker=maker)


def test_archives_are_not_opened(tmp_path: Path, maker: RowMaker) -> None:
    with zipfile.ZipFile(tmp_path / "a.jsonl", "w") as archive:
        archive.writestr("session.jsonl", "{}")
    (tmp_path / "b.jsonl").write_bytes(gzip.compress(b"{}"))
    for name in ("a.jsonl", "b.jsonl"):
        with pytest.raises(TranscriptError, match="unpack it first"):
            import_transcripts([str(tmp_path / name)], maker=maker)


def test_cut_in_the_middle_of_a_line_is_read_up_to_there_and_said(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "s.jsonl"
    lines(path, turn(0, 0) + turn(1, 60))
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    (one,) = import_transcripts([str(path)], maker=maker)
    assert one.script.calls == 1
    assert one.report.notes[0] == "cut in the middle of line 4: read up to there"


def test_a_cut_document_is_read_up_to_there_and_said(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "s.json"
    document(path, [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"},
                    {"role": "user", "content": "and then a long question that is cut"}])  # fmt: skip
    path.write_text(path.read_text(encoding="utf-8")[:-30], encoding="utf-8")
    (one,) = import_transcripts([str(path)], maker=maker)
    assert one.script.calls == 1
    assert "read up to there" in one.report.notes[0]


@pytest.mark.parametrize("text", ['[{"a": [1, 2, {"b": "x]', '{"m": [{"a": "\\"}"}, {"b": 1', '[1, 2, 3, "a', "[[[1"])
def test_mended_documents_are_json(text: str) -> None:
    mended, upto = mend(text)
    assert upto <= len(text)
    assert upto == 0 or json.loads(mended) is not None


def test_damaged_bytes_nul_and_deep_nesting_are_skipped_and_counted(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "s.jsonl"
    first, last = turn(0, 0), turn(1, 60)
    good = "".join(json.dumps(item) + "\n" for item in first).encode()
    good = good.replace(b"question 0", b"question \xff\xfe 0")
    deep = b'{"type": "user", "message": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    more = "".join(json.dumps(item) + "\n" for item in last).encode()
    path.write_bytes(b"\x00" * 64 + b"\n" + good + deep + b'[1, 2]\n"text"\n\x00\x00\n' + b'{"broken": }\n' + more)
    (one,) = import_transcripts([str(path)], maker=maker)
    assert one.script.calls == 2
    assert one.report.skipped == {"JSON nested too deep": 1, "invalid JSON": 1, "not a JSON object": 2}


def test_a_line_that_is_too_long_is_passed_over_in_pieces(
    tmp_path: Path, maker: RowMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "LONGEST_LINE", 200_000)
    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        file.write("".join(json.dumps(item) + "\n" for item in turn(0, 0)).encode())
        file.write(b'{"type": "user", "text": "' + b"x" * 8_000_000 + b'"}\n')
        file.write("".join(json.dumps(item) + "\n" for item in turn(1, 60)).encode())
    tracemalloc.start()
    (one,) = import_transcripts([str(path)], maker=maker)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert one.script.calls == 2
    assert sum(n for reason, n in one.report.skipped.items() if reason.startswith("line longer")) == 1
    assert peak < 6_000_000


def test_a_document_that_is_too_large_says_so(tmp_path: Path, maker: RowMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "LARGEST_DOCUMENT", 1_000)
    document(tmp_path / "s.json", [{"role": "user", "content": "x" * 2_000}, {"role": "assistant", "content": "y"}])
    with pytest.raises(TranscriptError, match="split it"):
        import_transcripts([str(tmp_path / "s.json")], maker=maker)


def test_cyclic_parents(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "s.jsonl"
    items = turn(0, 0) + turn(1, 60) + turn(2, 120)
    items[0]["parentUuid"], items[2]["parentUuid"], items[4]["parentUuid"] = "a2", "u1", "u2"
    lines(path, items)
    (one,) = import_transcripts([str(path)], maker=maker)
    assert one.script.calls == 3
    entries = [{"type": "session", "id": "x", "cwd": "/", "timestamp": iso(0)}]
    for ident, parent in (("1", "2"), ("2", "1")):
        message = {"role": "user" if ident == "1" else "assistant", "content": [{"type": "text", "text": "t"}]}
        entries.append({"type": "message", "id": ident, "parentId": parent, "timestamp": iso(1), "message": message})  # type: ignore[dict-item]
    lines(path, entries)
    assert import_transcripts([str(path)], maker=maker)[0].script.calls == 1


def test_negative_and_absurd_token_counts_are_no_counts(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "s.jsonl"
    bad = {
        "input_tokens": -5,
        "cache_read_input_tokens": 10**30,
        "cache_creation_input_tokens": "many",
        "output_tokens": None,
    }
    huge = {"input_tokens": float("1e300"), "output_tokens": True}
    lines(path, turn(0, 0, bad) + turn(1, 60, huge))
    (one,) = import_transcripts([str(path)], maker=maker)
    assert one.script.calls == 2
    assert one.report.recorded_calls == 0


def test_times_that_run_backwards_take_no_time_and_are_said(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "s.jsonl"
    lines(path, turn(0, 500) + turn(1, 100) + turn(2, 900))
    (one,) = import_transcripts([str(path)], maker=maker)
    assert [t.gap for t in one.script.turns] == [0.0, 0.0, 398.0]
    assert any("run backwards" in note for note in one.report.notes)


def test_times_that_are_none(tmp_path: Path, maker: RowMaker) -> None:
    path = tmp_path / "s.jsonl"
    items = turn(0, 0) + turn(1, 60)
    for item, stamp in zip(items, ("soon", 10**40, -1, {"a": 1}), strict=True):
        item["timestamp"] = stamp
    lines(path, items)
    (one,) = import_transcripts([str(path)], maker=maker)
    assert one.script.turns[1].gap == 117.0
    assert any("medians assumed" in note for note in one.report.notes)


def test_ten_thousand_tool_calls_in_one_message(tmp_path: Path, maker: RowMaker) -> None:
    calls = [{"id": f"c{n}", "type": "function", "function": {"name": "f", "arguments": "{}"}} for n in range(10_000)]
    results = [{"role": "tool", "tool_call_id": f"c{n}", "content": "r"} for n in range(10_000)]
    document(
        tmp_path / "s.json", [{"role": "user", "content": "all"}, {"role": "assistant", "tool_calls": calls}, *results]
    )
    (one,) = import_transcripts([str(tmp_path / "s.json")], maker=maker)
    assert len(one.script.turns[0].replies[0].tools) == 10_000


def test_the_same_call_id_again_stays_paired(tmp_path: Path, maker: RowMaker) -> None:
    call = {"id": "same", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    rows = [{"role": "user", "content": "go"}]
    for n in range(3):
        rows += [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "same", "content": str(n)},
        ]  # type: ignore[dict-item]
    document(tmp_path / "s.json", rows)
    (one,) = import_transcripts([str(tmp_path / "s.json")], maker=maker)
    results = [r.tools[0].result.message for r in one.script.turns[0].replies]
    assert [m and m["content"] for m in results] == ["0", "1", "2"]
    assert len({m["tool_call_id"] for m in results if m}) == 3


def test_names_of_sessions_are_unique(tmp_path: Path, maker: RowMaker) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        document(
            tmp_path / folder / "s.json", [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
        )
    found = import_transcripts([str(tmp_path)], maker=maker)
    assert [one.script.session for one in found] == ["s", "s~2"]


@pytest.mark.parametrize("sample", SAMPLES, ids=[s.format for s in SAMPLES])
def test_any_cut_of_any_format_never_crashes(sample, tmp_path: Path, maker: RowMaker) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / f"s{sample.suffix}"
    sample.write(path)
    whole = path.read_bytes()
    for share in (0.05, 0.3, 0.55, 0.8, 0.97):
        path.write_bytes(whole[: int(len(whole) * share)])
        message = ""
        try:
            found = import_transcripts([str(path)], maker=maker)
        except TranscriptError as error:
            found, message = Imports(), str(error)
        assert str(path) in message or all(one.script.calls for one in found)
        assert found or message


@pytest.mark.parametrize("name", format_names())
def test_any_format_forced_on_any_file_never_crashes(name: str, tmp_path: Path, maker: RowMaker) -> None:
    others = [sample for sample in SAMPLES if sample.format != name]
    for sample in others:
        path = tmp_path / sample.format
        sample.write(path)
        message = ""
        try:
            found = import_transcripts([str(path)], format=name, maker=maker)
        except TranscriptError as error:
            found, message = Imports(), str(error)
        assert found or str(path) in message
