"""Every figure on ordinary and hostile runs: it draws, without a warning, the same bytes twice, the same colours."""

from __future__ import annotations

import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex
from report_samples import HALF, PRUNE, SAWTOOTH, THREE, Toy, sample

from sim.report import FIGURES, RunData, write_figures
from sim.report.figures.cumulative import draw_key
from sim.report.style import ARM_COLOURS, BASELINE, spread, wrap
from sim.report.text import ems
from sim.report.words import Words

LONG = "an-arm-with-a-name-that-goes-on-and-on-" + "x" * 40
CASES: dict[str, dict[str, object]] = {
    "three": {"toys": THREE},
    "one": {"toys": (SAWTOOTH,)},
    "twelve": {"toys": tuple(Toy(f"{LONG}{i}", trigger=60_000 + 20_000 * i) for i in range(12)), "calls": 30},
    "free": {"toys": (Toy("free", price=0), Toy("free_too", trigger=90_000, price=0))},
    "equal": {"toys": (HALF, SAWTOOTH), "same": True, "calls": 110},
    "overflow": {"toys": (Toy("dies", overflow_at=60_000), Toy("lives", trigger=150_000))},
    "no-call": {"toys": (Toy("a", overflow_at=10), Toy("b", overflow_at=10))},
    "names": {"toys": (Toy("$a_b^2$ #let <x> \\n 🙂"), Toy("方案一：压缩", trigger=90_000), Toy("", trigger=80_000))},
    "single": {"toys": THREE, "replications": 1, "calls": 4},
}


@cache
def case(name: str) -> RunData:
    return sample(**{"replications": 3, "calls": 70, **CASES[name]})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("run", CASES)
def test_draws_without_a_warning(run: str, name: str) -> None:
    data = case(run)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = FIGURES[name](data).svg()
        sentences = FIGURES[name].see(data)
    assert svg.startswith(b"<?xml")
    assert b"NaN" not in svg
    assert sentences
    assert all("nan" not in sentence and "{" not in sentence for sentence in sentences)


@pytest.mark.parametrize("run", ["names"])
def test_draws_in_chinese_without_a_missing_glyph(run: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for drawing in FIGURES.values():
            drawing(case(run), "zh").svg()
        draw_key(case(run).view, Words("zh")).svg()


def test_files_have_the_same_bytes_twice_and_in_another_process(tmp_path: Path) -> None:
    small = {"toys": (HALF, SAWTOOTH), "replications": 2, "calls": 30}
    first = write_figures(sample(**small), tmp_path / "a")  # type: ignore[arg-type]
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from report_samples import HALF, SAWTOOTH, sample\n"
        "from sim.report import write_figures\n"
        "write_figures(sample((HALF, SAWTOOTH), replications=2, calls=30), Path(sys.argv[2]))\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(Path(__file__).parent), str(tmp_path / "b")], check=True)
    assert {p.name for p in first} == {f"{name}.{kind}" for name in FIGURES for kind in ("svg", "png")}
    for path in first:
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name
        assert b"2026" not in path.read_bytes()[:600]  # no date in the metadata


def test_drawing_leaves_no_setting_behind() -> None:
    before = dict(mpl.rcParams)
    FIGURES["money"](case("three")).png(40)
    assert dict(mpl.rcParams) == before


def test_an_arm_has_one_colour_in_every_figure() -> None:
    data = case("three")
    expected = {"ratio-half": BASELINE, "cap-230k": ARM_COLOURS[0], "cap-230k-no-prune": ARM_COLOURS[1]}
    for name, drawing in FIGURES.items():
        figure = drawing(data)
        figure.svg()
        found = 0
        for axes in figure.axes:
            texts = [*axes.texts, axes.title, axes._left_title, *axes.get_yticklabels()]
            for item in texts:
                label = item.get_text().split("  ")[0].split(" (")[0].split("\n")[0]
                if label in expected:
                    assert to_hex(item.get_color()).upper() == expected[label], (name, label)
                    found += 1
            legend = axes.get_legend()
            for line, item in zip(legend.get_lines(), legend.get_texts(), strict=True) if legend else ():
                label = item.get_text().split(":")[0]
                assert to_hex(line.get_color()).upper() == expected[label], (name, label)
                found += 1
        assert found >= 2, name


def test_arms_differ_without_colour_too() -> None:
    figure = FIGURES["cumulative"](case("three"))
    styles = {str(line._dash_pattern) for line in figure.axes[0].lines}
    assert len(styles) == 3


@pytest.mark.parametrize("name", FIGURES)
def test_every_axis_with_numbers_names_its_unit(name: str) -> None:
    figure = FIGURES[name](case("three"))
    labels = " ".join(axes.get_xlabel() + " " + axes.get_ylabel() for axes in figure.axes)
    assert any(word in labels for word in ("dollars", "tokens", "call", "share of the window"))
    assert "replications" in figure.texts[-1].get_text()  # the assumptions stand beside the figure


def test_the_context_figure_marks_rewrites_where_they_happened() -> None:
    data = case("overflow")
    view = data.view
    arm = view.arm("lives")
    axes = FIGURES["context"](data).axes[1]
    marks = next(line for line in axes.lines if line.get_marker() == "v")
    expected = view.rewrites(arm, view.typical)
    assert list(marks.get_xdata()) == list(expected["call"])
    assert list(marks.get_ydata()) == list(expected["tokens_before"])
    assert any("trigger 150K" in item.get_text() for item in axes.texts)


def test_the_crossing_is_marked_at_the_call_of_the_summary() -> None:
    data = sample((HALF, SAWTOOTH), replications=3, calls=110)
    call = data.summary["paired"][0]["wins_from_call"]
    axes = FIGURES["cumulative"](data).axes[1]
    assert [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"] == [[call]]
    assert any(f"from call {call}" in item.get_text() for item in axes.texts)


def test_bars_of_the_money_figure_add_up_to_the_mean_cost() -> None:
    data = case("three")
    axes = FIGURES["money"](data).axes[0]
    for row, arm in enumerate(data.view.arms):
        widths = [bar.get_width() for bar in axes.patches if abs(bar.get_y() + bar.get_height() / 2 - row) < 0.01]
        assert sum(widths) == pytest.approx(arm.mean_cost)


def test_labels_are_spread_and_stay_inside() -> None:
    places = spread([0.5, 0.5, 0.5, 0.1], 0.1, 0.0, 1.0)
    assert sorted(places) == pytest.approx([0.1, 0.5, 0.6, 0.7])
    crowded = spread([1.0] * 30, 0.1, 0.0, 1.0)
    assert min(crowded) >= -1e-9
    assert max(crowded) <= 1 + 1e-9
    assert sorted(places := crowded) == places


def test_captions_wrap_to_the_width_of_the_figure() -> None:
    english = "every call sends its whole prompt again " * 8
    chinese = "每次调用都重新发送整个提示词，无论是否缓存。" * 8
    for caption in (english, chinese):
        lines = wrap(caption, 60)
        assert "".join(lines).replace(" ", "") == caption.replace(" ", "")
        assert all(ems(line) <= 61 for line in lines)
        assert not any(line[0] in "，。" for line in lines)


def test_a_figure_shows_itself_in_a_notebook() -> None:
    figure = FIGURES["money"](case("one"))
    assert figure._repr_svg_().startswith("<?xml")


def test_prunes_and_compactions_have_different_marks() -> None:
    data = sample((Toy("a"), PRUNE), replications=2, calls=110)
    axes = FIGURES["context"](data).axes[1]
    marks = {line.get_marker(): len(line.get_xdata()) for line in axes.lines}
    assert marks["D"] == len(data.view.rewrites(data.view.arms[1], data.view.typical).query("kind == 'prune'"))
    assert marks["D"] > 0
