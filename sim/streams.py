"""Random streams named by purpose and entity, all spawned from one seed.

Changing how often one stream is used never shifts another: `Streams(7).rng("think", 3)` gives the same numbers
whatever else is drawn.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np


def digest64(*parts: object) -> int:
    """A stable 64-bit number for a tuple of plain values (equal on every machine and Python)."""
    text = "\x1f".join(f"{type(p).__name__}:{p}" for p in parts)
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


@dataclass(frozen=True, slots=True)
class Streams:
    """Factory of independent generators under one seed."""

    seed: int

    def rng(self, purpose: str, *entity: int | str) -> np.random.Generator:
        """The generator for one purpose (`"think"`, `"result-size"`) and entity (replication, session, …)."""
        words = (digest64(purpose), *(digest64(e) for e in entity))
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=self.seed, spawn_key=words)))

    def child(self, purpose: str, *entity: int | str) -> Streams:
        """A whole family of streams below this one."""
        return Streams(digest64(self.seed, purpose, *entity))
