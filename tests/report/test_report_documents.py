"""PDF and HTML: same bytes, one page where one is promised, no character with a meaning of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report_samples import HALF, SAWTOOTH, THREE, Toy, sample

from sim.errors import UsageError
from sim.report import FIGURES, RunData, build_html, build_report
from sim.report.document import content
from sim.report.words import Words

NASTY = Toy("$a_b^2$ #let <x> & \\n @ref *b* 🙂")
TWELVE = tuple(Toy(f"arm-{'with-a-long-name-' * 3}{i}-{'y' * 30}", trigger=60_000 + 20_000 * i) for i in range(12))


@pytest.fixture(scope="module")
def data() -> RunData:
    return sample(THREE, replications=3, calls=80)


def pages(pdf: Path) -> int:
    found = re.search(rb"/Type/Pages/Count (\d+)", pdf.read_bytes())
    assert found
    return int(found.group(1))


def test_pdf_has_the_same_bytes_twice(data: RunData, tmp_path: Path) -> None:
    again = sample(THREE, replications=3, calls=80)
    build_report(data, tmp_path / "a.pdf")
    build_report(again, tmp_path / "b.pdf")
    first = (tmp_path / "a.pdf").read_bytes()
    assert first == (tmp_path / "b.pdf").read_bytes()
    assert pages(tmp_path / "a.pdf") == 7
    assert b"pdfuaid" in first
    assert b"pdfaid" in first
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.pdf", "b.pdf"]  # nothing half-written is left


NAMES = (NASTY, Toy("方案一：每二十三万压缩一次" * 4, trigger=90_000), Toy("", trigger=80_000))


@pytest.mark.parametrize(
    ("toys", "lang"),
    [
        (THREE, "en"),
        ((SAWTOOTH,), "en"),
        (TWELVE, "en"),
        (TWELVE, "zh"),
        (NAMES, "zh"),
        ((Toy("free", price=0), Toy("free too", price=0)), "en"),
        ((Toy("a", overflow_at=10), Toy("b", overflow_at=10)), "en"),
    ],
    ids=["three", "one", "twelve", "twelve-zh", "names-zh", "free", "no-call"],
)
def test_the_summary_is_one_page_whatever_is_compared(toys: tuple[Toy, ...], lang: str, tmp_path: Path) -> None:
    title = "阈值怎么选？$230K$ #set page() <b> \\ 🙂 " * 6
    run = sample(toys, replications=2, calls=40, title=title)
    build_report(run, tmp_path / "s.pdf", summary=True, lang=lang)
    assert pages(tmp_path / "s.pdf") == 1


def test_the_full_report_holds_nasty_names_in_both_languages(tmp_path: Path) -> None:
    ignored = ({"setting": "compression.target_ratio", "value": "$0.2_", "reason": "<lean> #tail 🙂"},)
    run = sample(
        (NASTY, Toy("方案", trigger=90_000, ignored=ignored)), replications=2, calls=60, title="$x_1$ #set <b>"
    )
    for lang in ("en", "zh"):
        build_report(run, tmp_path / f"{lang}.pdf", lang=lang)
        assert pages(tmp_path / f"{lang}.pdf") >= 6


def test_the_document_puts_the_decision_first(data: RunData) -> None:
    document = content(data.view, Words("en"), summary=False)
    keys = list(document)
    assert (
        keys.index("answer") < keys.index("compared") < keys.index("risks") < keys.index("ideas") < keys.index("stamp")
    )
    assert document["title"] == "230K absolute against half of the window"
    assert [row["cells"][0] for row in document["compared"]["table"]["rows"]] == [arm.name for arm in data.view.arms]
    cells = document["compared"]["table"]["rows"][1]["cells"]
    assert cells[1:3] == ["threshold_tokens 230000", "230K"]  # the trigger beside the setting
    shown = {figure["name"] for idea in document["ideas"] for figure in idea["figures"]}
    assert shown == set(FIGURES)
    assert all(figure["alt"] and figure["see"] for idea in document["ideas"] for figure in idea["figures"])
    assert ["seed", "7"] in document["stamp"]["rows"]
    assert document["price_cards"]["table"]["rows"][0][-1] == "https://example.org/prices"
    json.dumps(document)


def test_settings_that_differ_come_first(data: RunData) -> None:
    table = content(data.view, Words("en"), summary=False)["config"]["tables"][0]
    differs = [row["differs"] for row in table["rows"]]
    assert differs == sorted(differs, reverse=True)
    assert ["trigger (tokens)", "500,000", "230,000", "230,000"] in [row["cells"] for row in table["rows"]]


def test_ignored_settings_are_listed_with_their_reason() -> None:
    ignored = ({"setting": "threshold_tokens", "value": "230000", "reason": "unknown to this version"},)
    run = sample((HALF, Toy("b", trigger=90_000, ignored=ignored)), replications=2, calls=40)
    found = content(run.view, Words("en"), summary=False)["config"]["ignored"]
    assert found["rows"] == [["b", "threshold_tokens", "230000", "unknown to this version"]]
    assert (
        content(sample((HALF,), replications=2, calls=30).view, Words("en"), summary=False)["config"]["ignored"] is None
    )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.alts: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.sources += [str(found[key]) for key in ("src", "href") if key in found]
        if tag == "img":
            self.alts.append(found.get("alt") or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_one_file_without_scripts(tmp_path: Path) -> None:
    run = sample(
        (NASTY, Toy("<script>alert(1)</script>", trigger=90_000)), replications=2, calls=40, title="<h1>&amp;</h1>"
    )
    build_html(run, tmp_path / "a.html")
    build_html(run, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    reader = _Reader()
    reader.feed((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert "script" not in reader.tags
    assert reader.tags.count("h1") == 1
    assert "<h1>&amp;</h1>" in reader.text
    assert len(reader.alts) == len(FIGURES) + 1
    assert all(reader.alts)
    assert all(source.startswith("data:image/svg+xml;base64,") for source in reader.sources)


def test_a_file_that_cannot_be_written_says_so(data: RunData, tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("here")
    with pytest.raises(UsageError, match="cannot write"):
        build_report(data, blocker / "r.pdf", summary=True)


def test_importing_reports_loads_no_heavy_library() -> None:
    code = (
        "import sys, sim.report\n"
        "heavy = {'pandas', 'matplotlib', 'scipy', 'typst', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
