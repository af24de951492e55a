"""Results of a stored run, as notebooks and programs see them."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.ledger import RunFolder

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from sim.report import RunData

PathLike = str | os.PathLike[str]


class Result:
    """A stored run: tables, the comparison, figures and the report."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._manifest = folder.manifest()

    @property
    def folder(self) -> Path:
        """Where the run lies."""
        return self._folder.path

    @property
    def manifest(self) -> dict[str, Any]:
        """The stored manifest."""
        return self._manifest

    def json(self) -> dict[str, Any]:
        """The comparison as `hermes-sim run --json` prints it."""
        return {"schema": 1, "run_dir": str(self.folder), **_without_schema(self._manifest["result"])}

    def frame(self, name: str) -> pd.DataFrame:
        """`calls`, `rewrites`, `breaks`, `sessions`, or `summary` (one row per arm)."""
        if name == "summary":
            import pandas as pd

            return pd.json_normalize(self._manifest["result"]["arms"]).set_index("arm")
        return self._folder.frame(name)

    def comparison(self) -> Comparison:
        """The paired savings."""
        return Comparison(self.json())

    def figure(self, name: str) -> Figure:
        """One of the report's figures; `figures()` lists the names."""
        from sim.report.figures import figures_of

        data = self.data()
        figures = figures_of(data)
        if name not in figures:
            raise KeyError(f"no figure {name!r}; there are {', '.join(figures)}")
        figure: Figure = figures[name](data)
        return figure

    def figures(self) -> list[str]:
        """Names of the figures."""
        from sim.report.figures import figures_of

        return list(figures_of(self.data()))

    def report(self, path: PathLike, *, summary: bool = False, lang: str = "en") -> Path:
        """Write the PDF report, from the stored run alone.

        Args:
            path: the file to write.
            summary: one page only.
            lang: `en` or `zh`.
        """
        from sim.report import build_report

        target = Path(path)
        build_report(self.data(), target, summary=summary, lang=lang)
        return target

    def data(self) -> RunData:
        """The stored tables as the report room takes them."""
        return run_data(self.folder, self._manifest)

    def _repr_html_(self) -> str:
        return self.comparison()._repr_html_()

    def __repr__(self) -> str:
        return f"<Result {self.folder}>"


class Comparison:
    """Arms side by side, with the paired saving against the baseline."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        self.arms: list[dict[str, Any]] = list(result["arms"])
        self.paired: list[dict[str, Any]] = list(result["paired"])
        self.title = str(result["scenario"])

    def frame(self) -> pd.DataFrame:
        """One row per arm."""
        import pandas as pd

        pairs = {row["arm"]: row for row in self.paired}
        return pd.json_normalize([{**arm, "paired": pairs.get(arm["arm"])} for arm in self.arms]).set_index("arm")

    def _repr_html_(self) -> str:
        from sim.units import format_tokens

        pairs = {row["arm"]: row for row in self.paired}
        cells = []
        for arm in self.arms:
            pair = pairs.get(arm["arm"])
            trigger = arm["trigger_tokens"]
            cells.append(
                [
                    arm["arm"],
                    "never" if trigger is None else format_tokens(trigger),
                    f"{arm['compactions']} / {arm['prunes']}",
                    f"{arm['hit_ratio']:.1%}",
                    f"${float(arm['cost_usd']['mean']):,.2f}",
                    "baseline" if pair is None else _saving(pair),
                    "" if pair is None else pair["verdict"],
                ]
            )
        head = ["arm", "trigger", "compactions / prunes", "hit ratio", "mean cost", "saving", "verdict"]
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in cells)
        return f"<table><tr>{''.join(f'<th>{h}</th>' for h in head)}</tr>{rows}</table>"


def _saving(pair: Mapping[str, Any]) -> str:
    value = pair["saving_usd"]
    return f"${float(value['mean']):,.2f} ({float(value['low']):,.2f} to {float(value['high']):,.2f})"


def _without_schema(result: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in result.items() if k != "schema"}


def run_data(folder: Path, manifest: Mapping[str, Any]) -> RunData:
    """The tables of a folder with its manifest, as the report room takes them."""
    from sim.report import RunData

    stored = RunFolder(folder)
    return RunData(
        calls=stored.frame("calls"),
        rewrites=stored.frame("rewrites"),
        breaks=stored.frame("breaks"),
        sessions=stored.frame("sessions"),
        summary=dict(manifest["result"]),
        manifest=dict(manifest),
    )
