"""The decision that a run supports: who wins, by how much, how surely, and what that does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.report import tables, text
from sim.report.decision import Decision
from sim.report.effective import differing
from sim.report.view import COMPACTIONS, ArmView, View
from sim.report.words import Words

if TYPE_CHECKING:
    from sim.study.interval import Interval


TRIFLE = 0.01
"""Share of the final saving below which being behind early in a session is not worth a sentence."""


def unit(view: View, words: Words) -> str:
    """`a session` or `a replication`."""
    return words("unit.session" if view.one_session_each else "unit.replication")


def answer(view: View, decision: Decision, words: Words) -> list[str]:
    """One or two sentences."""
    arm, base = decision.arm, view.baseline
    values: dict[str, object] = {"arm": arm.label, "baseline": base.label, "unit": unit(view, words)}
    if decision.kind == "alone":
        cost = {k: float(v) for k, v in arm.row["cost_usd"].items()}
        places = text.decimals(cost["mean"])
        shown = {k: text.dollars(cost[k], places=places) for k in ("low", "high")}
        key = "answer.alone_point" if cost["low"] == cost["high"] else "answer.alone"
        return [words(key, cost=text.dollars(cost["mean"], places=places), **shown, **values)]
    if decision.kind == "all_break":
        return [words("answer.all_break")]
    if decision.kind == "only_whole":
        return [words("answer.only_whole", **values)]
    if decision.kind == "baseline_breaks":
        return [
            words(
                "answer.baseline_breaks", broken=base.broken, sessions=base.row["sessions"],
                cost=text.dollars(arm.mean_cost), **values,
            )
        ]  # fmt: skip
    if decision.kind == "same":
        return [words("answer.same", **values), *_nobody_fires(view, words)]
    return _against_baseline(view, decision, words, values)


def _against_baseline(view: View, decision: Decision, words: Words, values: dict[str, object]) -> list[str]:
    pair = decision.arm.pair or {}
    saving = {k: float(v) for k, v in pair["saving_usd"].items()}
    places = text.decimals(max(abs(v) for v in saving.values()))
    if decision.kind == "keep":
        shown = {"loss": -saving["mean"], "low": -saving["high"], "high": -saving["low"]}
        return [words("answer.keep", **{k: text.dollars(v, places=places) for k, v in shown.items()}, **values)]
    shown = {"saving": saving["mean"], "low": saving["low"], "high": saving["high"]}
    money = {k: text.dollars(v, places=places) for k, v in shown.items()}
    if decision.kind == "unclear":
        money["saving"] = text.dollars(saving["mean"], places=places, sign=True)
        return [words("answer.unclear", **money, **values)]
    share = pair["saving_pct"]["mean"]
    call = pair["wins_from_call"]
    sentences = [
        words(
            _win_key(view, saving),
            pct="" if share is None else words("answer.pct", share=text.percent(share / 100)),
            from_call=_ahead(call, words),
            **money, **values,
        )
    ]  # fmt: skip
    if decision.second is not None:
        arm, gap = decision.second
        sentences.append(_runner_up(arm, gap, str(values["unit"]), words))
    return sentences


def _win_key(view: View, saving: dict[str, float]) -> str:
    if view.replications == 1:
        return "answer.win_one"
    return "answer.win_point" if saving["low"] == saving["high"] else "answer.win"


def _nobody_fires(view: View, words: Words) -> list[str]:
    """Why equal arms are equal, where it is that no session ever reaches a trigger."""
    triggers = [int(arm.row["trigger_tokens"]) for arm in view.arms if arm.row["trigger_tokens"] is not None]
    if not triggers or any(len(view.rewrites(arm)) for arm in view.arms):
        return []
    peak = max(int(arm.row["peak_tokens"]["max"]) for arm in view.arms)
    return [words("answer.nobody_fires", peak=text.tokens(peak), trigger=text.tokens(min(triggers)))]


def _runner_up(arm: ArmView, gap: Interval, unit: str, words: Words) -> str:
    places = text.decimals(max(abs(gap.low), abs(gap.high)))
    low, high, mean = (text.dollars(value, places=places) for value in (gap.low, gap.high, gap.mean))
    if gap.low == gap.high:
        key = "answer.second_point" if gap.mean else "answer.second_same"
    else:
        key = "answer.second_tie" if gap.low <= 0 else "answer.second"
    return words(key, arm=arm.label, unit=unit, gap=mean, low=low, high=high)


def _ahead(call: int | None, words: Words) -> str:
    if call is None:
        return ""
    return words("answer.from_first") if call == 1 else words("answer.from_call", call=call)


def cards(view: View, decision: Decision, words: Words) -> list[tuple[str, str]]:
    """Up to four figures at a glance: (value, what it is)."""
    arm, per = decision.arm, unit(view, words)
    hit = (text.hit_percent(float(arm.row["hit_ratio"])), words("card.hit"))
    if arm.pair is None or decision.kind in ("baseline_breaks", "all_break"):
        cost = {k: float(v) for k, v in arm.row["cost_usd"].items()}
        places = text.decimals(cost["mean"])
        low, high = (text.dollars(cost[k], places=places) for k in ("low", "high"))
        return [
            (text.dollars(cost["mean"], places=places), words("card.cost", unit=per)),
            (f"{low} – {high}", words("card.range", unit=per)),
            hit,
        ]
    saving = {k: float(v) for k, v in arm.pair["saving_usd"].items()}
    places = text.decimals(max(abs(v) for v in saving.values()))
    share, call = arm.pair["saving_pct"]["mean"], arm.pair["wins_from_call"]
    wins = int(np.count_nonzero(view.savings(arm) > 0))
    found = [(text.dollars(saving["mean"], places=places, sign=True), words("card.saving", unit=per))]
    if share is not None:
        found.append((text.percent(share / 100), words("card.share")))
    found.append((words("card.of", k=wins, n=view.replications), words("card.wins")))
    if call is not None and saving["mean"] > 0:
        found.append((f"{call:,}", words("card.call")))
    else:
        found.append(hit)
    return found


def risks(view: View, decision: Decision, words: Words) -> list[str]:
    """What the answer's arm risks, from the run."""
    arm, base = decision.arm, view.baseline
    chosen = base if decision.kind in ("keep", "same", "only_whole") else arm
    sentences = [_forgets(view, chosen, words)]
    top = {a.name: float(view.costs[a.name].max()) for a in (chosen, base)}
    if decision.kind in ("win", "unclear"):
        if view.replications > 1:
            sentences.append(_dearer(view, chosen, words))
        sentences += [line for line in (_short(view, chosen, words), _by_length(view, chosen, words)) if line]
    if chosen is not base:
        key = "risk.worst" if view.one_session_each else "risk.worst_replication"
        cost, other = text.dollars(top[chosen.name]), text.dollars(top[base.name])
        sentences.append(words(key, arm=chosen.label, baseline=base.label, cost=cost, base=other))
    else:
        median = text.dollars(float(chosen.row["cost_usd"]["p50"]))
        sentences.append(words("risk.alone", cost=text.dollars(top[chosen.name]), median=median))
    lost = view.lost[chosen.name]
    paid = sum(value for _, value in lost.values())
    if paid > 0:
        cause = words(f"cause.{max(lost, key=lambda name: lost[name][1])}")
        sentences.append(words("risk.misses", dollars=text.dollars(paid), unit=unit(view, words), cause=cause))
    return sentences


def _forgets(view: View, arm: ArmView, words: Words) -> str:
    sessions = max(1, int(arm.row["sessions"]))
    found = view.rewrites(arm)
    compacted = found[found["kind"].isin(COMPACTIONS)]
    parts = []
    if len(compacted):
        before, after = (text.tokens(float(compacted[c].median())) for c in ("tokens_before", "tokens_after"))
        times = f"{len(compacted) / sessions:.2g}"
        idle = f"{view.compactions(arm)[0] / sessions:.2g}"
        pauses = words("risk.idle", n=idle) if view.compactions(arm)[0] else ""
        parts.append(words("risk.forget", arm=arm.label, n=times, before=before, after=after, idle=pauses))
    if len(found) > len(compacted):
        times = f"{(len(found) - len(compacted)) / sessions:.2g}"
        parts.append(words("risk.prune", arm=arm.label, n=times))
    if not parts:
        parts.append(words("risk.no_rewrite", arm=arm.label))
        peak, window = int(arm.row["peak_tokens"]["max"]), arm.row.get("window")
        if window:
            parts.append(words("risk.peak", peak=text.tokens(peak), share=text.percent(peak / window)))
    return (" " if words.lang == "en" else "").join(parts)


def _dearer(view: View, arm: ArmView, words: Words) -> str:
    savings = view.savings(arm)
    worse = int(np.count_nonzero(savings < 0))
    base = view.baseline.label
    if worse:
        return words(
            "risk.dearer", k=worse, n=view.replications, baseline=base, loss=text.dollars(-float(savings.min()))
        )
    return words("risk.never_dearer", n=view.replications, baseline=base, least=text.dollars(float(savings.min())))


def _short(view: View, arm: ArmView, words: Words) -> str:
    call = (arm.pair or {})["wins_from_call"]
    if call is None or call <= 1:
        return ""
    behind = (view.spend_matrix(arm) - view.spend_matrix(view.baseline)).mean(axis=0)[: call - 1]
    worst = int(np.argmax(behind))
    if 0 < behind[worst] < TRIFLE * float((arm.pair or {})["saving_usd"]["mean"]):
        return ""
    if behind[worst] <= 0:
        return words("risk.short_even", call=call)
    return words("risk.short", call=call, worst=worst + 1, loss=text.dollars(float(behind[worst])))


def reached(view: View, arm: ArmView, share: float) -> int | None:
    """Call from which an arm has saved that share of its final mean saving, for good; None if it saves nothing."""
    saved = (view.spend_matrix(view.baseline) - view.spend_matrix(arm)).mean(axis=0)
    if not len(saved) or saved[-1] <= 0:
        return None
    short = np.flatnonzero(saved < share * saved[-1])
    return int(short[-1]) + 2 if len(short) else 1


def _by_length(view: View, arm: ArmView, words: Words) -> str:
    tenth, half = reached(view, arm, 0.1), reached(view, arm, 0.5)
    if tenth is None or half is None or half >= view.longest:
        return ""
    return words("risk.length", tenth=tenth, half=half, last=view.longest)


def breaks(view: View, words: Words) -> list[str]:
    """Arms whose sessions broke off, as a sentence, or nothing."""
    broken = [arm for arm in view.arms if arm.broken]
    if not broken:
        return []
    shown = broken[:4]
    counts = [words("caveat.count", arm=arm.label, broken=arm.broken, sessions=arm.row["sessions"]) for arm in shown]
    names = words.listing([arm.label for arm in shown])
    return [words("caveat.breaks", arms=names, counts=words.listing(counts))]


def caveats(view: View, words: Words, decision: Decision | None = None) -> list[str]:
    """What limits the answer, the gravest first."""
    found = breaks(view, words)
    if decision is not None and decision.kind == "win":
        found += _together(decision.arm, view.baseline, words)
    by_trigger: dict[tuple[object, object], list[ArmView]] = {}
    for arm in view.arms:
        if arm.row["trigger_tokens"] is not None:
            by_trigger.setdefault((arm.row["trigger_tokens"], arm.row.get("engine_version")), []).append(arm)
    for (trigger, _), arms in by_trigger.items():
        if len({str(tables.changed_trigger(arm)) for arm in arms}) > 1:
            shown = words.listing([arm.label for arm in arms[:4]])
            found.append(words("caveat.same_trigger", arms=shown, trigger=text.tokens(int(str(trigger)))))
    ignored = list(
        dict.fromkeys(
            text.printable(item["setting"]) for arm in view.arms for item in arm.row.get("ignored_settings", ())
        )
    )
    if ignored:
        items = words.listing(ignored[:3])
        if len(ignored) > 3:
            items = words("caveat.ignored_more", items=", ".join(ignored[:3]), n=len(ignored) - 3)
        found.append(words("caveat.ignored", items=items))
    found += _world_caveats(view, words)
    return found


def _together(arm: ArmView, base: ArmView, words: Words) -> list[str]:
    """Which settings share a saving, when more than one was changed."""
    items = differing(arm, base)
    if len(items) < 2:
        return []
    shown = [text.printable(item) for item in items[:4]]
    listed = ", ".join([*shown, "…"] if len(items) > 4 else shown)
    return [words("caveat.together", arm=arm.label, baseline=base.label, n=len(items), items=listed)]


def _world_caveats(view: View, words: Words) -> list[str]:
    assumed = view.data.manifest.get("assumptions", {})
    workload = assumed.get("workload", {})
    found = []
    if workload.get("kind") == "synthetic":
        found.append(words("caveat.synthetic", preset=text.printable(workload.get("preset", "?"))))
    elif workload.get("kind") in ("replay", "curve"):
        found.append(words(f"caveat.{workload['kind']}"))
    if view.replications == 1:
        found.append(words("caveat.one"))
    elif view.replications < 10:
        found.append(words("caveat.few", n=view.replications))
    auxiliary = assumed.get("auxiliary", {})
    if auxiliary and any(arm.row.get("auxiliary_model") for arm in view.arms):
        failing = sum(auxiliary.get("failures", {}).values())
        failures = words("caveat.failures", share=text.percent(failing, 1)) if failing else words("caveat.no_failures")
        tokens = f"{auxiliary.get('summary_tokens', 0):,}"
        found.append(words("caveat.summary", tokens=tokens, failures=failures))
    checked = sorted({str(card.get("checked")) for card in view.data.summary.get("stamp", {}).get("price_cards", [])})
    if checked:
        found.append(words("caveat.prices", date=checked[0]))
    return found
