"""The run folder: blocks survive, half-written runs are never seen, equal rows are equal bytes."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from sim.errors import InputError, UsageError
from sim.ledger import CallRecord, Ledger, RunFolder, SessionRecord
from sim.ledger import tables as parquet
from sim.ledger.records import SCHEMA_VERSION, TABLES


def record(kind: type, **values: Any) -> Any:
    filled = {f.name: {"str": "x", "int": 0, "float": 0.0}[str(f.type)] for f in fields(kind)}
    return kind(**{**filled, **values})


def block(replication: int) -> Ledger:
    ledger = Ledger()
    ledger.calls += [record(CallRecord, arm="a", replication=replication, call=i, input_tokens=i) for i in range(1, 4)]
    ledger.sessions.append(record(SessionRecord, arm="a", replication=replication, calls=3))
    return ledger


def test_blocks_merge_in_block_order_whatever_order_they_finish(tmp_path: Path) -> None:
    one, two = RunFolder(tmp_path / "one"), RunFolder(tmp_path / "two")
    for r in (0, 1, 2):
        one.put_block(r, block(r))
    for r in (2, 0, 1):
        two.put_block(r, block(r))
    for name in TABLES:
        parquet.write(one.merged(3)[name], tmp_path / "a.parquet", name)
        parquet.write(two.merged(3)[name], tmp_path / "b.parquet", name)
        assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert one.merged(3)["calls"].column("replication").to_pylist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_block_put_twice_is_the_last_one(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.put_block(0, block(0))
    folder.put_block(0, block(7))
    assert folder.merged(1)["calls"].column("replication").to_pylist() == [7, 7, 7]


def test_the_folder_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.put_block(0, block(0))

    def assemble_half() -> None:
        with folder.assembling() as draft:
            (draft / "calls.parquet").write_bytes(b"half")
            raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        assemble_half()
    assert not folder.path.exists()
    assert folder.has_block(0)
    with folder.assembling() as draft:
        (draft / "manifest.json").write_text(json.dumps({"ledger_schema": SCHEMA_VERSION}))
    assert folder.complete
    assert not folder.work.exists()


def test_blocks_of_an_interrupted_run_are_seen(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    assert not folder.has_blocks()
    folder.put_block(4, block(4))
    assert folder.has_blocks()
    folder.discard_blocks()
    assert not folder.has_blocks()


def test_a_second_process_is_told_to_wait(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    with folder.lock(), pytest.raises(UsageError, match="another hermes-sim"), RunFolder(tmp_path / "run").lock():
        pass
    assert not (tmp_path / "run.lock").exists()


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_a_folder_that_is_no_run_is_named(tmp_path: Path, content: str | None) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    if content is not None:
        (folder.path / "manifest.json").write_text(content)
    assert not folder.complete
    with pytest.raises(InputError, match="manifest"):
        folder.manifest()


def test_a_damaged_table_is_an_input_error(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    (folder.path / "calls.parquet").write_bytes(b"not parquet")
    with pytest.raises(InputError, match=r"calls\.parquet"):
        folder.frame("calls")
    with pytest.raises(KeyError, match="no table"):
        folder.frame("cals")


def test_every_column_has_a_type_and_money_and_token_columns_a_unit() -> None:
    for name, kind in TABLES.items():
        schema = parquet.schema(name)
        assert [f.name for f in schema] == [f.name for f in fields(kind)]
        for item in schema:
            if item.name.endswith("_pico"):
                assert item.metadata[b"unit"] == b"1e-12 USD"


def test_what_no_run_made_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("mine")
    (tmp_path / "note").write_text("mine")
    (tmp_path / "run.work").mkdir()
    (tmp_path / "run.work" / "plan.txt").write_text("mine")
    for name, said in (("thesis", "holds other things"), ("note", "is a file"), ("run", "holds other things")):
        with pytest.raises(UsageError, match=said), RunFolder(tmp_path / name).lock():
            pass
    assert [p.read_text() for p in sorted(tmp_path.rglob("*")) if p.is_file()] == ["mine"] * 3


def test_an_empty_folder_may_become_a_run(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    folder = RunFolder(tmp_path / "run")
    with folder.lock(), folder.assembling() as draft:
        (draft / "manifest.json").write_text(json.dumps({"ledger_schema": SCHEMA_VERSION}))
    assert folder.complete
    with folder.lock():
        assert folder.complete


def test_the_present_folder_has_a_name_and_the_root_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert RunFolder(Path(".")).path == tmp_path
    with pytest.raises(UsageError, match="cannot be a run folder"):
        RunFolder(Path(tmp_path.anchor))
