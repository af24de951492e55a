"""Files from a stored run: figures, PDF and HTML; equal runs give equal bytes."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from sim.errors import UsageError
from sim.report.data import RunData
from sim.report.figures import figures_of
from sim.report.html import page
from sim.report.words import Words


def write_figures(data: RunData, folder: Path, *, lang: str = "en") -> list[Path]:
    """Every figure as SVG and PNG.

    Args:
        data: the stored run.
        folder: made when missing.
        lang: `en` or `zh`.

    Returns:
        The files written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, drawing in figures_of(data).items():
        figure = drawing(data, lang)
        svg = data.drawn.setdefault((name, lang), figure.svg())
        for suffix, content in (("svg", svg), ("png", figure.png())):
            path = folder / f"{name}.{suffix}"
            path.write_bytes(content)
            written.append(path)
    return written


def build_report(data: RunData, out: Path, *, summary: bool = False, lang: str = "en") -> None:
    """The PDF report.

    A tagged PDF/A-2a and PDF/UA-1 with the report's own font; equal runs give equal bytes.

    Args:
        data: the stored run.
        out: the file to write; it appears by rename.
        summary: the first page only.
        lang: `en` or `zh`.

    Raises:
        UsageError: a language there is not, or a file that cannot be written.
    """
    import typst
    from pylopdf_fonts_zh_cn import sans_path

    from sim.report.document import content

    words = Words(lang)
    document = content(data.view, words, summary=summary)
    inputs = {"content": json.dumps(document, ensure_ascii=False)}
    inputs.update({f"svg.{name}": svg.decode() for name, svg in _pictures(data, words, summary).items()})
    template = resources.files("sim.report").joinpath("document.typ").read_bytes()
    moment = datetime.fromisoformat(document["date"]).replace(tzinfo=UTC)
    compile_pdf: Any = typst.compile  # its stubs want paths of fonts to be bytes when the document is
    pdf = compile_pdf(
        template,
        font_paths=[str(sans_path().parent)],
        ignore_system_fonts=True,
        format="pdf",
        sys_inputs=inputs,
        pdf_standards=["a-2a", "ua-1"],
        timestamp=int(moment.timestamp()),
    )
    _write(out, pdf)


def build_html(data: RunData, out: Path, *, lang: str = "en") -> None:
    """The report as one self-contained page without scripts.

    Args:
        data: the stored run.
        out: the file to write; it appears by rename.
        lang: `en` or `zh`.

    Raises:
        UsageError: a language there is not, or a file that cannot be written.
    """
    from sim.report.document import content

    words = Words(lang)
    document = content(data.view, words, summary=False)
    _write(out, page(document, _pictures(data, words, summary=False)).encode())


def _pictures(data: RunData, words: Words, summary: bool) -> dict[str, bytes]:
    """Figure name → SVG; `key` is the first page's."""
    from sim.report.figures.cumulative import draw_key

    pictures = {"key": draw_key(data.view, words).svg()}
    if not summary:
        for name, drawing in figures_of(data).items():
            if (name, words.lang) not in data.drawn:
                data.drawn[name, words.lang] = drawing(data, words.lang).svg()
            pictures[name] = data.drawn[name, words.lang]
    return pictures


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        os.replace(part, path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise UsageError(f"cannot write {path}: {error.strerror}", remedy="give another file") from None
