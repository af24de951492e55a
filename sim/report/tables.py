"""The report's tables as text cells: the comparison, the bill, the resolved settings, what was ignored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sim.report import style, text
from sim.report.decision import Decision
from sim.report.effective import default, flat
from sim.report.view import PART_NAMES, ArmView, View
from sim.report.words import Words

MATRIX_ARMS = 4
"""Arms that stand side by side in the settings table; more are listed one below the other."""
VALUE_COLUMNS = 60
TRIGGER_KEYS = ("threshold", "threshold_tokens", "trigger", "trigger_tokens")
SHOWN_FIRST = (
    *TRIGGER_KEYS,
    "proactive_prune_tokens",
    "idle_compact_after_seconds",
    "tail_mode",
    "target_ratio",
    "landing",
)
MOST_SETTINGS = 4
"""Lines of settings beside an arm; the whole of them is on the page of resolved settings."""


def _unit(view: View, words: Words) -> str:
    return words("unit.session" if view.one_session_each else "unit.replication")


def asked_trigger(arm: ArmView) -> dict[str, Any]:
    """The settings that ask for a trigger, in their own names."""
    blocks = arm.row.get("settings", {})
    asked: dict[str, Any] = {}
    for values in (blocks.get("compression"), arm.row.get("engine_settings")):
        if isinstance(values, dict):
            asked.update({key: values[key] for key in TRIGGER_KEYS if values.get(key) is not None})
    return asked


def changed_trigger(arm: ArmView) -> dict[str, str]:
    """The settings that ask for another trigger than the engine's default."""
    asked = {key: str(value) for key, value in asked_trigger(arm).items()}
    return {key: value for key, value in asked.items() if value != default(arm, f"compression.{key}")}


def setting(arm: ArmView, arms: Sequence[ArmView], words: Words) -> str:
    """What the arm asks for, one setting a line: its trigger, then whatever else tells it from the other arms."""
    if arm.row.get("engine") == "none":
        return words("val.none_engine")
    asked = asked_trigger(arm)
    own = {other.name: _own_settings(other) for other in arms}
    for key, value in own[arm.name].items():
        if key not in asked and key not in TRIGGER_KEYS and any(values.get(key) != value for values in own.values()):
            asked[key] = value
    ranked = sorted(asked, key=lambda key: SHOWN_FIRST.index(key) if key in SHOWN_FIRST else len(SHOWN_FIRST))
    lines = [text.shorten(text.printable(f"{key} {asked[key]}"), 48) for key in ranked if key]
    if len(lines) > MOST_SETTINGS:
        lines = [*lines[: MOST_SETTINGS - 1], words("val.more", n=len(lines) - MOST_SETTINGS + 1)]
    return "\n".join(lines) or words("val.default")


def _own_settings(arm: ArmView) -> dict[str, str]:
    """Hermes's `compression` block without what is the default anyway, or the settings of one of our own engines."""
    found = arm.row.get("settings", {}).get("compression") or arm.row.get("engine_settings")
    own = flat(found) if isinstance(found, dict) else {}
    return {key: value for key, value in own.items() if value != default(arm, f"compression.{key}")}


def comparison(view: View, words: Words, arms: Sequence[ArmView], decision: Decision) -> dict[str, Any]:
    """One row an arm: setting, real trigger, rewrites, hits, cost, saving; the answer's arm is marked."""
    unit = _unit(view, words)
    head = [
        words("col.arm"),
        words("col.setting"),
        words("col.trigger"),
        words("col.rewrites"),
        words("col.hit"),
        words("col.cost", unit=unit),
        words("col.saving", unit=unit),
        words("col.range"),
        words("col.verdict"),
    ]
    places = text.decimals(max((arm.mean_cost for arm in arms), default=0.0))
    chosen = {
        "win": decision.arm,
        "baseline_breaks": decision.arm,
        "keep": view.baseline,
        "only_whole": view.baseline,
    }.get(decision.kind)
    rows = []
    for arm in arms:
        trigger = arm.row["trigger_tokens"]
        sessions = max(1, int(arm.row["sessions"]))
        rewrites = f"{arm.row['compactions'] / sessions:.2g} / {arm.row['prunes'] / sessions:.2g}"
        cells = [
            text.shorten(arm.full, 32),
            setting(arm, view.arms, words),
            words("val.never") if trigger is None else text.tokens(trigger),
            rewrites,
            text.hit_percent(float(arm.row["hit_ratio"])),
            text.dollars(arm.mean_cost, places=places),
            *_saving(arm, places, words),
        ]
        if arm.broken:
            cells[-1] += f" · {words('val.broken', n=arm.broken)}"
        rows.append({"cells": cells, "colour": style.look(arm.position).colour, "best": arm is chosen})
    return {"head": head, "rows": rows}


def _saving(arm: ArmView, places: int, words: Words) -> tuple[str, str, str]:
    if arm.pair is None:
        return "", "", words("val.baseline")
    saving = {k: float(v) for k, v in arm.pair["saving_usd"].items()}
    digits = max(places, text.decimals(max(abs(v) for v in saving.values())))
    mean, low, high = (text.dollars(saving[k], places=digits) for k in ("mean", "low", "high"))
    shown = "–" if low == high else words("val.range", low=low, high=high)
    return mean, shown, words(f"verdict.{arm.pair['verdict']}")


def parts_table(view: View, words: Words) -> dict[str, Any]:
    """Mean dollars by part of the bill, one row an arm."""
    used = [part for part in PART_NAMES if any(view.parts(arm)[part] for arm in view.arms)]
    places = text.decimals(max(arm.mean_cost for arm in view.arms))
    keeps = _keeps(view)
    rows = []
    for arm in view.arms:
        parts = view.parts(arm)
        cells = [text.shorten(arm.full, 32), *(text.dollars(parts[p], places=places) for p in used)]
        cells += [text.dollars(arm.mean_cost, places=places), *(kept(arm) for kept in keeps.values())]
        rows.append({"cells": cells, "colour": style.look(arm.position).colour, "best": False})
    head = [words("col.arm"), *(words(f"part.{part}") for part in used), words("col.total"), *map(words, keeps)]
    return {"heading": words("doc.parts"), "head": head, "rows": rows}


def _keeps(view: View) -> dict[str, Callable[[ArmView], str]]:
    """What stands beside the dollars where it is known: needed facts that were still there, rows kept by a rewrite."""
    keeps: dict[str, Callable[[ArmView], str]] = {}
    if any(sum((arm.row.get("facts") or {}).values()) for arm in view.arms):
        keeps["facts.there"] = _there
    if any(arm.row.get("retention") is not None for arm in view.arms):
        keeps["facts.retention"] = _kept
    return keeps


def _there(arm: ArmView) -> str:
    states = arm.row.get("facts") or {}
    needed = sum(states.values())
    return text.percent((states["verbatim"] + states["summarised"]) / needed) if needed else "–"


def _kept(arm: ArmView) -> str:
    retention = arm.row.get("retention")
    return "–" if retention is None else text.percent(retention)


FACTS = ("verbatim", "summarised", "recoverable", "gone")


def facts_table(view: View, words: Words) -> dict[str, Any] | None:
    """Where planted facts stood when they were needed, and what a rewrite kept word for word; None without any."""
    found = {arm.name: arm.row.get("facts") or {} for arm in view.arms}
    kept = {arm.name: arm.row.get("retention") for arm in view.arms}
    if not any(sum(states.values()) for states in found.values()):
        return None
    rows = []
    for arm in view.arms:
        states = found[arm.name]
        needed = sum(states.values())
        share = [text.percent(states.get(state, 0) / needed) if needed else "–" for state in FACTS]
        retention = kept[arm.name]
        cells = [text.shorten(arm.full, 32), f"{needed:,}", *share, f"{arm.row.get('repeated_calls', 0):,}"]
        if any(value is not None for value in kept.values()):
            cells.append("–" if retention is None else text.percent(retention))
        rows.append({"cells": cells, "colour": style.look(arm.position).colour, "best": False})
    head = [words("col.arm"), words("facts.needed"), *(words(f"facts.{s}") for s in FACTS), words("facts.repeated")]
    if any(value is not None for value in kept.values()):
        head.append(words("facts.retention"))
    return {"heading": words("doc.facts"), "head": head, "rows": rows}


def _resolved(arm: ArmView, words: Words) -> dict[str, str]:
    """What became of the arm's settings, then the settings themselves, flat."""
    row = arm.row
    trigger, observed, tail = row["trigger_tokens"], row.get("observed_trigger_tokens"), row.get("tail_tokens")
    found = {
        words("row.engine"): f"{row.get('engine', '')} {row.get('engine_version', '')}".strip(),
        words("row.model"): str(row.get("model", "")),
        words("row.window"): f"{row['window']:,}" if row.get("window") else "",
        words("row.trigger"): words("val.never") if trigger is None else f"{trigger:,}",
        words("row.rule"): str(row.get("trigger_rule") or ""),
        words("row.observed"): words("val.never") if observed is None else f"{observed:,}",
        words("row.tail"): "" if tail is None else f"{tail:,}",
        words("row.auxiliary"): str(row.get("auxiliary_model") or ""),
    }
    found.update(flat(row.get("settings", {})))
    found.update(
        flat(row.get("engine_settings") or {}, str(row.get("engine", ""))) if row.get("engine_settings") else {}
    )
    return {text.printable(k): text.shorten(text.printable(v), VALUE_COLUMNS) for k, v in found.items()}


def settings_tables(view: View, words: Words) -> list[dict[str, Any]]:
    """Resolved settings: side by side for a few arms (differing rows first), else one table an arm."""
    resolved = {arm.name: _resolved(arm, words) for arm in view.arms}
    keys = list(dict.fromkeys(key for values in resolved.values() for key in values))
    keys = [key for key in keys if any(values.get(key) for values in resolved.values())]
    if len(view.arms) <= MATRIX_ARMS:
        rows = []
        for key in keys:
            values = [resolved[arm.name].get(key, "") or default(arm, key) or "–" for arm in view.arms]
            cells = [
                value if resolved[arm.name].get(key) or value == "–" else words("val.by_default", value=value)
                for arm, value in zip(view.arms, values, strict=True)
            ]
            rows.append({"cells": [key, *cells], "differs": len(set(values)) > 1})
        rows.sort(key=lambda row: not row["differs"])
        head = [words("col.key"), *(text.shorten(arm.full, 32) for arm in view.arms)]
        return [{"head": head, "rows": rows}]
    return [
        {
            "head": [words("col.key"), text.shorten(arm.full, 80)],
            "rows": [
                {"cells": [key, value], "differs": len({r.get(key, "") for r in resolved.values()}) > 1}
                for key, value in resolved[arm.name].items()
                if value
            ],
        }
        for arm in view.arms
    ]


def ignored_rows(view: View, words: Words) -> dict[str, Any] | None:
    """Settings that have no effect, with the reason; None when there are none."""
    rows = []
    for arm in view.arms:
        found = [
            [str(item.get(key, "")) for key in ("setting", "value", "reason")] for item in arm.row["ignored_settings"]
        ]
        found += [[str(key), "", str(reason)] for key, reason in (arm.row.get("misplaced_settings") or {}).items()]
        rows += [[arm.label, *cells] for cells in found]
    if not rows:
        return None
    cells = [[text.shorten(text.printable(cell), 160) for cell in row] for row in rows]
    return {"head": [words("col.arm"), words("col.key"), words("col.value"), words("col.reason")], "rows": cells}
