"""The report's figures, by name; drawing libraries are loaded when one is drawn.

Offers:
    FIGURES     name → drawing: called with a run (and `lang`) it gives a matplotlib figure; `.see()` says what to see
    figures_of  the figures of one run: a fleet has one more
    Drawing     its type
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from sim.report.data import RunData
from sim.report.words import Words

if TYPE_CHECKING:
    from sim.report.style import ReportFigure


@dataclass(frozen=True, slots=True)
class Drawing:
    """One figure of the report.

    Attributes:
        name: as in `FIGURES`; the module of the same name draws it.
    """

    name: str

    @property
    def _module(self) -> Any:
        return import_module(f"sim.report.figures.{self.name}")

    def __call__(self, data: RunData, lang: str = "en") -> ReportFigure:
        """Draw it.

        Args:
            data: the stored run.
            lang: `en` or `zh`.
        """
        return cast("ReportFigure", self._module.draw(data.view, Words(lang)))

    def title(self, data: RunData, lang: str = "en") -> str:
        """What is shown."""
        return cast(str, self._module.title(data.view, Words(lang)))

    def see(self, data: RunData, lang: str = "en") -> list[str]:
        """What there is to see, computed from the run: one sentence an arm, the most telling first."""
        return cast("list[str]", self._module.see(data.view, Words(lang)))


FIGURES: dict[str, Drawing] = {
    name: Drawing(name) for name in ("cumulative", "context", "money", "misses", "saving", "costs", "growth", "usage")
}
"""In the order of the report."""
_FLEET = Drawing("fleet")


def figures_of(data: RunData) -> dict[str, Drawing]:
    """The figures that a run has: those of every report, and the account's day for a fleet that was played in full."""
    fleet = data.summary.get("fleet")
    return {**FIGURES, "fleet": _FLEET} if fleet is not None and fleet["mode"] == "tokens" else FIGURES


__all__ = ["FIGURES", "Drawing", "figures_of"]
