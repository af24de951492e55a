"""The offline vocabularies: exact ids, nothing downloaded, nothing left behind in the user's environment."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.tokens import VocabularyError, encoding, vocabulary
from sim.tokens.vocabulary import SOURCES, packed, unpack


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(vocabulary, "_folders", lambda: iter([tmp_path / "a", tmp_path / "b"]))
    return tmp_path


def test_known_ids() -> None:
    assert encoding("o200k_base").encode_ordinary("hello world") == [24912, 2375]
    assert encoding("cl100k_base").encode_ordinary("hello world") == [15339, 1917]
    assert encoding("cl100k_base").encode_ordinary("tiktoken is great!") == [83, 1609, 5963, 374, 2294, 0]


def test_unzipped_under_the_name_tiktoken_looks_for(cache: Path) -> None:
    folder = unpack("cl100k_base")
    assert folder == cache / "a"
    (file,) = folder.iterdir()
    assert file.name == hashlib.sha1(SOURCES["cl100k_base"][0].encode()).hexdigest()
    assert hashlib.sha256(file.read_bytes()).hexdigest() == SOURCES["cl100k_base"][1]


def test_a_damaged_copy_is_replaced(cache: Path) -> None:
    (file,) = unpack("cl100k_base").iterdir()
    file.write_bytes(b"half")
    assert unpack("cl100k_base") == cache / "a"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == SOURCES["cl100k_base"][1]


def test_an_unwritable_folder_falls_back(cache: Path) -> None:
    (cache / "a").write_text("a file where the folder should be")
    assert unpack("cl100k_base") == cache / "b"


def test_no_writable_folder_is_an_error_with_a_remedy(cache: Path) -> None:
    for name in ("a", "b"):
        (cache / name).write_text("in the way")
    with pytest.raises(VocabularyError, match="make the temporary folder writable"):
        unpack("cl100k_base")


def test_a_damaged_wheel_is_an_error(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = cache / "bad.gz"
    bad.write_bytes(gzip.compress(b"not a vocabulary"))
    monkeypatch.setattr(vocabulary, "packed", lambda name: bad)
    with pytest.raises(VocabularyError, match="reinstall bpe-openai"):
        unpack("o200k_base")
    bad.write_bytes(b"not even gzip")
    with pytest.raises(VocabularyError, match="is damaged"):
        unpack("o200k_base")


def test_a_missing_wheel_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "find_spec", lambda name: None)
    with pytest.raises(VocabularyError, match="pip install bpe-openai"):
        packed("o200k_base")


def test_loading_needs_no_network_and_leaves_the_environment_alone(tmp_path: Path) -> None:
    program = """
import os, socket
def refuse(*a, **k): raise AssertionError("network used")
socket.socket.connect = refuse
before = dict(os.environ)
from sim.tokens import token_model
assert token_model("gpt-5").count("hello world") == 2
assert dict(os.environ) == before
print("fine")
"""
    home = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    home.pop("TIKTOKEN_CACHE_DIR", None)
    done = subprocess.run([sys.executable, "-c", program], env=home, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "fine", done.stderr
    assert len(list((tmp_path / "cache" / "hermes-sim" / "tokens").iterdir())) == 1
