"""Dates on the command line."""

from datetime import date, datetime

import pytest

from capsa.chunkers.errors import UsageError
from capsa.daemon.dates import parse_date

TODAY = date(2024, 3, 10)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-01-31", date(2024, 1, 31)),
        ("30d", date(2024, 2, 9)),
        ("2w", date(2024, 2, 25)),
        ("1m", date(2024, 2, 9)),
        ("1y", date(2023, 3, 11)),
        ("0d", TODAY),
    ],
)
def test_days(text: str, day: date) -> None:
    assert datetime.fromtimestamp(parse_date(text, TODAY)) == datetime.combine(day, datetime.min.time())
    assert datetime.fromtimestamp(parse_date(text, TODAY, end_of_day=True)).date() == day


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2024-13-01", "2024-1-1", "30", "d30", "99999y", "0001-01-01x"]
)
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(UsageError, match="not a date"):
        parse_date(text, TODAY)
