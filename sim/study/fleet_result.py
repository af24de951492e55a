"""What a fleet costs a day and a month once it runs steadily, what its limits did, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.scenario import Scenario
from sim.streams import digest64
from sim.study.fleet import arrivals, fleet_of
from sim.study.interval import paired_interval
from sim.study.steady import WarmUp, mser5
from sim.units import usd_text

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

DAYS_A_MONTH = Fraction(3_652_425, 120_000)
"""A twelfth of the mean Gregorian year."""
_COSTS = ("cost_read_pico", "cost_write_pico", "cost_fresh_pico", "cost_output_pico", "cost_storage_pico")
_HOUR = 3_600.0
_CLOSE = Fraction(1, 10)
"""How far apart two ways to the steady figure may be."""


def fleet_result(scenario: Scenario, tables: Mapping[str, pa.Table], replications: int) -> dict[str, Any]:
    """The `fleet` part of a result.

    Dollars a day are those of the hours that MSER-5 keeps (`mode: tokens`), the same hours for all arms of a
    replication; with `mode: sample` they are the sampled sessions' mean cost times the sessions that began, by group,
    and `sampling_error_usd` is the standard error that leaving out the others brings. `begun_per_day_usd` is another
    way to the same figure: whole cost of the sessions that began, over the days. When the two are far apart
    (`steady` is false), sessions outlast the span and more days must be simulated.

    Args:
        tables: `calls` and `sessions`.
        replications: spans played.
    """
    fleet = fleet_of(scenario)
    calls, sessions = _frames(tables)
    names = [arm.name for arm in scenario.arms]
    warm: list[WarmUp] = []
    sample = None if fleet.mode == "tokens" else _Sample(scenario, sessions, replications)
    if sample is None:
        days, warm = _steady_days(calls, names, replications, fleet.days)
    else:
        days = {name: sample.days(name) for name in names}
    rows = [_arm(scenario, name, calls, sessions, days[name], replications) for name in names]
    for row in rows:
        begun = sessions.loc[sessions["arm"] == row["arm"], "cost_pico"].sum()
        if sample is None:
            mean = Fraction(int(begun), replications) / Fraction(str(fleet.days))
            steady = sum(days[row["arm"]], Fraction(0)) / replications
            row["begun_per_day_usd"] = usd_text(round(mean))
            row["steady"] = abs(steady - mean) <= mean * _CLOSE
        else:
            # Only the sampled sessions were watched.
            row["requests_under_way"] = None
        row["sampling_error_usd"] = usd_text(sample.error(row["arm"])) if sample else None
    began = {g.label: sum(len(arrivals(scenario, g, r)) for r in range(replications)) for g in fleet.groups}
    return {
        "days": fleet.days,
        "mode": fleet.mode,
        "sessions_begun": sum(began.values()),
        "sessions_played": int(len(sessions) // len(names)),
        "warm_up_hours": {
            "mean": round(sum(w.count for w in warm) / len(warm), 2) if warm else None,
            "max": max((w.count for w in warm), default=None),
            "settled": sum(w.settled for w in warm) if warm else None,
        },
        "arms": rows,
        "paired": _paired(scenario, days, sample),
    }


def _frames(tables: Mapping[str, pa.Table]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Calls with their session's start, their hour of the span and their cost; and the sessions."""
    key = ["arm", "replication", "session"]
    sessions = tables["sessions"].to_pandas()
    wanted = [*key, "kind", "model", "started_s", "ended_s", "outcome", *_COSTS]
    calls = tables["calls"].select(wanted).to_pandas()
    calls["cost"] = calls[list(_COSTS)].sum(axis=1)
    calls = calls.merge(sessions[[*key, "started_at_s", "group"]], on=key, how="left", sort=False)
    calls["from_s"] = calls["started_at_s"] + calls["started_s"]
    calls["to_s"] = calls["started_at_s"] + calls["ended_s"]
    return calls, sessions


def _steady_days(
    calls: pd.DataFrame, names: list[str], replications: int, days: float
) -> tuple[dict[str, list[Fraction]], list[WarmUp]]:
    """Pico-dollars a day of each replication, without its warm-up."""
    hours = max(1, int(days * 24))
    per_day: dict[str, list[Fraction]] = {name: [] for name in names}
    warm: list[WarmUp] = []
    spent = {name: np.zeros((replications, hours), dtype=np.int64) for name in names}
    for name, mine in calls.groupby("arm", sort=False):
        at = (mine["from_s"].to_numpy() // _HOUR).astype(np.int64)
        inside = at < hours
        place = (mine["replication"].to_numpy()[inside], at[inside])
        np.add.at(spent[str(name)], place, mine["cost"].to_numpy()[inside])
    for replication in range(replications):
        found = [mser5([float(v) for v in spent[name][replication]]) for name in names]
        cut = max(w.count for w in found)
        warm.append(WarmUp(cut, all(w.settled for w in found)))
        for name in names:
            kept = spent[name][replication][cut:]
            per_day[name].append(Fraction(int(kept.sum()) * 24, len(kept)))
    return per_day, warm


class _Sample:
    """The sampled sessions' costs by arm, replication and group, in order of session names."""

    def __init__(self, scenario: Scenario, sessions: pd.DataFrame, replications: int) -> None:
        self._fleet, self._replications = fleet_of(scenario), replications
        ordered = sessions.sort_values("session", kind="stable")
        keys = ["arm", "replication", "group"]
        self._costs = {key: [int(c) for c in rows["cost_pico"]] for key, rows in ordered.groupby(keys, sort=False)}
        self._begun = {
            (replication, group.label): len(arrivals(scenario, group, replication))
            for replication in range(replications)
            for group in self._fleet.groups
        }

    def days(self, arm: str) -> list[Fraction]:
        """Pico-dollars a day of each replication: a group's mean times the sessions that began."""
        totals = [Fraction(0)] * self._replications
        for (replication, group), begun in self._begun.items():
            found = self._costs.get((arm, replication, group), [])
            if found:
                totals[replication] += Fraction(begun * sum(found), len(found))
        return [total / Fraction(str(self._fleet.days)) for total in totals]

    def error(self, arm: str, less: str | None = None) -> int:
        """Standard error of the mean day (of the difference to another arm), from sampling alone.

        Stratified by group, with the finite population's correction: a sample of everybody has none.
        """
        variance = 0.0
        for (replication, group), begun in self._begun.items():
            found = self._costs.get((arm, replication, group), [])
            if less is not None:
                other = self._costs.get((less, replication, group), [])
                found = [a - b for a, b in zip(found, other, strict=True)]
            if 1 < len(found) < begun:
                spread = float(np.var(np.asarray(found, dtype=float), ddof=1))
                variance += begun**2 * (1 - len(found) / begun) * spread / len(found)
        return round(sqrt(variance) / self._replications / self._fleet.days)


def _arm(
    scenario: Scenario,
    name: str,
    calls: pd.DataFrame,
    sessions: pd.DataFrame,
    days: list[Fraction],
    replications: int,
) -> dict[str, Any]:
    fleet = fleet_of(scenario)
    mine, own = calls[calls["arm"] == name], sessions[sessions["arm"] == name]
    main = mine[(mine["kind"] == "main") & (mine["outcome"] == "ok")]
    turned_away = mine[(mine["kind"] == "main") & mine["outcome"].isin(["rate_limit", "overloaded"])]
    instead = mine[(mine["kind"] == "auxiliary") & (mine["outcome"] == "rate_limit")]
    waited = own["waited_s"].to_numpy()
    under_way = [_under_way(rows, fleet.days) for _, rows in main.groupby("replication", sort=False)]
    return {
        "arm": name,
        "sessions": len(own),
        "calls": len(main),
        "per_day_usd": _quantiles(days),
        "per_month_usd": _quantiles([d * DAYS_A_MONTH for d in days]),
        "requests_under_way": {
            "mean": round(sum(m for m, _ in under_way) / replications, 4),
            "max": max((m for _, m in under_way), default=0),
        },
        "rate_limited": int((turned_away["outcome"] == "rate_limit").sum()),
        "overloaded": int((turned_away["outcome"] == "overloaded").sum()),
        "waited_s": {
            "mean": round(float(waited.mean()), 3) if len(own) else 0.0,
            "max": round(float(waited.max()), 3) if len(own) else 0.0,
        },
        "ended_by_budget": int((own["end"] == "budget").sum()),
        "failed": int((own["end"] == "failed").sum()),
        "auxiliary_fallback": _fallback(instead, mine),
        "groups": [_group(g.label, own, main) for g in fleet.groups],
    }


def _under_way(main: pd.DataFrame, days: float) -> tuple[float, int]:
    """Requests being answered at once within the span: mean and maximum of one replication."""
    end = days * 86_400.0
    starts = np.sort(main["from_s"].to_numpy())
    stops = np.sort(main["to_s"].to_numpy())
    busy = np.minimum(main["to_s"].to_numpy(), end) - np.minimum(main["from_s"].to_numpy(), end)
    starts = starts[starts < end]
    # At the n-th start, n + 1 requests have begun; those that ended by then are gone.
    at_once = np.arange(1, len(starts) + 1) - np.searchsorted(stops, starts, side="right")
    return float(busy.sum()) / end, int(at_once.max()) if len(at_once) else 0


def _fallback(instead: pd.DataFrame, mine: pd.DataFrame) -> dict[str, Any] | None:
    """Summaries that went to the priced model because the first one's limit was reached."""
    if not len(instead):
        return None
    refused = sorted(set(instead["model"]))
    done = mine[(mine["kind"] == "auxiliary") & ~mine["model"].isin(refused)]
    return {
        "from": ", ".join(refused),
        "model": ", ".join(sorted(set(done["model"]))),
        "calls": len(instead),
        "cost_usd": usd_text(int(done["cost"].sum())),
    }


def _group(label: str, own: pd.DataFrame, main: pd.DataFrame) -> dict[str, Any]:
    rows = own[own["group"] == label]
    costs = [int(c) for c in rows["cost_pico"]]
    calls = main[main["group"] == label]
    return {
        "group": label,
        "model": ", ".join(sorted(set(calls["model"]))),
        "sessions": len(rows),
        "calls": len(calls),
        "session_usd": usd_text(round(Fraction(sum(costs), len(costs)))) if costs else None,
        "cost_usd": usd_text(sum(costs)),
    }


def _quantiles(values: list[Fraction]) -> dict[str, str]:
    """Mean, and quantiles that are observed values."""
    ordered = sorted(values)
    n = len(ordered)

    def at(percent: int) -> str:
        return usd_text(round(ordered[max(0, -(-n * percent // 100) - 1)]))

    return {"mean": usd_text(round(sum(ordered, Fraction(0)) / n)), "p5": at(5), "p50": at(50), "p95": at(95)}


def _paired(scenario: Scenario, days: dict[str, list[Fraction]], sample: _Sample | None) -> list[dict[str, Any]]:
    """Dollars a day saved against the baseline, paired by replication."""
    base = days[scenario.baseline]
    found = []
    for arm in scenario.arms:
        if arm.name == scenario.baseline:
            continue
        savings = [float(b - a) for a, b in zip(days[arm.name], base, strict=True)]
        interval = paired_interval(savings, seed=digest64(scenario.seed, "fleet") % (1 << 32))
        found.append(
            {
                "arm": arm.name,
                "baseline": scenario.baseline,
                "saving_per_day_usd": {
                    "mean": usd_text(round(interval.mean)),
                    "low": usd_text(round(interval.low)),
                    "high": usd_text(round(interval.high)),
                },
                "sampling_error_usd": usd_text(sample.error(arm.name, scenario.baseline)) if sample else None,
            }
        )
    return found
