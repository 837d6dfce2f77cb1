"""The figures of the progress bar."""

import pytest

from capsa.daemon.progress import seconds_left, show_seconds


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0 s"), (59.4, "59 s"), (60, "1:00 min"), (200, "3:20 min"), (3900, "1:05 h")]
)
def test_a_time_to_wait(seconds: float, shown: str) -> None:
    assert show_seconds(seconds) == shown


def test_the_rest_takes_as_long_as_the_files_before_it() -> None:
    assert seconds_left(3, 12, 6.0) == 18.0
    assert seconds_left(12, 12, 6.0) == 0.0
