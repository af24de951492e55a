"""Rebuilds `reports/gallery/` and the tables of `docs/results.md` and the READMEs from the committed scenarios.

    make gallery

Tables stand between `<!-- result: NAME -->` and `<!-- end -->`; everything else on a page is left alone.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import sim
from sim.units import format_tokens

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "reports" / "gallery"
SCENARIOS = ("cap-vs-ratio", "cap-vs-ratio-260k", "cap-parts")
FIGURES = ("context", "cumulative", "growth", "misses", "money")
PAGES = ("docs/results.md", "README.md", "README.zh.md")
HEADS = {
    "en": (
        "arm",
        "trigger",
        "compactions, prunes a session",
        "peak",
        "cache hits",
        "$ a session",
        "saving, 95 % range",
    ),
    "zh": ("方案", "触发点", "每会话压缩、裁剪次数", "峰值", "缓存命中", "每会话 $", "节省（95 % 区间）"),
}


def table(document: dict[str, Any], lang: str) -> str:
    """The comparison as a Markdown table."""
    pairs = {row["arm"]: row for row in document["paired"]}
    heads = HEADS[lang]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for arm in document["arms"]:
        n = arm["sessions"]
        pair = pairs.get(arm["arm"])
        saving = "–"
        if pair:
            usd = {k: float(v) for k, v in pair["saving_usd"].items()}
            saving = f"${usd['mean']:.2f} ({usd['low']:.2f} to {usd['high']:.2f}), {pair['saving_pct']['mean']:.0f} %"
        trigger = "–" if arm["trigger_tokens"] is None else f"{arm['trigger_tokens']:,}"
        cells = [
            f"`{arm['arm']}`",
            f"{trigger} ({arm['trigger_rule']})",
            f"{arm['compactions'] / n:.1f}, {arm['prunes'] / n:.1f}",
            format_tokens(arm["peak_tokens"]["p50"]),
            f"{arm['hit_ratio']:.1%}",
            f"{float(arm['cost_usd']['mean']):.2f}",
            saving,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def refresh(page: Path, name: str, text: str) -> None:
    """Replace a page's table of that name."""
    if not page.exists():
        return
    old = page.read_text(encoding="utf-8")
    pattern = re.compile(rf"(<!-- result: {re.escape(name)} -->\n).*?(<!-- end -->)", re.S)
    page.write_text(pattern.sub(lambda m: f"{m[1]}{text}\n{m[2]}", old), encoding="utf-8")


def main(names: tuple[str, ...]) -> None:
    """Run the scenarios (or find their stored runs) and refresh everything made of them."""
    for name in names:
        result = sim.run(ROOT / "scenarios" / f"{name}.yaml", jobs=2)
        target = GALLERY / name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        shutil.copy(result.folder / "report.pdf", target)
        shutil.copy(result.folder / "summary.csv", target)
        for figure in FIGURES:
            shutil.copy(result.folder / "figures" / f"{figure}.png", target)
        for page in PAGES:
            refresh(ROOT / page, name, table(result.json(), "zh" if page.endswith("zh.md") else "en"))
        print(f"{name}: {result.folder} → {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SCENARIOS)
