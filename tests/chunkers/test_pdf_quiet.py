"""Headings that neither size nor weight tells: by their words, their place, or a font of their own."""

from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Document
from capsa.chunkers.parsers.pdf import parse

PROSE = (
    "The harbour of the old town lies behind a long mole which was built of stone and",
    "timber in the years after the great flood, and ships of every size have found shelter",
    "in it since. The keeper of the light notes each day when the tide turns, how strong",
    "the wind is, and which vessels have come and gone, so that the town knows them.",
)
TITLES = ("Tides of the Bay", "Ships and Moorings", "Lights and Signals", "Pilots of the Port")
MIDDLE = 72 + pdfmetrics.stringWidth(PROSE[1], "Times-Roman", 10) / 2


def manual(
    folder: Path,
    titles: tuple[str, ...],
    font: str = "Times-Roman",
    *,
    size: float = 10,
    tight: bool = False,
    centred: bool = False,
    emphasis: str = "",
) -> Document:
    """Three pages of prose with a title before each second paragraph, all in 10 points."""
    path = folder / "manual.pdf"
    canvas = Canvas(str(path), pagesize=(595, 842))
    for page in range(3):
        y = 760.0
        for number in range(4):
            title = titles[(4 * page + number) % len(titles)].replace("#", str(4 * page + number + 1))
            y = _paragraph(canvas, y - 14, emphasis) - 18
            canvas.setFont(font, size)
            if centred:
                canvas.drawCentredString(MIDDLE, y, title)
            else:
                canvas.drawString(72, y, title)
            y -= 12 if tight else 20
            y = _paragraph(canvas, y, emphasis)
        canvas.showPage()
    canvas.save()
    return parse(path.read_bytes(), path.name, layout_budget_ms=1e9)


def _paragraph(canvas: Canvas, y: float, emphasis: str) -> float:
    for number, line in enumerate(PROSE):
        canvas.setFont(emphasis if emphasis and number == 1 else "Times-Roman", 10)
        canvas.drawString(72, y, line)
        y -= 12
    return y


def headings(document: Document) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if b.kind == "heading" and b.page != 1]


@pytest.mark.parametrize(
    ("titles", "options"),
    [
        (tuple(title.upper() for title in TITLES), {"tight": True}),
        (TITLES, {"centred": True}),
        (TITLES, {"font": "Helvetica"}),
        (TITLES, {"font": "Times-Italic"}),
        (TITLES, {"size": 11}),
        (("2.# Tides of the Bay", "2.# Moorings"), {"tight": True}),
        (("Article #",), {"centred": True}),
        (("Section #. Moorings", "Section #. Lights"), {}),
        (("Chapter #: Lights",), {}),
    ],
)
def test_headings_like_the_text_are_found(
    titles: tuple[str, ...], options: dict[str, object], tmp_path: Path
) -> None:
    found = headings(manual(tmp_path, titles, **options))  # type: ignore[arg-type]
    assert found == [titles[n % len(titles)].replace("#", str(n + 1)) for n in range(4, 12)]


@pytest.mark.parametrize(
    ("titles", "options"),
    [
        (("The ship sails to the north", "We shall see her again"), {}),
        (("Section # of the law says more than this.",), {}),
        (("2.# The tenant pays the rent in advance;",), {"tight": True}),
        (("a + b = c",), {"centred": True}),
        (("Theorem # (Tides)",), {"font": "Times-Bold"}),
        (("https://example.org/Tides",), {"font": "Helvetica"}),
    ],
)
def test_sentences_formulas_and_addresses_are_no_headings(
    titles: tuple[str, ...], options: dict[str, object], tmp_path: Path
) -> None:
    assert headings(manual(tmp_path, titles, **options)) == []  # type: ignore[arg-type]


def test_a_font_that_the_text_uses_too_tells_no_headings(tmp_path: Path) -> None:
    assert headings(manual(tmp_path, TITLES, "Helvetica", emphasis="Helvetica")) == []


def test_east_asian_headings_are_known_by_their_numerals(tmp_path: Path) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    titles = ("一、港口的灯光", "二、潮汐和船只")
    assert headings(manual(tmp_path, titles, "STSong-Light")) == [titles[n % 2] for n in range(4, 12)]


@pytest.mark.parametrize(
    ("label", "count"), [("Bill to:", 8), ("What the keeper of the light has to do each day:", 0)]
)
def test_short_bold_labels_are_headings_where_there_are_no_larger_ones(
    label: str, count: int, tmp_path: Path
) -> None:
    assert headings(manual(tmp_path, (label,), "Times-Bold")) == [label] * count
