"""The clocks of the browsers -> microseconds since 1970, and which of those can be true."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone

from .calendars import AM, EAST, PM, ZONES, month_of

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


_HALF = r"([AaPp]\.? ?[Mm]\.?|[午上下오][前後午전후])?"
_ZONE = r"([^\W\d_]{1,5}(?:[+-]\d{1,2}(?::?\d{2})?)?)?"
# Between the day and the time some languages say "at".
_AT = r",? ?(?:(?:at|à|às|um|alle|kl\.?|klo|om|o|в) )?"
_CLOCK = rf"{_AT}{_HALF} ?(\d{{1,2}})[:.](\d{{2}})(?:[:.](\d{{2}}))? ?{_HALF} ?{_ZONE}"
_WORD = r"([^\W\d_]{3,12})\.?"
# Each with its groups for year, month and day: "Jan 31, 2018", "31 de jan. de 2018", "31 янв. 2018 г.",
# "31.01.2018", "1/31/2018", "2018-01-31", "2018/1/31", "2018. 1. 31.", "2018年1月31日".
_DAYS = (
    (re.compile(rf"{_WORD} (\d{{1,2}}), (\d{{4}})" + _CLOCK), (2, 0, 1)),
    (re.compile(rf"(\d{{1,2}})\.? (?:de )?{_WORD}(?: de)? (\d{{4}})(?: [гр]\.)?" + _CLOCK), (2, 1, 0)),
    (re.compile(r"(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})" + _CLOCK), (2, 1, 0)),
    (re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})" + _CLOCK), (2, 0, 1)),
    (re.compile(r"(\d{4})(?:[-/年]|\. ?)(\d{1,2})(?:[-/月]|\. ?)(\d{1,2})[T日.]?" + _CLOCK), (0, 1, 2)),
)
_SPACES = re.compile(r"[\s\u202f\u00a0]+")
_OFFSET = re.compile(r"([^\W\d_]{1,5})(?:([+-])(\d{1,2}):?(\d{2})?)?")
_LONGEST = 60


def parse_time(text: str) -> int | None:
    """Read a date with a time as exports write it, None for any other text; without a zone it is UTC."""
    text = _SPACES.sub(" ", text[:_LONGEST]).replace("\u2212", "-").strip()
    return _from_iso(text) or _from_words(text)


def _from_iso(text: str) -> int | None:
    try:
        return microseconds(datetime.fromisoformat(text))
    except ValueError:
        return None


def _from_words(text: str) -> int | None:
    for pattern, order in _DAYS:
        match = pattern.fullmatch(text)
        if match:
            day = [match[place + 1] for place in order]
            return _moment(day, match.groups()[3:], EAST if "年" in text else {})
    return None


def _moment(day: list[str], clock: tuple[str | None, ...], zones: Mapping[str, float]) -> int | None:
    year, month, number = day
    before, hour, minute, second, after, zone = clock
    hours = _hours(int(hour or 0), before or after or "")
    try:
        date = datetime(int(year), _month(month), int(number), hours, int(minute or 0), int(second or 0))
        return microseconds(date.replace(tzinfo=_zone(zone, zones)))
    except ValueError:
        return None


def _hours(hour: int, half: str) -> int:
    """Return the hour of the day; ``half`` says which half of it the hour is of."""
    word = half.lower().replace(".", "").replace(" ", "")
    return hour % 12 + (12 if word in PM else 0) if word in AM | PM else hour


def _month(text: str) -> int:
    return int(text) if text.isdigit() else month_of(text)


def _zone(text: str | None, zones: Mapping[str, float]) -> timezone:
    if not text:
        return UTC
    match = _OFFSET.fullmatch(text)
    if match is None or match[1] not in ZONES:
        raise ValueError(text)
    minutes = round(zones.get(match[1], ZONES[match[1]]) * 60)
    if match[2]:
        minutes += (int(match[3]) * 60 + int(match[4] or 0)) * (-1 if match[2] == "-" else 1)
    return timezone(timedelta(minutes=minutes))


def microseconds(moment: datetime) -> int:
    """Return a moment in microseconds since 1970; without a zone it is in UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
