"""The fleet's table below the comparison: dollars a day and a month, waiting, and how it was played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.cli import _out
from sim.cli._comparison import money
from sim.cli._table import Column, print_table

_WORDS: dict[str, tuple[str, str]] = {
    "title": (
        "The account, a day and a month ($; p5 to p95 over {n} spans of {days:g} days)",
        "账户每日与每月费用（$；{n} 个 {days:g} 天区间的 p5–p95）",
    ),
    "span": (
        "Above, costs and savings are those of a whole span; here the start-up is left out.",
        "上表为整个区间的费用；此处去掉了启动阶段。",
    ),
    "arm": ("arm", "配置"),
    "day": ("$ a day", "$ / 天"),
    "month": ("$ a month", "$ / 月"),
    "busy": ("requests\nat once", "并发\n请求"),
    "refused": ("429s", "429"),
    "waited": ("waiting\na session", "每会话\n等待"),
    "ended": ("ended by\nbudget", "因预算\n结束"),
    "tokens": (
        "Every session was played, by its token counts. Warm-up left out (MSER-5): {mean:g} hours on average, "
        "{max} at most.",
        "全部会话均按 token 数模拟。已去掉预热（MSER-5）：平均 {mean:g} 小时，最多 {max} 小时。",
    ),
    "unsettled": (
        "In {n} of {all} spans the cost had not settled by half-time: simulate more days.",
        "{all} 个区间中有 {n} 个到一半时费用仍未稳定：请模拟更多天数。",
    ),
    "outlast": (
        "{arm}: the sessions that began cost ${begun} a day, and the span shows ${day}: they outlast it. Simulate more "
        "days (`fleet.days`).",
        "{arm}：所开始的会话每天费用 ${begun}，而区间内为 ${day}：会话比区间更长。请增加 `fleet.days`。",
    ),
    "sample": (
        "{played} of {begun} sessions were played as text; the others by a token-only stand-in, to load the account. "
        "Dollars a day are the sample's, scaled by group; standard error from sampling: {errors}.",
        "{begun} 个会话中有 {played} 个以文本模拟；其余仅按 token 数占用账户。"
        "费用由样本按组推算；抽样标准误：{errors}。",
    ),
    "fallback": (
        "{arm}: {calls} summaries went to {model} (${cost}) because {first} had reached its limit.",
        "{arm}：因 {first} 达到上限，{calls} 次摘要改用 {model}（${cost}）。",
    ),
    "failed": (
        "{arm}: {n} sessions gave up after too many refusals in a row.",
        "{arm}：{n} 个会话因连续被拒而放弃。",
    ),
}


def _word(key: str, lang: str, **values: object) -> str:
    return _WORDS[key][lang == "zh"].format(**values)


def print_fleet(result: Mapping[str, Any], lang: str = "en") -> None:
    """Print the fleet's part of a result; nothing for a result without one.

    Args:
        result: the document of `run --json`.
    """
    from rich.text import Text

    fleet = result.get("fleet")
    if fleet is None:
        return
    _out.console().print()
    rows = [_row(arm) for arm in fleet["arms"]]
    columns = [
        Column("arm", _word("arm", lang)),
        *(Column(key, _word(key, lang), right=True) for key in ("day", "month", "busy", "refused", "waited", "ended")),
    ]
    title = _word("title", lang, n=result["replications"], days=fleet["days"])
    print_table(rows, columns, title=title)
    for line in lines(fleet, result["replications"], lang):
        _out.emit(Text(line, style="dim"))


def lines(fleet: Mapping[str, Any], replications: int, lang: str = "en") -> list[str]:
    """How the figures came about and what the limits did, one sentence each."""
    found: list[str] = []
    warm = fleet["warm_up_hours"]
    if fleet["mode"] == "tokens":
        found.append(_word("span", lang))
        found.append(_word("tokens", lang, mean=warm["mean"], max=warm["max"]))
        if warm["settled"] < replications:
            found.append(_word("unsettled", lang, n=replications - warm["settled"], all=replications))
    else:
        errors = ", ".join(
            [f"{arm['arm']} ${money(arm['sampling_error_usd'])}" for arm in fleet["arms"]]
            + [f"{row['baseline']} - {row['arm']} ${money(row['sampling_error_usd'])}" for row in fleet["paired"]]
        )
        found.append(
            _word("sample", lang, played=fleet["sessions_played"], begun=fleet["sessions_begun"], errors=errors)
        )
    for arm in fleet["arms"]:
        if arm.get("steady") is False:
            day, begun = money(arm["per_day_usd"]["mean"]), money(arm["begun_per_day_usd"])
            found.append(_word("outlast", lang, arm=arm["arm"], begun=begun, day=day))
        instead = arm["auxiliary_fallback"]
        if instead is not None:
            found.append(
                _word(
                    "fallback",
                    lang,
                    arm=arm["arm"],
                    calls=instead["calls"],
                    model=instead["model"],
                    cost=money(instead["cost_usd"]),
                    first=instead["from"],
                )
            )
        if arm["failed"]:
            found.append(_word("failed", lang, arm=arm["arm"], n=arm["failed"]))
    return found


def _row(arm: Mapping[str, Any]) -> dict[str, str]:
    busy = arm["requests_under_way"]
    return {
        "arm": arm["arm"],
        "day": _range(arm["per_day_usd"]),
        "month": _range(arm["per_month_usd"]),
        "busy": "-" if busy is None else f"{busy['mean']:.2f}\nmax {busy['max']}",
        "refused": f"{arm['rate_limited']:,}",
        "waited": f"{arm['waited_s']['mean']:,.1f} s",
        "ended": f"{arm['ended_by_budget']:,}",
    }


def _range(amount: Mapping[str, Any]) -> str:
    """Mean, and p5 to p95 below it when they differ."""
    if amount["p5"] == amount["p95"]:
        return money(amount["mean"])
    return f"{money(amount['mean'])}\n{money(amount['p5'])} to {money(amount['p95'])}"
