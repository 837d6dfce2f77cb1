"""The clocks of the browsers -> microseconds since 1970, and which of those can be true."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

SECOND = 1_000_000
# Seconds from 1601-01-01 (Windows file times, Chromium) and from 1970-01-01 to 2001-01-01 (Apple).
_TO_1601 = 11_644_473_600
_TO_2001 = 978_307_200
# The first browser is of 1990; clocks run ahead by less than a day.
EARLIEST = 631_152_000 * SECOND
AHEAD = 86_400 * SECOND
# A number of seconds is below the first limit until the year 5138, of milliseconds below the second one.
_SECONDS_BELOW = 10**11
_MILLISECONDS_BELOW = 10**14

Clock = Callable[[float], int]


def from_1601(value: float) -> int:
    """Take microseconds since 1601."""
    return int(value) - _TO_1601 * SECOND


def from_2001(value: float) -> int:
    """Take seconds since 2001."""
    return round((value + _TO_2001) * SECOND)


def from_microseconds(value: float) -> int:
    """Take microseconds since 1970."""
    return int(value)


def from_milliseconds(value: float) -> int:
    """Take milliseconds since 1970, which some write with parts."""
    return round(value * 1000)


def from_1970(value: float) -> int:
    """Take seconds, milliseconds or microseconds since 1970, whichever gives a year of our time."""
    if abs(value) < _SECONDS_BELOW:
        return round(value * SECOND)
    return round(value * 1000) if abs(value) < _MILLISECONDS_BELOW else int(value)


def is_plausible(when: int, now: int) -> bool:
    """Whether a page can have been opened then."""
    return EARLIEST <= when <= now + AHEAD


def show_time(when: int) -> str:
    """Return the day for a message, or the number where the calendar ends."""
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=when)).strftime("%Y-%m-%d")
    except OverflowError:
        return f"{when} µs since 1970"


# What Takeout writes after the time; abbreviations of zones have no standard.
_ZONES = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2,
    "EET": 2, "EEST": 3, "MSK": 3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
    "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11,
    "NZST": 12, "NZDT": 13,
}  # fmt: skip
_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6,
    "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_HALF = r"([AaPp]\.?[Mm]\.?)?"
_ZONE = r"([A-Z]{1,4}(?:[+-]\d{1,2}(?::?\d{2})?)?)?"
_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s{0,3}" + _HALF + r"\s{0,3}" + _ZONE
# Each with its groups for year, month and day: "Jan 31, 2018", "31 Jan 2018", "31.01.2018", "2018-01-31".
_DAYS = (
    (re.compile(r"([A-Za-z]{3})[a-z]{0,6}\.? (\d{1,2}), (\d{4}),? " + _CLOCK, re.ASCII), (2, 0, 1)),
    (re.compile(r"(\d{1,2}) ([A-Za-z]{3})[a-z]{0,6}\.? (\d{4}),? " + _CLOCK, re.ASCII), (2, 1, 0)),
    (re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}),? " + _CLOCK, re.ASCII), (2, 1, 0)),
    (re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}),? " + _CLOCK, re.ASCII), (2, 0, 1)),
    (re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})[T ]" + _CLOCK, re.ASCII), (0, 1, 2)),
)
_SPACES = re.compile(r"[\s\u202f\u00a0]+")


def parse_time(text: str) -> int | None:
    """Read a date with a time as exports write it, None for any other text; without a zone it is UTC."""
    text = _SPACES.sub(" ", text[:60]).strip()
    return _from_iso(text) or _from_words(text)


def _from_iso(text: str) -> int | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _microseconds(found if found.tzinfo else found.replace(tzinfo=UTC))


def _from_words(text: str) -> int | None:
    for pattern, order in _DAYS:
        match = pattern.fullmatch(text)
        if match:
            day = [match[place + 1] for place in order]
            return _moment(day, match.groups()[3:])
    return None


def _moment(day: list[str], clock: tuple[str | None, ...]) -> int | None:
    year, month, number = day
    hour, minute, second, half, zone = clock
    hours = int(hour or 0)
    if half:
        hours = hours % 12 + (12 if half[0] == "p" or half[0] == "P" else 0)
    try:
        date = datetime(int(year), _month(month), int(number), hours, int(minute or 0), int(second or 0))
        return _microseconds(date.replace(tzinfo=_zone(zone)))
    except ValueError:
        return None


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS.get(text.lower(), 0)


def _zone(text: str | None) -> timezone:
    if not text:
        return UTC
    match = re.fullmatch(r"([A-Z]{1,4})(?:([+-])(\d{1,2}):?(\d{2})?)?", text)
    if match is None or match[1] not in _ZONES:
        raise ValueError(text)
    minutes = _ZONES[match[1]] * 60
    if match[2]:
        minutes += (int(match[3]) * 60 + int(match[4] or 0)) * (-1 if match[2] == "-" else 1)
    return timezone(timedelta(minutes=minutes))


def _microseconds(date: datetime) -> int:
    return (date - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
