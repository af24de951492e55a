"""`hermes-sim prices`."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from sim.cli import _out
from sim.cli._options import format_options, lang_option


@click.command(name="prices")
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option("--as-of", metavar="DATE", help="Date whose prices apply  [default: today]")
@format_options
@lang_option
def command(models: tuple[str, ...], as_of: str | None, fmt: str, lang: str) -> None:
    """Show price cards: dollars per million tokens, with dates and sources.

    Without a MODEL the vendors' own current models are listed; any other is found by its name.
    """
    from sim.cli._prices import card_row, listed, table_rows
    from sim.cli._table import Column, print_csv, print_table
    from sim.cli._words import word

    moment = _date(as_of)
    cards = [card_row(model, moment) for model in models] if models else listed(moment)
    if fmt == "json":
        _out.print_json({"schema": 1, "as_of": moment.date().isoformat(), "cards": cards})
        return
    if fmt == "csv":
        print_csv(
            [{**{k: v for k, v in card.items() if k != "tiers"}, **tier} for card in cards for tier in card["tiers"]]
        )
        return
    columns = [
        Column("model", word("model", lang), wrap=True),
        Column("provider", word("provider", lang)),
        Column("window", word("window", lang), right=True),
        Column("effective", word("effective", lang)),
        Column("input_usd", word("input", lang), right=True),
        Column("cache_read_usd", word("read", lang), right=True),
        Column("cache_write_5m_usd", word("write", lang, ttl="5m"), right=True),
        Column("cache_write_1h_usd", word("write", lang, ttl="1h"), right=True),
        Column("output_usd", word("output", lang), right=True),
    ]
    rows = table_rows(cards)
    print_table(rows, [c for c in columns if any(row.get(c.key) for row in rows)])
    print()
    sources = sorted({f"{card['source']}, checked {card['checked']}" for card in cards})
    print(f"{word('per_million', lang)}: {'; '.join(sources)}")
    if any(card["time_windows"] for card in cards):
        names = ", ".join(card["model"] for card in cards if card["time_windows"])
        print(f"{word('time_windows', lang)}: {names}")


def _date(text: str | None) -> datetime:
    from sim.errors import UsageError

    if text is None:
        return datetime.now(tz=UTC)
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise UsageError(f"--as-of {text!r} is not a date", remedy="write it as 2026-12-01") from None
