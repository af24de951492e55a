"""The engine that a scenario names, a user's own class among them."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from sim.engine import Engine
from sim.engine.factory import open_engine, source_hash
from sim.engine.hermes import envs
from sim.errors import EngineError, EngineMissing
from sim.scenario import EngineSpec

OWN = """
from sim.engine.none import NoneEngine


class Mine(NoneEngine):
    name = "mine"

    class Inner(NoneEngine):
        name = "inner"


class Half:
    name = "half"


class Needy(NoneEngine):
    def __init__(self, key):
        self.key = key


not_a_class = 5
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of the user's in the current folder."""
    path = tmp_path / "my_engines.py"
    path.write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p])
    monkeypatch.delitem(sys.modules, "my_engines", raising=False)
    return path


@pytest.mark.parametrize("kind", ["none", "parametric", "dual"])
def test_our_own(kind: str) -> None:
    engine = open_engine(EngineSpec.model_validate({"kind": kind}))
    assert isinstance(engine, Engine)
    assert engine.name == kind


def test_a_published_hermes() -> None:
    engine = open_engine(EngineSpec(kind="hermes", version="0.22"))
    assert (engine.name, engine.version) == ("hermes", "0.22")
    engine.close()


def test_the_users_hermes_is_labelled_by_its_release() -> None:
    python = str(envs.ensure("0.19"))
    engine = open_engine(EngineSpec(kind="hermes", python=python))
    assert engine.version == "0.19"
    engine.close()


def test_a_class_of_the_users(own: Path) -> None:
    before = list(sys.path)
    engine = open_engine(EngineSpec(kind="python", python="my_engines:Mine"))
    assert engine.name == "mine"
    assert open_engine(EngineSpec(kind="python", python="my_engines:Mine.Inner")).name == "inner"
    assert source_hash("my_engines:Mine") == hashlib.sha256(own.read_bytes()).hexdigest()
    assert sys.path == before


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_module:X", "cannot be loaded"),
        ("my_engines:Nobody", "cannot be loaded"),
        ("my_engines:not_a_class", "is not a class"),
        ("my_engines:Half", "it has no version, needs, resolve, open, close"),
        ("my_engines:Needy", "cannot be made"),
    ],
)
def test_a_class_that_is_no_engine(own: Path, name: str, said: str) -> None:
    with pytest.raises(EngineError, match=said) as caught:
        open_engine(EngineSpec(kind="python", python=name))
    assert caught.value.remedy


def test_foreign_code_is_refused_when_untrusted(own: Path) -> None:
    for spec in (EngineSpec(kind="python", python="my_engines:Mine"), EngineSpec(kind="hermes", python=sys.executable)):
        with pytest.raises(EngineError, match="--untrusted"):
            open_engine(spec, trusted=False)
    assert open_engine(EngineSpec(kind="none"), trusted=False).name == "none"


def test_a_missing_hermes_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sim.engine.hermes.install import InstallFailed

    def offline(*args: object) -> None:
        raise InstallFailed("pip could not install it", "no address")

    monkeypatch.setenv(envs.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(envs, "build", offline)
    with pytest.raises(EngineMissing, match="hermes-sim engines install"):
        open_engine(EngineSpec(kind="hermes", version="0.22"))
