"""The comparison as people read it: arms as rows, the decision below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.cli import _out
from sim.cli._words import word
from sim.units import format_tokens

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_COLOUR = {"cheaper": "green", "dearer": "red", "no difference shown": "yellow", "baseline": "dim"}


def print_comparison(
    result: Mapping[str, Any], *, title: str, answer: Sequence[str], question: str = "", lang: str = "en"
) -> None:
    """Print the table, the decision and the run folder.

    Args:
        result: the document of `run --json`.
        answer: the decision's sentences, as the report has them.
        question: what is compared, on which model and sessions; left out when empty.
    """
    from rich.measure import Measurement
    from rich.text import Text

    console = _out.console()
    _out.emit(Text(title, style="bold"))
    if question:
        _out.emit(Text(question, style="dim"))
    sessions = max((a["sessions"] for a in result["arms"]), default=0)
    key = "sessions_line" if sessions > 1 else "session_line"
    _out.emit(Text(word(key, lang, n=sessions), style="dim"))
    console.print()
    rows = cells(result, lang)
    span = "fleet" in result and result["fleet"]["mode"] == "tokens"
    unbounded = console.options.update(max_width=1_000)
    for left_out in _LEFT_OUT:
        table = _wide(rows, lang, left_out, span)
        if Measurement.get(console, unbounded, table).maximum <= console.width:
            _out.emit(table)
            if left_out:
                _out.emit(Text(word("wider", lang), style="dim"))
            console.print()
            break
    else:
        _narrow(rows, lang, span)
    _out.emit(Text(("" if lang == "zh" else " ").join(answer), style="bold"))
    _out.emit(Text(f"{word('stored', lang)}: {result['run_dir']}", overflow="fold"))
    report = Path(result["run_dir"], "report.pdf")
    if report.is_file():
        _out.emit(Text(f"{word('report', lang)}: {report}", overflow="fold"))


def remarks(result: Mapping[str, Any], lang: str = "en") -> list[str]:
    """Ignored and misplaced settings, cut-off sessions, arms with one and the same trigger."""
    found: list[str] = []
    without: dict[tuple[Any, ...], list[str]] = {}
    for arm in result["arms"]:
        for item in arm["ignored_settings"]:
            without.setdefault(tuple(_ignored(item).items()), []).append(arm["arm"])
    for same, arms in without.items():
        found.append(word("ignored", lang, arm=", ".join(arms), **dict(same)))
    for arm in result["arms"]:
        name = arm["arm"]
        for setting, home in (arm.get("misplaced_settings") or {}).items():
            found.append(word("misplaced", lang, arm=name, setting=setting, home=home))
        for kind, key in (("overflows", "overflow"), ("unfinished", "unfinished")):
            if arm.get(kind):
                found.append(word(key, lang, arm=name, n=arm[kind], all=arm["sessions"]))
    return found


def _ignored(item: Any) -> dict[str, Any]:
    if isinstance(item, Mapping):
        return {"setting": item.get("setting"), "value": item.get("value"), "reason": item.get("reason")}
    return {"setting": item, "value": "…", "reason": "-"}


def money(value: Any) -> str:
    """Dollars for people: cents, and more digits below a cent."""
    if value is None:
        return "-"
    number = float(value)
    size = abs(number)
    digits = 2 if size >= 0.995 or size == 0 else 3 if size >= 0.0995 else 4 if size >= 0.00995 else 6
    return f"{number:,.{digits}f}"


def cells(result: Mapping[str, Any], lang: str = "en") -> list[dict[str, Text]]:
    """One row of styled cells for each arm."""
    pairs = {row["arm"]: row for row in result["paired"]}
    return [_cells(arm, pairs.get(arm["arm"]), lang) for arm in result["arms"]]


def _cells(arm: Mapping[str, Any], pair: Mapping[str, Any] | None, lang: str) -> dict[str, Text]:
    from rich.text import Text

    sessions = arm["sessions"] or 1
    cost = arm["cost_usd"]
    trigger = arm["trigger_tokens"]
    row = {
        "arm": Text(f"{arm['arm']}\n").append(_engine(arm), style="dim"),
        "trigger": _two(
            word("never", lang) if trigger is None else format_tokens(trigger), _rule(arm.get("trigger_rule"))
        ),
        "calls": Text(_each(arm["calls"], sessions)),
        "compactions": Text(_each(arm["compactions"], sessions)),
        "prunes": Text(_each(arm["prunes"], sessions)),
        "peak": Text(format_tokens(arm["peak_tokens"]["p50"])),
        "hit": Text(f"{arm['hit_ratio'] * 100:.1f} %"),
        "cost": _two(money(cost["mean"]), _range(cost)),
    }
    if pair is None:
        row["saving"] = Text("")
        row["verdict"] = Text(word("baseline", lang), style=_COLOUR["baseline"])
        return row
    saving = pair["saving_usd"]
    row["saving"] = _two(money(saving["mean"]), _range(saving))
    verdict = Text(word(pair["verdict"], lang), style=_COLOUR.get(pair["verdict"], ""))
    if pair["verdict"] == "cheaper" and pair["wins_from_call"]:
        verdict.append("\n" + word("from_call", lang, n=pair["wins_from_call"]), style="dim")
    row["verdict"] = verdict
    return row


def _engine(arm: Mapping[str, Any]) -> str:
    version = arm.get("engine_version") or ""
    return f"hermes {version.partition('.post')[0]}" if arm["engine"] == "hermes" and version else str(arm["engine"])


def _rule(rule: Any) -> str:
    return "" if not rule or rule in {"never", "none"} else str(rule)


def _two(first: str, second: str) -> Text:
    from rich.text import Text

    return Text(first + ("\n" if second else "")).append(second, style="dim")


def _range(interval: Mapping[str, Any]) -> str:
    """Both ends with as many decimals as the larger one deserves."""
    if interval["low"] == interval["high"]:
        return ""
    bounds = [float(interval["low"]), float(interval["high"])]
    size = max(abs(b) for b in bounds)
    digits = 0 if size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.0995 else 4
    low, high = (f"{b:,.{digits}f}" for b in bounds)
    return f"{low} to {high}" if "-" in low + high or not _out.utf8() else f"{low}–{high}"


def _each(total: int, sessions: int) -> str:
    """A total as a mean per session, with a decimal only where there is one."""
    mean = total / sessions
    return f"{mean:,.0f}" if mean == int(mean) or mean >= 100 else f"{mean:.1f}"


_WIDE = (
    ("arm", ""),
    ("trigger", ""),
    ("calls", "peak"),
    ("compactions", "prunes"),
    ("hit", ""),
    ("cost", ""),
    ("saving", ""),
    ("verdict", ""),
)
"""Columns of the wide table; a second key shares its column, on the second line."""
_LEFT_OUT = (frozenset[str](), frozenset({"hit"}), frozenset({"hit", "compactions", "calls"}))
"""Columns left out, step by step, to fit a narrower terminal; below that, arms are listed one under the other."""
_KEYS = tuple(key for pair in _WIDE for key in pair if key)
_LEFT = {"arm", "trigger", "verdict"}


def _heading(key: str, lang: str, span: bool) -> str:
    """A column's title; a replication of a fleet is a span, not a session."""
    return word(f"{key}_span" if span and key in {"cost", "saving"} else key, lang)


def _wide(rows: Sequence[Mapping[str, Text]], lang: str, left_out: frozenset[str], span: bool) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False, padding=(0, 1), collapse_padding=True
    )
    shown = [pair for pair in _WIDE if pair[0] not in left_out]
    for first, second in shown:
        table.add_column(
            _heading(first, lang, span) + (f"\n{word(second, lang)}" if second else ""),
            justify="left" if first in _LEFT else "right",
            no_wrap=True,
        )
    for row in rows:
        table.add_row(
            *(
                row[first].copy().append("\n" + row[second].plain, style="dim") if second else row[first]
                for first, second in shown
            )
        )
    return table


def _narrow(rows: Sequence[Mapping[str, Text]], lang: str, span: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    console = _out.console()
    for i, row in enumerate(rows):
        if i:
            console.print()
        _out.emit(_joined(row["arm"], style="bold"))
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for key in _KEYS[1:]:
            if row[key].plain:
                name = _heading("compactions_long" if key == "compactions" else key, lang, span).replace("\n", " ")
                table.add_row(Text(f"  {name}"), _joined(row[key]))
        _out.emit(table)
    console.print()


def _joined(cell: Text, style: str = "") -> Text:
    """A two-line cell on one line, the second part in brackets."""
    from rich.text import Text

    first, _, second = cell.plain.partition("\n")
    if first.endswith("-"):
        return Text(first[:-1] + second, style=style or str(cell.style))
    return Text(first, style=style or str(cell.style)).append(f"  ({second})" if second else "", style="dim")
