"""The content of the report as plain data: every number already text, nothing about layout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.report import answer, text
from sim.report.decision import decide
from sim.report.figures import figures_of
from sim.report.tables import comparison, facts_table, ignored_rows, parts_table, settings_tables
from sim.report.view import FIRST_PAGE_ARMS, View, first_arms
from sim.report.words import Words

IDEAS: dict[str, tuple[str, ...]] = {
    "pays": ("cumulative", "saving"),
    "session": ("context", "usage"),
    "money": ("money", "misses"),
    "length": ("growth", "costs"),
}
"""Idea of a page → its figures."""
PER_FIGURE = 5
"""Sentences beside a figure."""


def content(view: View, words: Words, *, summary: bool) -> dict[str, Any]:
    """Everything the templates lay out.

    Args:
        view: the run.
        words: the language.
        summary: the first page only.
    """
    decision = decide(view)
    result, manifest = view.data.summary, view.data.manifest
    title = text.printable(manifest.get("title") or result["scenario"])
    unit = answer.unit(view, words)
    found: dict[str, Any] = {
        "lang": words.lang,
        "summary": summary,
        "title": text.shorten(title, 96),
        "date": _date(result),
        "kicker": words("doc.kicker"),
        "question": question(view, words),
        "answer": answer.answer(view, decision, words),
        "positive": decision.kind == "win",
        "cards": answer.cards(view, decision, words),
        "compared": {
            "heading": words("doc.compared"),
            "table": comparison(view, words, first_arms(view), decision),
            "note": _compared_note(view, words, summary),
            "below": words("doc.money_note", unit=unit),
        },
        "key_figure": {"name": "key", "alt": _alt("cumulative", view, words)},
        "risks": {"heading": words("doc.risks"), "items": answer.risks(view, decision, words)},
        "caveats": {"heading": words("doc.caveats"), "items": answer.caveats(view, words, decision)},
        "footer": _footer(view, words),
    }
    if summary:
        return found
    found["all_arms"] = (
        {"heading": words("doc.all_arms"), "table": comparison(view, words, view.arms, decision)}
        if len(view.arms) > FIRST_PAGE_ARMS
        else None
    )
    found["ideas"] = [
        {"heading": words(f"idea.{idea}"), "figures": [_figure(name, view, words) for name in names]}
        for idea, names in _ideas(view).items()
    ]
    found["config"] = {
        "heading": words("doc.config"),
        "note": words("doc.config_note"),
        "tables": settings_tables(view, words),
        "ignored_heading": words("doc.ignored"),
        "ignored": ignored_rows(view, words),
        "ignored_none": words("doc.ignored_none"),
    }
    found["real"] = {"heading": words("doc.real"), "table": _real(view, words)}
    found["stamp"] = {"heading": words("doc.stamp"), "rows": _stamp(view, words)}
    found["price_cards"] = {"heading": words("doc.cards"), "table": _cards(view, words), "none": words("doc.no_cards")}
    return found


def _ideas(view: View) -> dict[str, tuple[str, ...]]:
    fleet = {"fleet": ("fleet",)} if "fleet" in figures_of(view.data) else {}
    return {**fleet, **IDEAS}


def _figure(name: str, view: View, words: Words) -> dict[str, Any]:
    drawing = figures_of(view.data)[name]
    sentences = drawing.see(view.data, words.lang)
    if name == "cumulative":
        sentences = [*answer.breaks(view, words), *sentences]
    return {
        "name": name,
        "title": drawing.title(view.data, words.lang),
        "see": [text.printable(sentence) for sentence in sentences[:PER_FIGURE]],
        "alt": _alt(name, view, words),
        "table": _table(name, view, words),
    }


def _table(name: str, view: View, words: Words) -> dict[str, Any] | None:
    if name == "money":
        return parts_table(view, words)
    return facts_table(view, words) if name == "usage" else None


def _compared_note(view: View, words: Words, summary: bool) -> str:
    if len(view.arms) <= FIRST_PAGE_ARMS:
        return ""
    key = "doc.compared_more_summary" if summary else "doc.compared_more"
    return words(key, k=FIRST_PAGE_ARMS - 1, n=len(view.others))


def _alt(name: str, view: View, words: Words) -> str:
    drawing = figures_of(view.data)[name]
    sentences = drawing.see(view.data, words.lang)[:PER_FIGURE]
    return text.printable(". ".join([drawing.title(view.data, words.lang), " ".join(sentences)]))


def question(view: View, words: Words) -> str:
    """What is compared: arms, model, window and workload, in one sentence."""
    from sim.report.figures.common import workload

    models = list(dict.fromkeys(text.printable(arm.row.get("model", "?")) for arm in view.arms))
    windows = list(dict.fromkeys(text.tokens(arm.row["window"]) for arm in view.arms if arm.row.get("window")))
    return words(
        "doc.question" if view.others else "doc.question_one",
        n=len(view.arms),
        model=words.listing(models[:3]),
        window=words.listing(windows[:3]) or "?",
        workload=workload(view, words),
    )


def _footer(view: View, words: Words) -> str:
    result = view.data.summary
    return words(
        "doc.footer",
        scenario=text.shorten(text.printable(result["scenario"]), 60),
        hash=str(view.data.manifest.get("hash", ""))[:8],
        seed=result["seed"],
        n=view.replications,
    )


def _date(result: Mapping[str, Any]) -> str:
    """The newest date among the price cards: the age of the data, which a rebuilt report does not change."""
    dates = [
        str(card.get(key, ""))
        for card in result.get("stamp", {}).get("price_cards", [])
        for key in ("checked", "effective")
    ]
    good = [d for d in dates if len(d) >= 10 and d[4] == d[7] == "-" and d[:10].replace("-", "").isdigit()]
    return max(good, default="2026-12-01")[:10]


def _real(view: View, words: Words) -> dict[str, Any]:
    rows = []
    kinds: dict[str, list[Any]] = {}
    for arm in view.arms:
        kinds.setdefault(str(arm.row.get("engine", "parametric")), []).append(arm)
    for kind, arms in kinds.items():
        versions = list(dict.fromkeys(text.printable(arm.row.get("engine_version", "?")) for arm in arms))
        labels = [arm.label for arm in arms]
        names = words.listing(labels if len(labels) <= 4 else [*labels[:3], "…"])
        status = "real.real" if kind in ("hermes", "python") else "real.modelled"
        key = f"real.engine.{kind}" if words.has(f"real.engine.{kind}") else "real.engine.parametric"
        rows.append([words("real.engine"), words(status), words(key, arms=names, versions=words.listing(versions))])
    assumed = view.data.manifest.get("assumptions", {})
    spec = assumed.get("workload", {})
    kind = spec.get("kind", "synthetic")
    status = "real.real" if kind == "replay" else "real.modelled"
    preset, transcripts = text.printable(spec.get("preset", "?")), len(spec.get("transcripts", ()))
    rows.append([words("real.workload"), words(status), words(f"real.workload.{kind}", preset=preset, n=transcripts)])
    family = text.printable(view.data.summary.get("stamp", {}).get("tokenizer", {}).get("family", "?"))
    summary_tokens = f"{assumed.get('auxiliary', {}).get('summary_tokens', 0):,}"
    for part, status, values in (
        ("tokens", "real.counted", {"family": family}),
        ("prices", "real.data", {}),
        ("cache", "real.modelled", {}),
        ("auxiliary", "real.modelled", {"tokens": summary_tokens}),
        ("agent", "real.modelled", {"forgetting": f"{float(spec.get('forgetting') or 0):g}"}),
        ("quality", "real.absent", {}),
    ):
        if part == "auxiliary" and not any(arm.row.get("auxiliary_model") for arm in view.arms):
            continue
        rows.append([words(f"real.{part}"), words(status), words(f"real.{part}.how", **values)])
    return {"head": [words("col.part"), words("col.status"), words("col.how")], "rows": rows}


def _stamp(view: View, words: Words) -> list[list[str]]:
    result, manifest = view.data.summary, view.data.manifest
    stamp = result.get("stamp", {})
    engines = ", ".join(k if k.endswith(f"@{v}") else f"{k} {v}" for k, v in stamp.get("engines", {}).items())
    tokenizer = ", ".join(f"{k} {v}" for k, v in stamp.get("tokenizer", {}).items())
    rows = [
        ("scenario", result["scenario"]),
        ("hash", manifest.get("hash", "")),
        ("seed", result["seed"]),
        ("sim", stamp.get("sim", "")),
        ("source", stamp.get("source", "")),
        ("engines", engines),
        ("tokenizer", tokenizer),
        ("python", stamp.get("python", "")),
    ]
    transcripts = list(stamp.get("transcripts", {}).items())
    rows += [("transcripts", f"{name}: {digest[:16]}") for name, digest in transcripts[:40]]
    return [[words(f"stamp.{key}"), text.printable(value)] for key, value in rows if str(value)]


def _cards(view: View, words: Words) -> dict[str, Any] | None:
    cards = view.data.summary.get("stamp", {}).get("price_cards", [])
    if not cards:
        return None
    keys = ("model", "provider", "effective", "checked", "source")
    rows = [[text.printable(card.get(key, "")) for key in keys] for card in cards]
    return {"head": [words(f"col.{key}") for key in keys], "rows": rows}
