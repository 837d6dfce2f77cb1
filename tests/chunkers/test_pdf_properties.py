"""Whatever is done to a PDF's bytes: a document whose blocks cover its text, or a ParseError."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pdf_samples import form, report
from pdf_tagged import tagged
from test_bad_pdf_inputs import check, result
from test_pdf_tree import LINES, TREE

from capsa.chunkers.parsers import pdf

SAMPLES = (report(), form(), tagged([(LINES, TREE)]))
CHANGES = st.lists(
    st.tuples(st.integers(0, 10**6), st.binary(max_size=6), st.integers(0, 40)), min_size=1, max_size=12
)


def mutate(data: bytes, changes: list[tuple[int, bytes, int]]) -> bytes:
    """Overwrite, insert and delete at places of the file."""
    for place, new, gone in changes:
        start = place % len(data)
        data = data[:start] + new + data[start + gone :]
    return data


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SAMPLES), CHANGES)
def test_mutated_pdf_is_a_document_or_a_parse_error(
    data: bytes, changes: list[tuple[int, bytes, int]]
) -> None:
    outcome = result(mutate(data, changes), "mutated.pdf")
    assert outcome in {"ok", "empty", "scan", "protected", "damaged", "unsupported", "binary"}


LINES = st.lists(
    st.tuples(
        st.integers(0, 600),
        st.integers(0, 780),
        st.sampled_from((6, 10, 10, 10, 18)),
        st.sampled_from(("Helvetica", "Helvetica-Bold", "Courier")),
        st.text(st.characters(min_codepoint=32, max_codepoint=0x17F), min_size=1, max_size=60),
    ),
    max_size=40,
)


@settings(max_examples=40, deadline=None)
@given(LINES)
def test_any_placing_of_lines_gives_blocks_that_cover_the_text(lines) -> None:
    from pdf_samples import draw

    def paint(canvas) -> None:
        for x, y, size, font, text in lines:
            canvas.setFont(font, size)
            canvas.drawString(x, y, text)

    check(pdf.parse(draw(paint), "placed.pdf", 60_000.0))
