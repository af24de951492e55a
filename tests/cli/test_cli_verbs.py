"""The verbs that play nothing: what they print, write and return."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest
from cli_help import CURVE, SCENARIOS, document, out

from sim.cli._doctor import examine
from sim.cli._entry import run_command
from sim.cli._prices import per_million
from sim.cli._words import _WORDS, word
from sim.scenario import load_scenario


class TestInit:
    """`init`."""

    def test_a_starter_that_validates_with_its_schema(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = tmp_path / "new" / "place"
        assert out(capsys, "init", str(folder)).split() == [
            str(folder / "scenario.yaml"),
            str(folder / "scenario.schema.json"),
        ]
        assert load_scenario(folder / "scenario.yaml").name == "scenario"
        schema = json.loads((folder / "scenario.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema == json.loads(out(capsys, "schema"))

    def test_nothing_is_overwritten_unless_forced(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "scenario.yaml").write_text("mine\n")
        assert run_command(["init", str(tmp_path)]) == 2
        assert "--force" in capsys.readouterr().err
        assert (tmp_path / "scenario.yaml").read_text() == "mine\n"
        assert not (tmp_path / "scenario.schema.json").exists()
        out(capsys, "init", str(tmp_path), "--force")
        assert load_scenario(tmp_path / "scenario.yaml").name == "scenario"


def test_schema_into_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep" / "s.json"
    assert out(capsys, "schema", "-o", str(path)) == f"{path}\n"
    assert json.loads(path.read_text())["title"] == "Scenario"


class TestValidate:
    """`validate`."""

    def test_the_guides_block_line_by_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        (found,) = document(capsys, "validate", str(SCENARIOS / "guide" / "final.yaml"))["files"]
        assert (found["kind"], found["ok"]) == ("config", True)
        lines = {line["setting"]: line for line in found["lines"]}
        assert lines["memory_char_limit"]["status"] == "misplaced"
        assert lines["memory_char_limit"]["belongs_to"] == "memory.memory_char_limit"
        assert lines["auxiliary.compression.free_only"]["belongs_to"] == "auxiliary.free_only"
        assert lines["compression.max_attempts"]["status"] == "works"
        assert "not retries" in lines["compression.max_attempts"]["why"]
        at_260k = [note for note in lines["compression.threshold"]["at_windows"] if note.startswith("window 260,000")]
        assert at_260k == ["window 260,000: fires at 195,000 (floor_75), not at 0.7 × 260,000 = 182,000"]
        assert any("260,000: no effect" in n for n in lines["compression.threshold_tokens"]["at_windows"])
        triggers = {row["window"]: row["trigger_tokens"] for row in found["triggers"]}
        assert triggers == {200_000: 150_000, 260_000: 195_000, 1_000_000: 230_000}

    def test_the_guides_block_for_people(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "200")
        text = out(capsys, "validate", str(SCENARIOS / "guide" / "final.yaml"))
        assert "   3  misplaced  memory_char_limit: 8000\n" in text
        assert "it belongs to `memory:`" in text
        assert "works      compression.threshold: 0.7" in text

    def test_arms_with_one_trigger_are_warned_about(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        path = tmp_path / "same.yaml"
        path.write_text(
            "schema: 1\nmodel: {name: claude-opus-4-7, window: 200K}\n"
            "workload: {kind: synthetic, preset: long-haul}\narms:\n"
            + "".join(f"  r{i}: {{compression: {{threshold: 0.{i}}}}}\n" for i in (3, 5, 7))
        )
        (found,) = document(capsys, "validate", str(path))["files"]
        assert found["ok"]
        (warning,) = found["findings"]
        assert warning["level"] == "warning"
        assert "threshold 0.3, 0.5 and 0.7 are one and the same trigger" in warning["message"]
        assert "150,000" in warning["message"]
        assert [row["trigger_tokens"] for row in found["triggers"]] == [150_000] * 3

    def test_errors_have_places(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        path = tmp_path / "bad.yaml"
        path.write_text(CURVE.replace("1M", "0"))
        (found,) = document(capsys, "validate", str(path), code=3)["files"]
        assert not found["ok"]
        (error,) = found["findings"]
        assert (error["line"], error["col"], error["path"]) == (3, 40, "model.window")
        assert error["remedy"]

    def test_several_files_and_csv(self, capsys: pytest.CaptureFixture[str], curve: Path) -> None:
        text = out(capsys, "validate", str(curve), str(SCENARIOS / "guide" / "final.yaml"), "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(text)))
        assert {row["status"] for row in rows} == {"works", "misplaced"}

    def test_an_engine_that_reads_no_config(self, capsys: pytest.CaptureFixture[str]) -> None:
        path = str(SCENARIOS / "guide" / "final.yaml")
        assert run_command(["validate", path, "--engine", "none"]) == 2
        assert "hermes@0.22" in capsys.readouterr().err


class TestExplain:
    """`explain`."""

    def test_windows_and_engines(self, capsys: pytest.CaptureFixture[str]) -> None:
        path = str(SCENARIOS / "guide" / "recommended.yaml")
        engines = ["--engine", "hermes@0.19", "--engine", "hermes@0.22"]
        found = document(capsys, "explain", path, "--windows", "260K, 1M", *engines)
        assert found["schema"] == 1
        triggers = {(r["engine"], r["window"]): r["trigger_tokens"] for r in found["rows"]}
        assert triggers[("hermes@0.19", 260_000)] == 195_000
        assert triggers[("hermes@0.19", 1_000_000)] == 700_000
        assert triggers[("hermes@0.22", 1_000_000)] == 230_000
        keys = {"engine", "window", "threshold", "threshold_tokens", "max_tokens", "trigger_tokens", "trigger_rule"}
        assert keys | {"tail_tokens", "tail_kept_tokens"} <= set(found["rows"][0])
        assert {"ignored", "misplaced"} <= set(found)

    def test_a_scenario_with_an_override(self, capsys: pytest.CaptureFixture[str]) -> None:
        path = str(SCENARIOS / "cap-vs-ratio.yaml")
        found = document(capsys, "explain", path, "--set", "model.window=260K")
        assert {row["trigger_tokens"] for row in found["rows"]} == {195_000}
        text = out(capsys, "explain", path, "--diagnose")
        assert "fires first" in text

    def test_a_window_that_is_none(self, capsys: pytest.CaptureFixture[str]) -> None:
        path = str(SCENARIOS / "guide" / "recommended.yaml")
        assert run_command(["explain", path, "--windows", "12X"]) == 2
        assert "--windows" in capsys.readouterr().err


class TestPrices:
    """`prices`."""

    def test_one_card(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = document(capsys, "prices", "claude-opus-4-7", "--as-of", "2026-12-01")
        (card,) = found["cards"]
        assert (card["model"], card["provider"]) == ("claude-opus-4-7", "anthropic")
        assert card["tiers"][0]["input_usd"] == "5.00"
        assert card["tiers"][0]["cache_write_1h_usd"] == "10.00"
        assert card["source"]
        assert card["checked"]

    def test_the_list_holds_the_scenarios_models(self, capsys: pytest.CaptureFixture[str]) -> None:
        text = out(capsys, "prices", "--format", "csv")
        models = {row["model"] for row in csv.DictReader(io.StringIO(text))}
        assert "claude-opus-4-7" in models
        assert len(models) > 20

    def test_an_unknown_model_is_an_error(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run_command(["prices", "claude-opus-47"]) == 3
        assert "did you mean" in capsys.readouterr().err

    def test_a_date_that_is_none(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run_command(["prices", "claude-opus-4-7", "--as-of", "yesterday"]) == 2
        assert "2026-12-01" in capsys.readouterr().err

    def test_rates_are_exact(self) -> None:
        from fractions import Fraction

        assert per_million(Fraction(5_000_000)) == "5.00"
        assert per_million(Fraction(3_625)) == "0.003625"
        assert per_million(None) is None


class TestEngines:
    """`engines`."""

    def test_the_list(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = document(capsys, "engines", "list")
        assert [row["engine"] for row in found["engines"]] == ["hermes@0.19", "hermes@0.22"]
        fork = found["engines"][1]
        assert not fork["official"]
        assert "fork" in fork["about"]

    def test_nothing_is_installed_by_looking(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HERMES_SIM_ENGINES", str(tmp_path / "engines"))
        assert not any(row["installed"] for row in document(capsys, "engines", "list")["engines"])
        text = out(capsys, "engines", "check")
        assert "not installed" in text
        assert run_command(["engines", "check", "hermes@0.22"]) == 1
        assert "hermes-sim engines install" in capsys.readouterr().err
        assert not (tmp_path / "engines").exists()

    def test_an_unknown_engine(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run_command(["engines", "install", "hermes@0.3"]) == 2
        assert "there are hermes@0.19, hermes@0.22" in capsys.readouterr().err


class TestDoctor:
    """`doctor`."""

    def test_every_check_has_a_state_and_a_remedy_when_it_needs_one(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = document(capsys, "doctor")
        assert found["ok"]
        names = {row["check"] for row in found["checks"]}
        assert {"hermes-sim", "packages", "hermes@0.22", "o200k_base", "prices", "fonts", "cache folder"} <= names
        assert all(row["remedy"] for row in found["checks"] if row["state"] != "ok")

    def test_the_home_folder_is_left_alone(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        for name in ("HOME", "USERPROFILE"):
            monkeypatch.setenv(name, str(tmp_path))
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        examine()
        assert not (tmp_path / ".hermes").exists()
        assert not (tmp_path / ".cache" / "hermes-sim" / "engines").exists()

    def test_what_is_wrong_is_found(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        from datetime import date

        blocked = tmp_path / "file"
        blocked.write_text("")
        monkeypatch.setenv("HERMES_SIM_ENGINES", str(blocked / "engines"))
        found = {c.name: c for c in examine(date(2027, 6, 1))}
        assert found["prices"].state == "warn"
        assert "days ago" in found["prices"].detail
        assert found["hermes@0.22"].state == "warn"
        assert found["cache folder"].state == "fail"
        assert "HERMES_SIM_ENGINES" in found["cache folder"].remedy


@pytest.mark.parametrize("key", _WORDS)
def test_every_phrase_is_there_in_both_languages_with_the_same_blanks(key: str) -> None:
    import string

    english, chinese = _WORDS[key]
    blanks = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in (english, chinese)]
    assert blanks[0] == blanks[1]
    assert word(key, "zh", **dict.fromkeys(blanks[0], "x")) != "" != english


def test_a_rule_that_is_no_setting_is_explained_below_the_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sim.cli._explain import explain_table

    monkeypatch.setenv("COLUMNS", "100")
    row = {"window": 260_000, "trigger_tokens": 195_000, "tail_tokens": 10_000, "tail_kept_tokens": 15_000}
    explain_table([{**row, "trigger_rule": "floor_75"}, {**row, "trigger_rule": "threshold"}], "en", arms=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "floor_75: windows below 512,000 raise the threshold to at least 0.75"
    assert not any(line.startswith("threshold:") for line in lines)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_remarks_break_between_words_on_a_terminal_and_nowhere_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    from sim.cli._out import wrapped

    monkeypatch.setenv("COLUMNS", "40")
    text = "mine: compression.threshold = 0.5 has no effect: threshold_tokens 230,000 is below the 500,000"
    lines = wrapped(text, _Terminal(), used=9).split("\n")
    assert len(lines) > 1
    assert len(lines[0]) <= 40 - 9
    assert all(len(line) <= 40 for line in lines)
    assert " ".join(line.strip() for line in lines) == text
    assert wrapped(text, io.StringIO(), used=9) == text
    assert wrapped("one\ntwo", _Terminal()) == "one\ntwo"
