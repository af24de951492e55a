"""Every format's sample: recognised under any name, counted as by hand, nothing unexplained, playable rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from replay_samples import SAMPLES, Sample

from sim.history import RowMaker, unpaired_calls
from sim.workload.replay import Imports, format_names, import_transcripts

BY_NAME = {sample.format: sample for sample in SAMPLES}
each = pytest.mark.parametrize("sample", SAMPLES, ids=[sample.format for sample in SAMPLES])


def imported(sample: Sample, folder: Path, maker: RowMaker, name: str = "") -> Imports:
    path = folder / (name or f"sample{sample.suffix}")
    sample.write(path)
    return import_transcripts([str(path)], maker=maker)


def test_every_format_has_a_sample() -> None:
    assert {sample.format for sample in SAMPLES} == set(format_names())


@each
def test_recognised_by_content_not_by_name(sample: Sample, tmp_path: Path, maker: RowMaker) -> None:
    for name in ("rollout-1.jsonl", "state.db", "notes.txt"):
        assert {one.format for one in imported(sample, tmp_path, maker, name)} == {sample.format}


@each
def test_counts_equal_a_count_by_hand(sample: Sample, tmp_path: Path, maker: RowMaker) -> None:
    found = imported(sample, tmp_path, maker)
    replies = [r for one in found for turn in one.script.turns for r in turn.replies]
    recorded = [reply.recorded for reply in replies if reply.recorded]
    skipped: Counter[str] = Counter()
    for one in found:
        skipped.update(one.report.skipped)
    assert len(found) == sample.sessions
    assert dict(skipped) == sample.skipped
    assert sum(one.report.rows for one in found) == sample.rows
    assert sum(one.report.used for one in found) == sample.used
    assert len(replies) == sum(one.report.calls for one in found) == sample.calls
    assert sum(len(reply.tools) for reply in replies) == sample.tools
    assert sum(one.input_tokens for one in recorded) == sample.input
    assert sum(one.cache_read_tokens for one in recorded) == sample.read
    assert sum(one.cache_write_5m_tokens + one.cache_write_1h_tokens for one in recorded) == sample.written
    assert sum(one.output_tokens for one in recorded) == sample.output
    assert sum(len(turn.users) for one in found for turn in one.script.turns) == sample.users


@each
def test_nothing_is_unexplained(sample: Sample, tmp_path: Path, maker: RowMaker) -> None:
    for one in imported(sample, tmp_path, maker):
        assert one.report.rows == one.report.used + sum(one.report.skipped.values())
        for call in (reply.recorded for turn in one.script.turns for reply in turn.replies):
            if call is not None:
                fresh = (
                    call.input_tokens - call.cache_read_tokens - call.cache_write_5m_tokens - call.cache_write_1h_tokens
                )
                assert min(fresh, call.cache_read_tokens, call.output_tokens) >= 0


@each
def test_scripts_can_be_played(sample: Sample, tmp_path: Path, maker: RowMaker) -> None:
    for one in imported(sample, tmp_path, maker):
        script = one.script
        assert script.has_text == sample.text
        rows = list(script.prefix)
        assert all(row.role in {"tools", "system"} for row in rows)
        for turn in script.turns:
            assert turn.gap >= 0
            assert turn.users
            assert turn.replies
            rows += turn.users
            for reply in turn.replies:
                assert reply.seconds >= 0
                assert reply.hidden_tokens >= 0
                assert reply.row.calls == len(reply.tools) or not script.has_text
                rows.append(reply.row)
                rows += [tool.result for tool in reply.tools]
                assert all(tool.seconds >= 0 and tool.result.role == "tool" for tool in reply.tools)
        assert all((row.message is not None) == script.has_text for row in rows)
        assert unpaired_calls(rows) == (set(), set())


@each
def test_the_same_file_gives_the_same_script(sample: Sample, tmp_path: Path, maker: RowMaker) -> None:
    first, second = imported(sample, tmp_path, maker), imported(sample, tmp_path, maker)
    for a, b in zip(first, second, strict=True):
        assert (a.script.session, a.script.started_at, a.report) == (b.script.session, b.script.started_at, b.report)
        assert [r.ident for r in a.script.prefix] == [r.ident for r in b.script.prefix]


def test_a_folder_is_many_sessions_and_says_what_it_passed_over(tmp_path: Path, maker: RowMaker) -> None:
    for sample in SAMPLES:
        sample.write(tmp_path / f"{sample.format}{sample.suffix}")
    (tmp_path / "readme.md").write_text("nothing to see", encoding="utf-8")
    found = import_transcripts([str(tmp_path)], maker=maker)
    assert len(found) == sum(sample.sessions for sample in SAMPLES)
    assert len({one.script.session for one in found}) == len(found)
    assert [Path(path).name for path, _ in found.passed_over] == ["readme.md"]


def test_a_glob_is_many_sessions(tmp_path: Path, maker: RowMaker) -> None:
    for n in range(3):
        BY_NAME["openai-chat"].write(tmp_path / f"chat-{n}.json")
    assert len(import_transcripts([str(tmp_path / "chat-*.json")], maker=maker)) == 3
