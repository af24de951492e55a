"""`hermes-sim reconcile`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from sim.cli import _out
from sim.cli._options import lang_option


@click.command(name="reconcile")
@click.argument("transcripts", nargs=-1, required=True, metavar="TRANSCRIPT...")
@click.option("--bill", type=click.Path(path_type=Path), metavar="FILE", help="What was paid: a number, JSON or CSV.")
@click.option("--format", "transcript_format", default="auto", metavar="F", help="Transcript format  [default: auto]")
@click.option("--as-of", metavar="DATE", help="Date whose prices apply  [default: the recording's own]")
@click.option("--calls", is_flag=True, help="With --json: one row for every call.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@lang_option
def command(
    transcripts: tuple[str, ...],
    bill: Path | None,
    transcript_format: str,
    as_of: str | None,
    calls: bool,
    as_json: bool,
    lang: str,
) -> None:
    """Set what the provider recorded beside what the simulator predicts, call by call, and explain the difference.

    The prediction is made twice: with the recorded prompt sizes (only the cache is predicted) and with prompts counted
    from the texts. Nothing is sent anywhere, and no text is printed.
    """
    from sim.errors import TranscriptError
    from sim.insight.bill import read_bill
    from sim.insight.reconcile import reconcile
    from sim.insight.reconcile_view import as_document

    moment = _date(as_of)
    paid = read_bill(bill) if bill is not None else None
    exact = reconcile(transcripts, format=transcript_format, exact=True, as_of=moment)
    counted = reconcile(transcripts, format=transcript_format, as_of=moment)
    document = as_document(counted, exact, bill=paid, calls=calls)
    if not document["calls"] and not as_json:
        raise TranscriptError(
            f"no call of {', '.join(transcripts)} has recorded usage, so there is nothing to set beside a prediction",
            remedy="see docs/formats.md for the formats that keep usage; `hermes-sim replay` works without it",
        )
    if as_json:
        _out.print_json(document)
        return
    _print(document, lang)
    for note in document["notes"]:
        _out.note(note)


_TITLES = {
    "en": {
        "head": "calls with recorded usage: {calls}, without (left out): {left_out}; sessions: {sessions}\n"
        "predicted: recorded prompt sizes, our cache; from texts: prompts counted from the texts as well",
        "recorded": "recorded", "predicted": "predicted", "predicted_counted": "from texts", "what": "",
        "input_tokens": "prompt", "cache_read_tokens": "read", "cache_write_tokens": "written",
        "fresh_tokens": "fresh", "output_tokens": "output", "cost_usd": "$",
        "share": "read share of the prompt", "all": "all calls", "user": "started by a person", "tool": "by a tool",
        "cause": "why reads differ", "calls": "calls", "tokens": "tokens", "none": "no read differs",
        "step": "from our estimate to the bill", "usd": "$", "total_usd": "total $",
    },
    "zh": {
        "head": "{sessions} 个会话中 {calls} 次有用量记录的调用（{left_out} 次无记录，未计入）\n"
        "预测：用记录的提示大小，只预测缓存；按文本预测：提示大小也从文本计数",
        "recorded": "记录", "predicted": "预测", "predicted_counted": "按文本预测", "what": "",
        "input_tokens": "提示", "cache_read_tokens": "读取", "cache_write_tokens": "写入",
        "fresh_tokens": "未缓存", "output_tokens": "输出", "cost_usd": "$",
        "share": "提示中读取的比例", "all": "全部调用", "user": "由用户发起", "tool": "由工具发起",
        "cause": "读取差异的原因", "calls": "调用", "tokens": "token", "none": "读取没有差异",
        "step": "从估算到账单", "usd": "$", "total_usd": "合计 $",
    },
}  # fmt: skip


def _print(document: dict[str, Any], lang: str) -> None:
    from sim.cli._table import Column, print_table

    title = _TITLES[lang]
    sides = ("recorded", "predicted", "predicted_counted")
    print(title["head"].format(**document))
    names = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "fresh_tokens", "output_tokens", "cost_usd")
    rows = [{"what": title[n], **{s: _number(document["totals"][s][n]) for s in sides}} for n in names]
    print_table(rows, [Column("what", title["what"]), *(Column(s, title[s], right=True) for s in sides)])
    shares = [{"what": title[r["started_by"]], **{s: f"{r[s]:.2%}" for s in sides}} for r in document["read_share"]]
    print_table(shares, [Column("what", title["share"]), *(Column(s, title[s], right=True) for s in sides)])
    if document["causes"]:
        columns = [Column("cause", title["cause"]), *(Column(n, title[n], right=True) for n in ("calls", "tokens"))]
        print_table([{k: _number(v) for k, v in row.items()} for row in document["causes"]], columns)
    else:
        print(title["none"])
    steps = [
        {**row, "usd": _number(row["usd"]), "total_usd": _number(row["total_usd"])} for row in document["waterfall"]
    ]
    print_table(
        steps, [Column("step", title["step"]), *(Column(n, title[n], right=True) for n in ("usd", "total_usd"))]
    )


def _number(value: Any) -> str:
    """Tokens with thousands separators, dollars with four places, words as they are."""
    if isinstance(value, int):
        return f"{value:,}"
    try:
        return f"{float(value):,.4f}"
    except ValueError:
        return str(value)


def _date(text: str | None) -> datetime | None:
    from sim.errors import UsageError

    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise UsageError(f"--as-of {text!r} is not a date", remedy="write it as 2026-12-01") from None
