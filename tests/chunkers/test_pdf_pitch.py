"""Fonts of fixed pitch told by the widths of their letters."""

import pypdf
import pytest
from pdf_samples import WORDS, draw, rewritten, text_lines
from pypdf.generic import ArrayObject, NameObject, NumberObject
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.parsers import pdf
from capsa.chunkers.parsers.pdf_fonts import Font, FontCache
from capsa.chunkers.parsers.pdf_pitch import Pitch

GOTHIC = Font("Gothic", False, False, False)


class Typed:
    """A line in one font, of which some letters have widths of their own."""

    def __init__(self, text: str, widths: dict[str, float]) -> None:
        self.text, self.widths = text, widths

    def font(self, position: int) -> Font:
        return GOTHIC

    def advance(self, position: int) -> float:
        return self.widths.get(self.text[position], 0.5)


def judged(texts: list[str], **widths: float) -> bool:
    """Say whether the font of the lines is found to be of fixed pitch."""
    fonts: FontCache = {(b"Gothic", 4): GOTHIC, (b"Gothic", 5): GOTHIC}
    pitch = Pitch()
    for text in texts:
        pitch.see(Typed(text, widths), 0, text, GOTHIC, fonts)
    marks = {font.mono for font in fonts.values()}
    assert marks == {"Gothic" in pitch.fixed}
    return marks == {True}


@pytest.mark.parametrize(
    ("texts", "widths", "fixed"),
    [
        (["for width in wide_items:"], {}, True),
        (["for", "wide", "Mil"], {}, True),
        (["for width in wide_items:"], {"i": 0.3}, False),
        (["for width in wide_items:"], {"w": 0.505}, True),
        (["1,234.5", "2,345.6"], {}, False),
        (["WHO MOWED"], {}, False),
        ([*["1234"] * 200, "for wide Mil"], {}, False),
    ],
    ids=["one line", "several lines", "narrow i", "rounded", "digits", "wide letters", "too late"],
)
def test_narrow_letters_as_wide_as_wide_ones(texts: list[str], widths: dict[str, float], fixed: bool) -> None:
    assert judged(texts, **widths) == fixed


@pytest.mark.parametrize("fixed", [True, False])
def test_a_font_of_a_name_that_says_nothing_is_read_from_the_file(fixed: bool) -> None:
    code = ["for ship in wide_bay:", "    give(ship)", "", "close(bay)"]

    def rename(writer: pypdf.PdfWriter) -> None:
        fonts = [font.get_object() for font in writer.pages[0]["/Resources"]["/Font"].values()]
        [font] = [font for font in fonts if font["/BaseFont"] == "/Courier"]
        font[NameObject("/BaseFont")] = NameObject("/Gothic")
        font[NameObject("/FirstChar")], font[NameObject("/LastChar")] = NumberObject(32), NumberObject(126)
        widths = [500 if fixed or chr(code) not in "iljtf" else 250 for code in range(32, 127)]
        font[NameObject("/Widths")] = ArrayObject(map(NumberObject, widths))

    def paint(canvas: Canvas) -> None:
        text_lines(canvas, 60, 700, code, "Courier")
        text_lines(canvas, 60, 600, [WORDS[:90]] * 3)

    document = pdf.parse(rewritten(draw(paint), rename), "gothic.pdf", 60_000.0)
    assert any(block.kind == "code" for block in document.blocks) == fixed
