"""How the auxiliary (summarising) model behaves: answer length, speed, and the ways it fails."""

from __future__ import annotations

from typing import get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sim.engine.contract import AuxFailure

FAILURES: tuple[str, ...] = get_args(AuxFailure)


class AuxiliaryBehaviour(BaseModel):
    """Behaviour of the auxiliary model, the same for every arm.

    The default answer length follows one measured run of the real engine (a 2,600-token answer, facts of the engine,
    section 9); it is an assumption and is printed beside the results.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    summary_tokens: int = Field(default=2_600, gt=0, description="median length of a summary, tokens of its own model")
    summary_sigma: float = Field(default=0.25, ge=0, le=2, description="spread of the length, lognormal sigma")
    input_tokens_per_s: float = Field(default=5_000.0, gt=0, description="reading speed")
    output_tokens_per_s: float = Field(default=80.0, gt=0, description="writing speed")
    overhead_s: float = Field(default=1.0, ge=0, description="latency before anything happens, seconds")
    timeout_s: float = Field(default=300.0, gt=0, description="how long a failing call hangs when it times out")
    window: int | None = Field(default=None, gt=0, description="context window; the model's own when unset")
    failures: dict[str, float] = Field(
        default_factory=dict, description=f"failure kind → probability a call; kinds: {', '.join(FAILURES)}"
    )

    @field_validator("failures")
    @classmethod
    def _known(cls, value: dict[str, float]) -> dict[str, float]:
        for kind, share in value.items():
            if kind not in FAILURES:
                raise ValueError(f"unknown failure kind {kind!r}; there are {', '.join(FAILURES)}")
            if not 0 <= share <= 1:
                raise ValueError(f"probability of {kind!r} must be between 0 and 1, not {share}")
        if sum(value.values()) > 1:
            raise ValueError("failure probabilities add up to more than 1")
        return value
