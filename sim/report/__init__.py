"""Figures and reports of a stored run; nothing here simulates.

Offers:
    RunData         the stored tables, comparison and manifest of one run
    FIGURES         name → figure
    build_report    the PDF (decision first), or one page of it
    build_html      the same as one static page for a browser
    write_figures   every figure as SVG and PNG
"""

from __future__ import annotations

from sim.report.build import build_html, build_report, write_figures
from sim.report.data import RunData
from sim.report.figures import FIGURES

__all__ = ["FIGURES", "RunData", "build_html", "build_report", "write_figures"]
