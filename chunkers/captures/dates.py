"""The dates that savers write, as microseconds since 1970 in UTC; None for what is no date."""

import re
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from ..history.times import microseconds

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# What JavaScript's Date gives: "Mon Nov 30 2026 10:00:00 GMT+0100 (Central European Standard Time)".
_SCRIPT = re.compile(
    r"[A-Za-z]{3} ([A-Za-z]{3}) (\d{1,2}) (\d{4}) (\d\d):(\d\d):(\d\d) (?:GMT|UTC)(?:([+-])(\d\d):?(\d\d))?"
)
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)(\d{3})?)?")


def read_date(text: str) -> int | None:
    """Read a date in any of the forms that savers use: of JavaScript, of mail, ISO 8601, or 14 digits."""
    text = text.strip()[:100]
    for read in (_read_script, _read_digits, datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
            if moment is not None:
                return microseconds(moment)
        except (ValueError, OverflowError, TypeError, IndexError):
            continue
    return None


def _read_script(text: str) -> datetime | None:
    match = _SCRIPT.match(text)
    if match is None:
        return None
    month, day, year, hour, minute, second = match.group(1, 2, 3, 4, 5, 6)
    offset = timedelta(hours=int(match[8] or 0), minutes=int(match[9] or 0))
    zone = timezone(-offset if match[7] == "-" else offset)
    number = _MONTHS.index(month.lower()) + 1
    return datetime(int(year), number, int(day), int(hour), int(minute), int(second), tzinfo=zone)


def _read_digits(text: str) -> datetime | None:
    match = _DIGITS.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    return datetime(year, month, day, hour, minute, second)
