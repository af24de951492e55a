"""hermes-sim: what context-compression settings cost an AI agent, through the real compression engine.

    import sim
    result = sim.run("scenarios/cap-vs-ratio.yaml")
    result.frame("calls")

Names load on first use, so `import sim` stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sim.api import Comparison, Result, Scenario, explain, load, open_result, replay, run, sweep

__all__ = [
    "Comparison",
    "Result",
    "Scenario",
    "__version__",
    "explain",
    "load",
    "open_result",
    "replay",
    "run",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        import sim.api

        return getattr(sim.api, name)
    raise AttributeError(f"module 'sim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
