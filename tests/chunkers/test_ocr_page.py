"""Recognised lines in the order in which they are read, and as bytes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.chunkers.ocr_page import (
    OcrLine,
    OcrPage,
    dump_page,
    find_gutters,
    join_pages,
    load_pages,
    reading_order,
)

WORDS = "a line of running text as long as"


def line(text: str, x0: float, top: float, x1: float | None = None) -> OcrLine:
    return OcrLine(text, x0, x0 + 5 * len(text) if x1 is None else x1, top, top - 12, 0.99)


def page(*lines: OcrLine) -> OcrPage:
    return OcrPage(600, 800, lines)


def columns(count: int, rows: int = 8, top: float = 600) -> list[OcrLine]:
    """Columns of text, found row by row."""
    width = 500 / count
    return [
        line(f"{WORDS} {column}-{row}", 50 + column * width, top - 14 * row, 50 + (column + 0.94) * width)
        for row in range(rows)
        for column in range(count)
    ]


def texts(found: OcrPage) -> list[str]:
    return [each.text for each in reading_order(found)]


def test_columns_are_read_one_after_the_other_between_what_crosses_them() -> None:
    title, note = (
        line("The title of all of it", 120, 700, 480),
        line("A note under both columns", 60, 400, 540),
    )
    after = columns(2, 8, top=380)
    found = texts(page(*columns(2), note, title, *after))
    assert found[0] == title.text
    left = [f"{WORDS} 0-{row}" for row in range(8)]
    right = [f"{WORDS} 1-{row}" for row in range(8)]
    assert found[1:] == [*left, *right, note.text, *left, *right]


def test_three_columns() -> None:
    found = texts(page(*columns(3)))
    assert found == [f"{WORDS} {column}-{row}" for column in range(3) for row in range(8)]


def test_rows_of_a_table_are_no_columns() -> None:
    cells = [
        line(f"cell {row}{place}", 60 + 200 * place, 600 - 14 * row) for row in range(9) for place in (0, 1)
    ]
    assert find_gutters(cells) == []
    assert texts(page(*cells)) == [f"cell {row}{place}" for row in range(9) for place in (0, 1)]


def test_lines_beside_one_another_are_read_from_the_left_though_one_sits_higher() -> None:
    assert texts(page(line("right", 300, 603), line("left", 60, 600), line("below", 60, 580))) == [
        "left",
        "right",
        "below",
    ]


numbers = st.floats(-1e4, 1e4, allow_nan=False)
lines = st.builds(OcrLine, st.text(), numbers, numbers, numbers, numbers, st.floats(0, 1))


@settings(max_examples=60)
@given(
    st.dictionaries(st.integers(1, 10_000), st.builds(OcrPage, numbers, numbers, st.lists(lines).map(tuple)))
)
def test_pages_survive_as_bytes_and_no_line_is_lost(pages: dict[int, OcrPage]) -> None:
    data = join_pages({number: dump_page(one) for number, one in pages.items()})
    assert (load_pages(data) if data else {}) == pages
    for one in pages.values():
        assert sorted(reading_order(one)) == sorted(one.lines)
