"""Shared test set-up: hypothesis profiles; `HYPOTHESIS_PROFILE=full` is the long campaign."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Timings vary on shared machines, so no deadline; the ordinary run draws the same examples every time.
settings.register_profile(
    "ordinary", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "full", deadline=None, max_examples=2_000, stateful_step_count=200, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ordinary"))
