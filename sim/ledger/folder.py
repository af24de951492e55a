"""A run on disk.

While a run works, finished blocks lie under `<folder>.work/`, each landed by rename; a lock file guards both. The
folder itself appears by one rename when everything in it is complete, so a half-written run is never seen.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import InputError, UsageError
from sim.ledger import tables
from sim.ledger.records import SCHEMA_VERSION, TABLES, Ledger

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


class RunFolder:
    """One run's place on disk.

    Args:
        path: the final folder.

    Raises:
        UsageError: the root of a disk.
    """

    def __init__(self, path: Path) -> None:
        if not path.name:
            path = path.resolve()  # `.` has a name then, the root has none
        if not path.name:
            raise UsageError(f"{path} cannot be a run folder", remedy="give a new folder with --out")
        self.path = path
        self.work = path.with_name(path.name + ".work")

    @property
    def complete(self) -> bool:
        """Whether the run is finished and readable by this version."""
        try:
            return bool(self.manifest().get("ledger_schema") == SCHEMA_VERSION)
        except InputError:
            return False

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Only one process works on a run at a time.

        Raises:
            UsageError: another process holds it, it cannot be written, or something else than a run is there.
        """
        from filelock import FileLock, Timeout

        self._refuse_others()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            guard = FileLock(str(self.path.with_name(self.path.name + ".lock")), timeout=0.2)
            guard.acquire()
        except Timeout:
            raise UsageError(
                f"another hermes-sim is working on {self.path}", remedy="wait for it, or give another --out folder"
            ) from None
        except OSError as error:
            raise UsageError(
                f"cannot write to {self.path.parent}: {error.strerror}", remedy="give another folder with --out"
            ) from None
        try:
            yield
        finally:
            guard.release()
            # Removing the file is a courtesy; a second process that opened it meanwhile keeps its own handle.
            Path(guard.lock_file).unlink(missing_ok=True)

    def _refuse_others(self) -> None:
        """Never write over what no run made.

        Raises:
            UsageError: a file, or a folder with something else in it, stands in the way.
        """
        remedy = "give a new folder with --out"
        for place, own in ((self.path, "manifest.json"), (self.work, "hash")):
            if not os.path.lexists(place):
                continue
            if not place.is_dir():
                raise UsageError(f"{place} is a file, not a run folder", remedy=remedy)
            try:
                foreign = not (place / own).is_file() and any(place.iterdir())
            except OSError as error:
                raise UsageError(f"cannot read {place}: {error.strerror}", remedy=remedy) from None
            if foreign:
                raise UsageError(f"{place} holds other things and is no run folder", remedy=remedy)

    # blocks -----------------------------------------------------------------------------------------------------

    def has_block(self, block: int) -> bool:
        """Whether a finished block is there from an interrupted run."""
        return (self._block(block) / "done").exists()

    def has_blocks(self) -> bool:
        """Whether any finished block is there."""
        return any(self.work.glob("block-*/done"))

    def put_block(self, block: int, ledger: Ledger) -> None:
        """Store a finished block; it appears by rename."""
        self.work.mkdir(parents=True, exist_ok=True)
        part = self.work / f".part-{block:05d}-{os.getpid()}"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        for name, table in tables.to_tables(ledger).items():
            tables.write(table, part / f"{name}.parquet", name)
        (part / "done").touch()
        target = self._block(block)
        if target.exists():
            shutil.rmtree(target)
        os.replace(part, target)

    def discard_blocks(self) -> None:
        """Forget an interrupted run."""
        shutil.rmtree(self.work, ignore_errors=True)

    def merged(self, blocks: int) -> dict[str, pa.Table]:
        """All blocks as whole tables, in block order."""
        return {
            name: tables.concat([tables.read(self._block(b) / f"{name}.parquet") for b in range(blocks)], name)
            for name in TABLES
        }

    def _block(self, block: int) -> Path:
        return self.work / f"block-{block:05d}"

    # the finished folder ------------------------------------------------------------------------------------------

    @contextmanager
    def assembling(self) -> Iterator[Path]:
        """A folder to fill; it becomes the run folder when the block ends without an error."""
        self.work.mkdir(parents=True, exist_ok=True)
        draft = self.work / "assembled"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        yield draft
        if self.path.exists():
            old = self.work / "replaced"
            shutil.rmtree(old, ignore_errors=True)
            os.replace(self.path, old)
        os.replace(draft, self.path)
        self.discard_blocks()

    def manifest(self) -> dict[str, Any]:
        """The stored manifest.

        Raises:
            InputError: no run folder, or one that is incomplete or unreadable.
        """
        path = self.path / "manifest.json"
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(
                f"{self.path} is not a run folder: it has no manifest.json",
                remedy="give the folder that `hermes-sim run` printed",
            ) from None
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read {path}: {error}", remedy="run the scenario again with --force") from None
        if not isinstance(data, dict):
            raise InputError(f"{path} is not a manifest", remedy="run the scenario again with --force")
        return data

    def frame(self, name: str) -> pd.DataFrame:
        """One of the stored tables (`calls`, `rewrites`, `breaks`, `sessions`) as a DataFrame.

        Raises:
            KeyError: no such table.
            InputError: the file is missing or damaged.
        """
        if name not in TABLES:
            raise KeyError(f"no table {name!r}; there are {', '.join(TABLES)}")
        path = self.path / f"{name}.parquet"
        try:
            frame: pd.DataFrame = tables.read(path).to_pandas()
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read {path}: {error}", remedy="run the scenario again with --force") from None
        return frame
