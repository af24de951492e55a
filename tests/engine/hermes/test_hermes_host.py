"""The host process: its surroundings, and errors a person can act on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hermes_play import make, play, request

from sim.engine.hermes.client import HermesEngine
from sim.engine.hermes.hostprocess import HostProcess, environment, host_folder
from sim.errors import EngineCrashed, EngineError

PLUGIN = """
from agent.context_engine import ContextEngine

class HalfEngine(ContextEngine):
    name = "halves"

    def __init__(self):
        self.threshold_percent = 0.1

    def update_from_response(self, usage):
        self.last_prompt_tokens = usage.get("prompt_tokens", 0)

    def should_compress(self, prompt_tokens=None):
        return (prompt_tokens or 0) >= self.threshold_tokens

    def compress(self, messages, current_tokens=None, focus_topic=None, force=False, memory_context=""):
        self.compression_count += 1
        users = [m for m in messages[: len(messages) // 2] if m["role"] == "user"]
        return [*users[:1], *messages[len(messages) // 2 :]]

def register(ctx):
    ctx.register_context_engine(HalfEngine())
"""


def in_host(interpreter: str, code: str) -> str:
    """Output of code that runs in the host's surroundings."""
    start = f"import sys; sys.path.append({str(host_folder())!r}); from hermes_sim_host import surroundings; {code}"
    done = subprocess.run(
        [interpreter, "-P", "-c", start], capture_output=True, text=True, env=environment(None), check=True, timeout=60
    )
    return done.stdout.strip()


def test_the_network_is_blocked(interpreters: dict[str, str]) -> None:
    code = "\n".join(
        [
            "surroundings.block_network()",
            "import socket, urllib.request",
            "for call in (lambda: socket.create_connection(('127.0.0.1', 9)), lambda: socket.getaddrinfo('x.org', 80),",
            "             lambda: socket.socket().connect(('127.0.0.1', 9)),",
            "             lambda: urllib.request.urlopen('http://127.0.0.1:9/')):",
            "    try: call()",
            "    except OSError as error: print(error)",
        ]
    )
    lines = in_host(interpreters["0.22"], code).splitlines()
    assert len(lines) == 4
    assert all("no network" in line for line in lines)


def test_home_is_a_scratch_folder_and_goes_away(interpreters: dict[str, str]) -> None:
    code = "import os; root = surroundings.make_home(); print(root, os.environ['HOME'], os.environ['HERMES_HOME'])"
    root, home, hermes = in_host(interpreters["0.22"], code + "; surroundings.remove_home(root)").split()
    assert Path(home).parent == Path(root) == Path(hermes).parent
    assert not Path(root).exists()


def test_nothing_of_the_users_home_is_touched(
    interpreters: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / ".hermes"))
    engine = HermesEngine(interpreters["0.22"], "0.22")
    engine.open(request(make(1, 2), {})).close()
    engine.close()
    assert list(tmp_path.iterdir()) == []


def test_the_environment_holds_nothing_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    clean = environment(None)
    assert "OPENAI_API_KEY" not in clean
    assert "PYTHONPATH" not in clean
    assert (clean["TZ"], clean["PYTHONHASHSEED"], clean["PYTHONUTF8"]) == ("UTC", "0", "1")


def test_a_closed_host_is_gone(interpreters: dict[str, str]) -> None:
    host = HostProcess(interpreters["0.19"])
    assert host.alive
    host.close()
    assert not host.alive


def test_a_killed_host_leaves_no_folder(
    interpreters: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    host = HostProcess(interpreters["0.19"])
    assert len(list(tmp_path.iterdir())) == 1
    host.kill()
    host.close()
    assert list(tmp_path.iterdir()) == []


def test_an_interpreter_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="cannot start the engine's interpreter"):
        HermesEngine(str(tmp_path / "python"), "0.22").running()


def test_a_python_without_hermes() -> None:
    with pytest.raises(EngineError, match=r"no usable Hermes under .*cannot import Hermes's compressor"):
        HermesEngine(sys.executable, "mine").running()


@pytest.mark.skipif(os.name == "nt", reason="needs an executable script")
def test_a_program_that_is_no_python(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho 'what is -P?' >&2\nexit 2\n")
    program.chmod(0o755)
    with pytest.raises(EngineError, match=r"did not start: .*what is -P"):
        HermesEngine(str(program), "mine").running()


def test_a_host_that_keeps_dying_is_an_error(interpreters: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    engine = HermesEngine(interpreters["0.22"], "0.22")
    played = make(1, 4)
    session = engine.open(request(played, {}))
    original = HostProcess.request

    def dying(self: HostProcess, frame: dict, seconds: float = 600.0) -> dict:
        if frame["do"] == "steps":
            self.kill()
        return original(self, frame, seconds)

    monkeypatch.setattr(HostProcess, "request", dying)
    with pytest.raises(EngineCrashed, match="died 3 times in a row"):
        next(session.on_overflow("too long", 1.0))
    engine.close()


def test_a_host_that_hangs_is_ended(interpreters: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.engine.hermes.hostprocess._START", "import time; time.sleep(60)")
    monkeypatch.setattr("sim.engine.hermes.hostprocess.START_SECONDS", 0.6)
    with pytest.raises(EngineError, match="no answer within 1 s"):
        HermesEngine(interpreters["0.22"], "0.22").running()


def test_a_context_engine_of_the_users_own(
    interpreters: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loaded through Hermes's own plugin mechanism and driven by its public interface."""
    folder = tmp_path / "plugins" / "halves"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(PLUGIN)
    (folder / "plugin.yaml").write_text("name: halves\nversion: 1\n")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    engine = HermesEngine(interpreters["0.22"], "0.22", "halves")
    try:
        assert engine.resolve(request(make(1, 1), {})).trigger_tokens == 20_000
        story = play(engine, make(5, 60), {})
    finally:
        engine.close()
    assert "after_tools compaction" in story.kinds()
    assert story.prompts == []


def test_an_unknown_context_engine_is_named(interpreters: dict[str, str]) -> None:
    engine = HermesEngine(interpreters["0.22"], "0.22", "nowhere")
    with pytest.raises(EngineError, match="no context engine 'nowhere'"):
        engine.open(request(make(1, 1), {}))
    engine.close()


STRANGE = """
import importlib
plain = importlib.import_module

def patched(name, *rest):
    module = plain(name, *rest)
    if name == "agent.model_metadata" and not hasattr(module, "patched"):
        module.patched = True
        count = module.estimate_messages_tokens_rough
        module.estimate_messages_tokens_rough = lambda rows, **more: count(rows, **more) + 5 * len(rows)
    return module

importlib.import_module = patched
"""


@pytest.mark.skipif(os.name == "nt", reason="needs an executable script")
def test_a_hermes_with_another_estimate_is_asked_row_by_row(interpreters: dict[str, str], tmp_path: Path) -> None:
    """A version whose sizes follow neither rule that we know: the package prices each row, every gate is asked."""
    (tmp_path / "sitecustomize.py").write_text(STRANGE)
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {interpreters["0.22"]} "$@"\n')
    program.chmod(0o755)
    engine, played = HermesEngine(str(program), "mine"), make(2, 60, result=6_000)
    settings = {"compression": {"threshold": 0.5, "threshold_tokens": 70_000}}
    try:
        assert engine.capabilities["rule"] == "package"
        first, second = play(engine, played, settings), play(engine, played, settings)
    finally:
        engine.close()
    assert "after_tools compaction" in first.kinds()
    assert first.digest == second.digest
