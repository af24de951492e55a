"""The command as a whole: help, exit codes, streams, quiet failures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.cli._entry import run_command
from sim.cli._group import cli

HEAVY = ("pandas", "matplotlib", "scipy", "typst", "pyarrow", "numpy", "pydantic", "rich", "simpy", "tiktoken")
SCENARIOS = Path(__file__).parents[2] / "scenarios"
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("HERMES_SIM", "NO_COLOR", "FORCE_COLOR"))}


def command(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "sim", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**ENV, **env},
        check=False,
    )


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys, sim.cli._entry as e; code = e.run_command(['--help']);"
        f"sys.stderr.write(','.join(m for m in {HEAVY!r} if m in sys.modules)); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENV, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "hermes-sim plays the same sessions" in done.stdout


def test_importing_sim_loads_no_heavy_library() -> None:
    code = f"import sys, sim, sim.cli; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENV, check=True)
    assert done.stdout.strip() == "[]"


def test_help_names_every_verb_and_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["--help"]) == 0
    listed = capsys.readouterr().out.partition("Commands:")[2]
    verbs = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "]
    files = Path(__file__).parents[2] / "sim" / "cli"
    expected = sorted(p.stem for p in files.glob("*.py") if not p.name.startswith("_"))
    assert [v for v in verbs if v != "Start"] == expected
    assert {"init", "run", "report", "explain", "validate", "schema", "prices", "engines", "doctor"} <= set(expected)


@pytest.mark.parametrize("verb", cli.list_commands(None))  # type: ignore[arg-type]  # the context is not looked at
def test_every_verb_has_help_that_says_what_it_does(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([verb, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Usage: hermes-sim {verb}")
    assert len(text.splitlines()[2].strip()) > 20


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["rnu"], "there is no verb 'rnu'; did you mean 'run'?"),
        (["run"], "Missing argument 'SCENARIO...'"),
        (["run", "x.yaml", "--jobs", "0"], "--jobs"),
        (["run", "x.yaml", "--replications", "none"], "--replications"),
        (["run", "--nonsense", "x.yaml"], "--nonsense"),
        (["validate", "x.yaml", "--format", "xml"], "--format"),
        (["run", "x.yaml", "--lang", "fr"], "--lang"),
    ],
)
def test_usage_errors(arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert part in captured.err
    assert "--help" in captured.err


def test_no_arguments_shows_help_and_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Usage: hermes-sim" in captured.err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    import sim

    assert run_command(["--version"]) == 0
    assert capsys.readouterr().out == f"hermes-sim {sim.__version__}\n"


BAD = {
    "empty": ("", "the file is empty"),
    "duplicate key": ("schema: 1\nseed: 1\nseed: 2\n", "3:1: duplicate key 'seed'"),
    "misspelt key": (
        "schema: 1\nsead: 1\n",
        "2:1: unknown key 'sead' at the top level (unknown key); did you mean 'seed'?",
    ),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("verb", ["run", "validate", "explain"])
def test_bad_input_ends_with_3_and_leaves_nothing_behind(
    name: str, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.yaml").write_text(BAD[name][0])
    assert run_command([verb, "s.yaml"]) == 3
    captured = capsys.readouterr()
    told = captured.err if verb != "validate" else " ".join(captured.out.split())
    assert "error: s.yaml:" in told
    assert BAD[name][1] in told
    assert [p.name for p in tmp_path.iterdir()] == ["s.yaml"]


@pytest.mark.parametrize("verb", ["run", "validate", "explain", "report"])
def test_a_missing_file_ends_with_3(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([verb, str(tmp_path / "no.yaml")]) == 3
    captured = capsys.readouterr()
    assert "no.yaml" in captured.err + captured.out
    assert "Traceback" not in captured.err


def test_all_errors_are_told_one_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("schema: 1\nseed: 012\nsead: 1\nmodel: {name: claude-opus-4-7, window: 0}\n")
    assert run_command(["run", str(path)]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert all(line.startswith(f"error: {path}:") for line in lines)


def test_an_unexpected_failure_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import sim.scenario

    def broken(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(sim.scenario, "check_scenario", broken)
    monkeypatch.delenv("HERMES_SIM_DEBUG", raising=False)
    assert run_command(["run", "x.yaml"]) == 1
    text = capsys.readouterr().err
    assert len(text.splitlines()) == 1
    assert text.startswith("error: ZeroDivisionError: division by zero; ")
    assert "HERMES_SIM_DEBUG=1" in text
    monkeypatch.setenv("HERMES_SIM_DEBUG", "1")
    assert run_command(["run", "x.yaml"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, "ours"])
def test_an_interruption_ends_with_130(
    interrupt: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sim.scenario
    from sim.errors import Interrupted

    def stopped(*args: object, **kwargs: object) -> None:
        if interrupt is KeyboardInterrupt:
            raise KeyboardInterrupt
        raise Interrupted("stopped; finished replications are kept", remedy="run the same command again to go on")

    monkeypatch.setattr(sim.scenario, "check_scenario", stopped)
    assert run_command(["run", "x.yaml"]) == 130
    text = capsys.readouterr().err
    assert "kept" in text
    assert "again" in text


def test_a_closed_pipe_is_no_failure() -> None:
    script = f"{sys.executable} -m sim schema | head -c 10 > /dev/null; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=ENV, check=False)
    assert done.stdout.strip() == "0"
    assert done.stderr == ""


def test_output_is_safe_where_the_encoding_is_not_utf_8() -> None:
    path = SCENARIOS / "guide" / "final.yaml"
    done = command("validate", str(path), "--engine", "none", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 2
    done = command("engines", "list", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    done = command("schema", PYTHONIOENCODING="latin-1", PYTHONUTF8="0")
    assert json.loads(done.stdout)["title"] == "Scenario"


def test_nothing_is_coloured_in_a_pipe() -> None:
    for verb in (["engines", "list"], ["rnu"], ["doctor"]):
        done = command(*verb)
        assert "\x1b" not in done.stdout + done.stderr


def test_closed_and_full_streams_are_no_fault_of_ours() -> None:
    line = f'"{sys.executable}" -m sim prices claude-opus-4-7'
    closed = subprocess.run(["sh", "-c", f"{line} >&-"], capture_output=True, text=True, env=ENV, check=False)
    assert (closed.returncode, closed.stderr) == (0, "")
    if os.path.exists("/dev/full"):
        full = subprocess.run(["sh", "-c", f"{line} >/dev/full"], capture_output=True, text=True, env=ENV, check=False)
        assert full.returncode == 1
        assert "No space left" in full.stderr
        assert "fault of hermes-sim" not in full.stderr
