"""`hermes-sim prices`."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from sim.cli import _out
from sim.cli._options import format_options, lang_option


@click.command(name="prices", short_help="Show price cards with dates and sources.")
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
        plain = [{k: v for k, v in card.items() if k not in {"tiers", "time_windows"}} for card in cards]
        print_csv([{**row, **tier} for row, card in zip(plain, cards, strict=True) for tier in card["tiers"]])
        return
    columns = [
        Column("model", word("model", lang)),
        Column("provider", word("provider", lang)),
        Column("window", word("window", lang), right=True),
        Column("effective", word("effective", lang)),
        Column("input", word("input", lang), right=True),
        Column("read", word("read", lang), right=True),
        Column("writes", word("writes", lang), right=True),
        Column("output", word("output", lang), right=True),
    ]
    print_table(table_rows(cards), columns)
    print()
    sources = sorted({f"{card['source']}, checked {card['checked']}" for card in cards})
    print(f"{word('per_million', lang)}:")
    for source in sources:
        print(f"  {source}")
    if models:
        for card in cards:
            for note in card["notes"]:
                print(f"{card['model']}: {note}")
        _warn_of_age(models, moment)
    if any(card["time_windows"] for card in cards):
        names = ", ".join(card["model"] for card in cards if card["time_windows"])
        print(f"{word('time_windows', lang)}: {names}")


def _warn_of_age(models: tuple[str, ...], moment: datetime) -> None:
    """A warning for each card that was checked long ago."""
    from sim.insight.prices import price_row, stale_warning

    for model in models:
        warning = stale_warning(price_row(model, as_of=moment, today=datetime.now(tz=UTC)))
        if warning:
            _out.warning(warning)


def _date(text: str | None) -> datetime:
    from sim.errors import UsageError

    if text is None:
        return datetime.now(tz=UTC)
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise UsageError(f"--as-of {text!r} is not a date", remedy="write it as 2026-12-01") from None
