"""`hermes-sim verify`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sim.cli import _out
from sim.cli._options import lang_option


@click.command(name="verify")
@click.option("--before", multiple=True, required=True, metavar="TRANSCRIPT", help="Sessions before the change.")
@click.option("--after", multiple=True, required=True, metavar="TRANSCRIPT", help="Sessions after the change.")
@click.option(
    "--predicted", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The run that promised."
)
@click.option("--arm", default="", metavar="ARM", help="Arm of that run  [default: its first beside the baseline]")
@click.option("--format", "transcript_format", default="auto", metavar="F", help="Transcript format  [default: auto]")
@click.option("--as-of", metavar="DATE", help="Date whose prices apply on both sides.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@lang_option
def command(
    before: tuple[str, ...],
    after: tuple[str, ...],
    predicted: Path,
    arm: str,
    transcript_format: str,
    as_of: str | None,
    as_json: bool,
    lang: str,
) -> None:
    """Did a promised saving arrive? Recorded cost of a call before and after, against a stored run's promise."""
    from sim.cli.reconcile import _date
    from sim.insight.verify import promised_saving, verify
    from sim.ledger import RunFolder
    from sim.units import usd_text

    promise = promised_saving(RunFolder(predicted).manifest(), arm)
    found = verify(before, after, promise, format=transcript_format, as_of=_date(as_of))
    if as_json:
        document: dict[str, Any] = {"schema": 1, **asdict(found)}
        for when in ("before", "after"):
            document[when]["cost_usd"] = usd_text(document[when].pop("pico"))
        for key in ("low", "high"):
            document[key] = None if abs(document[key]) == float("inf") else document[key]
        _out.print_json(document)
        return
    chinese = {"arrived": "已兑现", "partly arrived": "部分兑现", "did not arrive": "未兑现", "cannot tell": "无法判断"}
    print(f"{chinese[found.verdict] if lang == 'zh' else found.verdict}: {found.why}")
    for name, side in (("before", found.before), ("after", found.after)):
        label = {"before": "之前", "after": "之后"}[name] if lang == "zh" else name
        cost = side.pico_per_call / 1e12
        print(f"  {label}: {side.sessions} × {side.calls}  ${cost:.5f} / call  {side.read_share:.1%}")
