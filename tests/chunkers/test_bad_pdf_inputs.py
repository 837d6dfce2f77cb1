"""Broken and odd PDFs by name, each with the outcome expected of it."""

import math
import zlib

import pytest
from pdf_samples import encrypted, form, hand_made, report, rewritten, running_heads, scan

from capsa.chunkers.errors import ParseError
from capsa.chunkers.model import Document
from capsa.chunkers.parsers import PARSERS, parse
from capsa.chunkers.parsers.pdf_chars import turned_size

REPORT = report()
HELLO = b"BT /F1 12 Tf 72 700 Td (Hello by hand) Tj ET"


def bomb() -> bytes:
    """A content stream of 60 MB of spaces, packed to 60 kB."""
    packed = zlib.compress(HELLO + b" " * 60_000_000)
    return hand_made(packed).replace(
        b"<</Length %d>>" % len(packed), b"<</Filter/FlateDecode/Length %d>>" % len(packed)
    )


def deep_pages() -> bytes:
    """A page tree that is its own child."""
    return hand_made(HELLO).replace(b"/Kids[10 0 R]", b"/Kids[2 0 R 10 0 R]")


def circular_outline(writer) -> None:
    from pypdf.generic import DictionaryObject, NameObject, NumberObject, TextStringObject

    item = DictionaryObject({NameObject("/Title"): TextStringObject("Round and round")})
    reference = writer._add_object(item)
    item[NameObject("/Next")] = item[NameObject("/First")] = item[NameObject("/Last")] = reference
    outline = DictionaryObject({NameObject("/First"): reference, NameObject("/Last"): reference})
    outline[NameObject("/Count")] = NumberObject(1)
    writer.root_object[NameObject("/Outlines")] = writer._add_object(outline)


# name -> bytes, and the reason of the ParseError or the outcome of the document
BAD: dict[str, tuple[bytes, str]] = {
    "header-only.pdf": (b"%PDF-1.7\n", "damaged"),
    "header-and-end.pdf": (b"%PDF-1.4\n%%EOF\n", "damaged"),
    "garbage.pdf": (b"%PDF-1.4\n" + bytes(range(256)) * 64, "damaged"),
    "zeros.pdf": (b"%PDF-1.4\n" + b"\0" * 20_000, "damaged"),
    "cut-in-half.pdf": (REPORT[: len(REPORT) // 2], "damaged"),
    "cut-after-header.pdf": (REPORT[:60], "damaged"),
    "end-mark-missing.pdf": (REPORT[:-6], "ok"),
    "trailer-cut.pdf": (REPORT[:-40], "damaged"),
    "no-cross-reference.pdf": (hand_made(HELLO, tail=False), "damaged"),
    "junk-before.pdf": (b"junk " * 40 + REPORT, "ok"),
    "junk-after.pdf": (REPORT + b"\njunk" * 400, "ok"),
    "wrong-offsets.pdf": (hand_made(HELLO).replace(b"0000", b"0009"), "ok"),
    "no-pages.pdf": (hand_made(HELLO, pages=0), "empty"),
    "page-tree-in-a-circle.pdf": (deep_pages(), "ok"),
    "outline-in-a-circle.pdf": (rewritten(REPORT, circular_outline), "ok"),
    "blank-page.pdf": (hand_made(b""), "empty"),
    "stream-of-garbage.pdf": (hand_made(bytes(range(33, 256)) * 40), "empty"),
    "unfinished-text.pdf": (hand_made(b"BT /F1 12 Tf 72 700 Td (Hello by"), "empty"),
    "font-missing.pdf": (hand_made(HELLO.replace(b"/F1", b"/F9")), "ok"),
    "page-without-size.pdf": (hand_made(HELLO, media_box=b"[0 0 0 0]"), "ok"),
    "page-of-huge-size.pdf": (hand_made(HELLO, media_box=b"[0 0 9e9 9e9]"), "ok"),
    "huge-font.pdf": (hand_made(HELLO.replace(b"12 Tf", b"1e30 Tf")), "empty"),
    "size-zero-font.pdf": (hand_made(HELLO.replace(b"12 Tf", b"0 Tf")), "empty"),
    "text-off-the-page.pdf": (hand_made(HELLO.replace(b"72 700", b"-9000 700")), "ok"),
    "stream-bomb.pdf": (bomb(), "ok"),
    "scan.pdf": (scan(), "scan"),
    "locked-aes.pdf": (encrypted("secret"), "protected"),
    "locked-rc4.pdf": (encrypted("secret", "RC4-128"), "protected"),
    "locked-without-password.pdf": (encrypted(""), "ok"),
    "form.pdf": (form(), "ok"),
}


def result(data: bytes, name: str, parser: str = "native") -> str:
    try:
        document = parse(data, name, parser)
    except ParseError as error:
        return error.reason
    check(document)
    return document.outcome


def check(document: Document) -> None:
    """Blocks are sorted and disjoint, and only white space is between them."""
    end = 0
    for block in document.blocks:
        assert end <= block.start < block.end <= len(document.text)
        assert not document.text[end : block.start].strip()
        end = block.end
    assert not document.text[end:].strip()


@pytest.mark.parametrize("name", BAD)
def test_bad_pdf_has_its_outcome(name: str) -> None:
    data, expected = BAD[name]
    assert result(data, name) == expected


@pytest.mark.parametrize("name", [name for name in BAD if "bomb" not in name and "circle" not in name])
@pytest.mark.parametrize("parser", [parser for parser in PARSERS if parser in ("normal", "context_aware")])
def test_raw_text_parsers_give_a_document_or_a_parse_error(name: str, parser: str) -> None:
    result(BAD[name][0], name, parser)


def test_a_page_of_very_many_lines_stays_within_bounds() -> None:
    lines = b"".join(b"1 0 0 1 %d %d Tm (w%d) Tj " % (n % 600, n // 600, n) for n in range(20_000))
    document = parse(hand_made(b"BT /F1 1 Tf " + lines + b"ET"), "crowded.pdf")
    check(document)
    assert "w19999" in document.text


def test_many_pages_end_in_plain_text_when_the_budget_is_over() -> None:
    document = parse(running_heads(40), "long.pdf", layout_budget_ms=1.0)
    assert document.layout.state in ("none", "partial")
    check(document)


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_a_matrix_that_is_not_of_numbers_turns_nothing(odd: float) -> None:
    for place in range(4):
        matrix = [1.0, 0.0, 0.0, 1.0]
        matrix[place] = odd
        size, angle = turned_size(12.0, *matrix)
        assert math.isfinite(size)
        assert 0 <= angle < 360
