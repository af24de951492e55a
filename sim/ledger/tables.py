"""Records ↔ Arrow tables ↔ parquet bytes, with a fixed schema and fixed bytes for equal rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.ledger.records import SCHEMA_VERSION, TABLES, Ledger

if TYPE_CHECKING:
    import pyarrow as pa

_REPEATED_TEXT = {"arm", "session", "kind", "started_by", "model", "outcome", "site", "note", "cause", "end", "group"}


@cache
def schema(table: str) -> pa.Schema:
    """Arrow schema of a table: text, int64 and float64 columns in record order, with the unit as field metadata."""
    import pyarrow as pa

    fields = []
    for item in dataclasses.fields(TABLES[table]):
        kind = str(item.type)
        arrow = {"str": pa.string(), "int": pa.int64(), "float": pa.float64()}[kind]
        fields.append(pa.field(item.name, arrow, nullable=False, metadata={"unit": _unit(item.name)}))
    return pa.schema(fields, metadata={"hermes_sim_schema": str(SCHEMA_VERSION)})


def _unit(name: str) -> str:
    for suffix, unit in (("_pico", "1e-12 USD"), ("_tokens", "tokens"), ("_s", "s")):
        if name.endswith(suffix):
            return unit
    return "tokens" if name.startswith(("estimate", "tokens")) else ""


def to_table(name: str, records: Sequence[Any]) -> pa.Table:
    """Arrow table of records."""
    import pyarrow as pa

    columns = [[getattr(r, f.name) for r in records] for f in dataclasses.fields(TABLES[name])]
    arrays = [pa.array(c, type=f.type) for c, f in zip(columns, schema(name), strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema(name))


def to_tables(ledger: Ledger) -> dict[str, pa.Table]:
    """All tables of a block."""
    return {name: to_table(name, getattr(ledger, name)) for name in TABLES}


def write(table: pa.Table, path: Path, name: str) -> None:
    """Write parquet; equal tables give equal bytes."""
    import pyarrow.parquet as pq

    dictionary = [c for c in table.schema.names if c in _REPEATED_TEXT]
    pq.write_table(
        table.cast(schema(name)), path, compression="zstd", use_dictionary=dictionary, row_group_size=1 << 20
    )


def read(path: Path) -> pa.Table:
    """Read a parquet file written by `write`."""
    import pyarrow.parquet as pq

    return pq.read_table(path)


def concat(tables: Sequence[pa.Table], name: str) -> pa.Table:
    """Blocks one after another, as one contiguous table (so bytes do not depend on how work was cut)."""
    import pyarrow as pa

    return pa.concat_tables([t.cast(schema(name)) for t in tables]).combine_chunks() if tables else to_table(name, [])
