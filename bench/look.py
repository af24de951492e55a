"""Turns what people look at into pictures: report pages, figures, and the HTML report in a real browser.

    make look                    needs pdftoppm (poppler-utils); the browser part needs chromium

Pictures lie under `.make/look/`. Nothing is judged here: open them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import sim

ROOT = Path(__file__).parents[1]
OUT = ROOT / ".make" / "look"
WIDTHS = (1280, 420)
"""Browser widths, pixels: a desk and a telephone."""


def pages(pdf: Path, name: str) -> None:
    """PDF pages as PNG."""
    subprocess.run(["pdftoppm", "-r", "80", "-png", str(pdf), str(OUT / name)], check=True)


def screenshot(browser: str, page: Path, width: int) -> None:
    """The HTML report as a browser shows it."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                f"--user-data-dir={profile}",
                f"--window-size={width},2400",
                f"--screenshot={OUT / f'html-{width}.png'}",
                page.resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


def main() -> int:
    """Make the pictures; says what is missing."""
    from sim.report import build_html

    if shutil.which("pdftoppm") is None:
        print("make look needs pdftoppm: install poppler-utils", file=sys.stderr)
        return 2
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    result = sim.run(ROOT / "scenarios" / "first-run.yaml", out=OUT / "run", jobs=2)
    for lang in ("en", "zh"):
        for summary in (False, True):
            name = f"{'summary' if summary else 'report'}-{lang}"
            pages(result.report(OUT / f"{name}.pdf", summary=summary, lang=lang), name)
    page = OUT / "report.html"
    build_html(result.data(), page)
    browser = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    if browser is None:
        print("no chromium found: the HTML report was written but not looked at", file=sys.stderr)
    else:
        for width in WIDTHS:
            screenshot(browser, page, width)
    print(f"pictures: {OUT.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
