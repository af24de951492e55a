"""`run` and `report`, and transcripts that are not as they should be."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal
from pathlib import Path

import pytest
from cli_help import SCENARIOS, document, out

from sim.cli._entry import run_command


class TestRun:
    """`run` and `report`."""

    def test_json_has_the_contracts_keys(self, capsys: pytest.CaptureFixture[str], stored: Path) -> None:
        found = document(capsys, "run", str(stored), "--out", "r")
        assert {"schema", "run_dir", "scenario", "seed", "replications", "stamp", "arms", "paired"} <= set(found)
        assert {"sim", "engines", "price_cards", "tokenizer", "python"} <= set(found["stamp"])
        arm = found["arms"][0]
        assert {
            *("arm", "engine", "engine_version", "trigger_tokens", "trigger_rule", "observed_trigger_tokens"),
            *("ignored_settings", "sessions", "calls", "compactions", "prunes", "peak_tokens", "input_tokens"),
            *("cache_read_tokens", "cache_write_tokens", "fresh_tokens", "output_tokens", "auxiliary_input_tokens"),
            *("cost_usd", "cost_parts_usd", "hit_ratio", "miss_penalty_usd", "overflows", "unfinished"),
        } <= set(arm)
        assert set(arm["cost_usd"]) == {"mean", "p50", "p90", "p99", "low", "high"}
        assert isinstance(arm["cost_usd"]["mean"], str)
        assert sum(Decimal(v) for v in arm["cost_parts_usd"].values()) == Decimal(arm["cost_usd"]["mean"])
        (pair,) = found["paired"]
        assert {
            *("arm", "baseline", "saving_usd", "saving_pct", "p_cheaper", "verdict", "wins_from_call"),
        } <= set(pair)
        assert pair["verdict"] in {"cheaper", "dearer", "no difference shown"}

    def test_the_table_and_the_folder(
        self, capsys: pytest.CaptureFixture[str], stored: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "100")
        text = out(capsys, "run", str(stored), "--out", "r")
        assert text.startswith("two curves\n")
        assert "parametric" in text
        assert "stored: r\nreport: r/report.pdf\n" in text
        assert "Which of these 2 arms costs least on" in text
        assert Path("r/manifest.json").is_file()
        assert not list(Path().glob("*.work"))
        assert not list(Path().glob("*.lock"))
        monkeypatch.setenv("COLUMNS", "50")
        narrow = out(capsys, "run", str(stored), "--out", "r")
        assert all(len(line) <= 50 for line in narrow.splitlines())
        assert re.search(r"^  trigger +20K  \(trigger\)$", narrow, re.MULTILINE)
        chinese = out(capsys, "run", str(stored), "--out", "r", "--lang", "zh")
        assert "基线" in chinese

    def test_csv_has_a_row_for_each_arm(self, capsys: pytest.CaptureFixture[str], stored: Path) -> None:
        rows = list(csv.DictReader(io.StringIO(out(capsys, "run", str(stored), "--out", "r", "--format", "csv"))))
        assert [row["arm"] for row in rows] == ["nothing", "cap"]
        assert rows[1]["baseline"] == "nothing"
        assert rows[1]["saving_usd.mean"]

    def test_a_broken_limit_ends_with_4_after_the_result(
        self, capsys: pytest.CaptureFixture[str], stored: Path
    ) -> None:
        arguments = ["run", str(stored), "--out", "r", "--fail-if"]
        assert run_command([*arguments, "nothing.cost_usd.mean > 0"]) == 4
        captured = capsys.readouterr()
        assert "stored: r" in captured.out
        assert "limit broken in two" in captured.err
        assert run_command([*arguments, "nothing.cost_usd.mean < 0"]) == 0
        capsys.readouterr()
        assert run_command([*arguments, "cost_usd.mena < 0"]) == 2
        assert "did you mean 'cost_usd.mean'" in capsys.readouterr().err

    def test_an_expression_is_checked_before_anything_is_played(
        self, capsys: pytest.CaptureFixture[str], curve: Path
    ) -> None:
        assert run_command(["run", str(curve), "--fail-if", "saving <"]) == 2
        assert "ends too early" in capsys.readouterr().err
        assert [p.name for p in curve.parent.iterdir()] == ["two.yaml"]

    def test_one_out_folder_is_for_one_scenario(self, capsys: pytest.CaptureFixture[str], curve: Path) -> None:
        assert run_command(["run", str(curve), str(curve), "--out", "r"]) == 2
        assert "one by one" in capsys.readouterr().err

    def test_reports_from_the_stored_run(self, capsys: pytest.CaptureFixture[str], stored: Path) -> None:
        first = Path("r/report.pdf").read_bytes()
        assert out(capsys, "report", "r", "-o", "again.pdf") == "again.pdf\n"
        assert Path("again.pdf").read_bytes() == first
        assert out(capsys, "report", "r", "--html", "-o", "page.html") == "page.html\n"
        assert Path("page.html").read_text().lstrip().lower().startswith("<!doctype html")

    def test_a_folder_that_is_no_run(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        assert run_command(["report", str(tmp_path)]) == 3
        assert "not a run folder" in capsys.readouterr().err


class TestTranscripts:
    """Replayed transcripts that are not as they should be."""

    def scenario(self, folder: Path, content: str) -> Path:
        (folder / "session.jsonl").write_text(content)
        path = folder / "s.yaml"
        path.write_text(
            "schema: 1\nmodel: {name: claude-opus-4-7, window: 64K}\n"
            "workload: {kind: replay, transcripts: [session.jsonl]}\narms:\n  a: {engine: none}\n"
        )
        return path

    def test_not_a_transcript(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        self.scenario(tmp_path, "hello, world\n")
        assert run_command(["run", "s.yaml"]) == 3
        assert "error: session.jsonl: not a transcript" in capsys.readouterr().err
        assert sorted(p.name for p in tmp_path.iterdir()) == ["s.yaml", "session.jsonl"]
        (found,) = document(capsys, "validate", "s.yaml", code=3)["files"]
        assert "not a transcript" in found["findings"][0]["message"]

    def test_cut_in_the_middle_of_a_line(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        whole = (SCENARIOS / "sessions" / "bugfix.jsonl").read_text()
        path = self.scenario(tmp_path, whole[:30_000])
        (found,) = document(capsys, "validate", str(path))["files"]
        said = [f["message"] for f in found["findings"]]
        assert any("cut in the middle of line" in text for text in said)
        assert found["findings"][0]["file"].endswith("session.jsonl")
