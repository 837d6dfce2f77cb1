"""Fonts of fixed pitch told by the widths of their lines."""

import pytest

from capsa.chunkers.parsers.pdf_fonts import Font, FontCache
from capsa.chunkers.parsers.pdf_pitch import LENGTHS, Pitch


def judged(widths: dict[int, float]) -> bool:
    """Say whether a font of so many ems a character, by lines of so many characters, is found to be fixed."""
    fonts: FontCache = {(b"Gothic", 4): Font("Gothic", False, False, False)}
    pitch = Pitch()
    for length, width in widths.items():
        for _ in range(2):
            pitch.see("Gothic", width * length, length, fonts)
    assert fonts[b"Gothic", 4].mono == ("Gothic" in pitch.fixed)
    return "Gothic" in pitch.fixed


@pytest.mark.parametrize(
    ("widths", "fixed"),
    [
        ({length: 0.6 - 0.1 / length for length in range(20, 20 + LENGTHS[0])}, True),
        ({length: 0.45 + 0.004 * (length % 9) for length in range(20, 60)}, False),
        ({length: 0.6 for length in range(20, 19 + LENGTHS[0])}, False),
        ({length: 0.6 for length in range(5, 19)}, False),
    ],
    ids=["code", "prose", "too few lines", "short lines"],
)
def test_lines_as_wide_as_their_length_says_are_of_fixed_pitch(widths: dict[int, float], fixed: bool) -> None:
    assert judged(widths) == fixed


def test_one_line_that_comes_again_says_nothing() -> None:
    fonts: FontCache = {(b"Serif", 4): Font("Serif", False, False, False)}
    pitch = Pitch()
    for _ in range(100):
        pitch.see("Serif", 14.0, 30, fonts)
    assert not pitch.fixed
