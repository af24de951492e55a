"""The two public vocabularies, offline: taken from the installed `bpe-openai` wheel, never downloaded.

tiktoken looks for a vocabulary under the SHA-1 of its original address in `TIKTOKEN_CACHE_DIR` and checks the file's
SHA-256 itself. The files are unzipped once into our own cache folder; the variable is set only while tiktoken loads.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from sim.errors import HermesSimError

if TYPE_CHECKING:
    import tiktoken

EncodingName: TypeAlias = Literal["o200k_base", "cl100k_base"]

SOURCES: dict[EncodingName, tuple[str, str]] = {
    "o200k_base": (
        "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
"""Original address (only its SHA-1 is used, as tiktoken's file name) and SHA-256 of each vocabulary."""

_LOADING = threading.Lock()


class VocabularyError(HermesSimError):
    """A vocabulary is not there or is damaged."""


def packed(name: EncodingName) -> Path:
    """The zipped vocabulary inside the installed `bpe-openai` package (found without importing it).

    Raises:
        VocabularyError: the package is not installed or lacks the file.
    """
    spec = find_spec("bpe_openai")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "data" / f"{name}.tiktoken.gz"
        if path.is_file():
            return path
    raise VocabularyError(f"the vocabulary {name} is not installed", remedy="run `pip install bpe-openai`")


def _folders() -> Iterator[Path]:
    """Where the unzipped files may go, best first: our cache folder, a per-user temporary folder, a fresh one."""
    from platformdirs import user_cache_path

    with suppress(OSError, RuntimeError):
        yield user_cache_path("hermes-sim", appauthor=False) / "tokens"
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    yield Path(tempfile.gettempdir()) / f"hermes-sim-{user}" / "tokens"
    yield Path(tempfile.mkdtemp(prefix="hermes-sim-tokens-"))


def unpack(name: EncodingName) -> Path:
    """The folder that holds the unzipped vocabulary under tiktoken's name; unzips it if need be.

    Raises:
        VocabularyError: the package lacks it, its content is damaged, or no folder can be written.
    """
    address, expected = SOURCES[name]
    key = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
    data: bytes | None = None
    for folder in _folders():
        target = folder / key
        try:
            if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == expected:
                return folder
            if data is None:
                data = _unzip(name, expected)
            _write_whole(target, data)
            return folder
        except OSError:
            continue
    raise VocabularyError(
        f"the vocabulary {name} cannot be unzipped: no writable folder", remedy="make the temporary folder writable"
    )


def _unzip(name: EncodingName, expected: str) -> bytes:
    path = packed(name)
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError) as error:
        raise VocabularyError(f"{path.name} is damaged: {error}", remedy="reinstall bpe-openai") from error
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise VocabularyError(f"{path.name} has SHA-256 {found}, not {expected}", remedy="reinstall bpe-openai")
    return data


def _write_whole(target: Path, data: bytes) -> None:
    """Write a file so that no reader ever sees half of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=target.parent, prefix=target.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(scratch, target)
    except OSError:
        with suppress(OSError):
            os.unlink(scratch)
        raise


@contextmanager
def _pointing_at(folder: Path) -> Iterator[None]:
    """`TIKTOKEN_CACHE_DIR` set for the duration, then as it was."""
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


@cache
def encoding(name: EncodingName) -> tiktoken.Encoding:
    """The tiktoken encoding of that name, loaded once a process (about 0.3 s).

    Raises:
        VocabularyError: see `unpack`.
    """
    import tiktoken

    with _LOADING:
        folder = unpack(name)
        with _pointing_at(folder):
            return tiktoken.get_encoding(name)
