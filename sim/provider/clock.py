"""Dates of price data as seconds since the epoch, UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime


def seconds(moment: str | date | datetime) -> float:
    """Seconds since the epoch of a date (midnight UTC) or of a moment (`2026-08-16T16:00`, UTC).

    Raises:
        ValueError: not a date.
    """
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment.removesuffix("Z"))
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)  # noqa: DTZ001 - the zone is set below
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def iso_day(moment: str | date | datetime) -> str:
    """The ISO date of a date or moment."""
    return datetime.fromtimestamp(seconds(moment), tz=UTC).date().isoformat()
