"""How long a request takes: waiting, reading what is not cached, writing the answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Latency:
    """Speed of a served model; defaults are assumptions in the range of large hosted models.

    Attributes:
        overhead_s: seconds before anything happens.
        prefill_tokens_per_s: tokens read a second; cached tokens take no time.
        decode_tokens_per_s: tokens written a second.
    """

    overhead_s: float = 1.0
    prefill_tokens_per_s: float = 5_000.0
    decode_tokens_per_s: float = 80.0

    def first_byte(self, computed: int) -> float:
        """Seconds until the answer begins, for `computed` prompt tokens that were not read from a cache."""
        return self.overhead_s + computed / self.prefill_tokens_per_s

    def done(self, computed: int, output: int) -> float:
        """Seconds until the answer is complete."""
        return self.first_byte(computed) + output / self.decode_tokens_per_s
