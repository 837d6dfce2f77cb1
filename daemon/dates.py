"""Dates on the command line: YYYY-MM-DD, or so long ago: 30d, 6w, 3m, 1y."""

import re
from datetime import date, datetime, time, timedelta

from capsa.chunkers.errors import UsageError

_AGO = re.compile(r"([0-9]{1,5})([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


def parse_date(text: str, today: date, *, end_of_day: bool = False) -> float:
    """Seconds since 1970 of the start (or the last moment) of the day in local time."""
    day = _day(text, today)
    moment = datetime.combine(day, time.max if end_of_day else time.min)
    try:
        return moment.timestamp()
    except (OverflowError, OSError, ValueError) as error:
        raise UsageError(f"{text!r} is too far away for a date") from error


def _day(text: str, today: date) -> date:
    ago = _AGO.fullmatch(text)
    try:
        if ago:
            return today - timedelta(days=int(ago[1]) * _DAYS[ago[2]])
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{text!r} is not a date: {error}") from error
    raise UsageError(f"{text!r} is not a date; use YYYY-MM-DD, or 30d, 6w, 3m, 1y for so long ago")
