"""What happened, one flat row each, and where it is kept.

Offers:
    CallRecord, RewriteRecord, BreakRecord, SessionRecord   the rows
    Ledger                    the rows of one block of work
    RunFolder                 a run on disk: blocks while it works, parquet and manifest when complete
    Stamp                     what a result rests on: versions, price cards, tokenizer, hash
"""

from sim.ledger.folder import RunFolder
from sim.ledger.records import (
    CAUSES,
    SCHEMA_VERSION,
    BreakRecord,
    CallRecord,
    Ledger,
    RewriteRecord,
    SessionRecord,
)
from sim.ledger.stamp import Stamp, source_digest

__all__ = [
    "CAUSES",
    "SCHEMA_VERSION",
    "BreakRecord",
    "CallRecord",
    "Ledger",
    "RewriteRecord",
    "RunFolder",
    "SessionRecord",
    "Stamp",
    "source_digest",
]
