"""The report's figures, by name; drawing libraries are loaded when one is drawn.

Offers:
    FIGURES     name → drawing: called with a run (and `lang`) it gives a matplotlib figure; `.see()` says what to see
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

__all__ = ["FIGURES", "Drawing"]
