"""The structure benchmark's documents: slices, gaps, copies without bookmarks and tags, and the labels."""

import io
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pypdf
import pypdfium2 as pdfium
import pypdfium2.raw as raw
import pytest
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers.model import Block, Document
from capsa.chunkers.tokens import Tokenizer
from capsa.eval import structure_library
from capsa.eval.structure_html import read_labels
from capsa.eval.structure_library import Library, PdfText, bare_copy, body_texts, slice_of, tokens

PDF_LABELS = ("tables", "captions", "columns", "headings")


def two_pages() -> bytes:
    """A PDF of two pages with a bookmark and an author."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    for name in ("first", "second"):
        canvas.bookmarkPage(name)
        canvas.addOutlineEntry(name, name)
        canvas.drawString(72, 700, f"The {name} page of two")
        canvas.showPage()
    canvas.setAuthor("Nobody")
    canvas.save()
    return out.getvalue()


def test_a_bare_copy_has_the_pages_and_nothing_else() -> None:
    data = two_pages()
    assert len(list(pdfium.PdfDocument(data).get_toc())) == 2
    bare = bare_copy(data)
    pdf = pdfium.PdfDocument(bare)
    assert len(pdf) == 2
    assert list(pdf.get_toc()) == []
    assert not raw.FPDFCatalog_IsTagged(pdf.raw)
    assert pypdf.PdfReader(io.BytesIO(bare)).metadata.author is None
    assert PdfText(bare).pages[1].strip() == "The second page of two"
    assert [text.strip() for text in PdfText(bare_copy(data, 2)).pages] == ["The second page of two"]


def test_a_region_is_given_in_percent_from_the_top_left() -> None:
    text = PdfText(two_pages())
    assert text.region(1, [0, 10, 100, 25]).strip() == "The first page of two"
    assert text.region(1, [0, 50, 100, 100]).strip() == ""


def test_missing_and_changed_documents_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: Tokenizer
) -> None:
    (tmp_path / "same.pdf").write_bytes(b"1")
    (tmp_path / "changed.pdf").write_bytes(b"2")
    digest = sha256(b"1").hexdigest()
    rows = [{"document": name, "sha256": digest} for name in ("same.pdf", "changed.pdf", "absent.pdf")]
    monkeypatch.setattr(structure_library, "read_labels", lambda name: rows)
    kept, gaps = Library(tmp_path, tokenizer).labels("tables")
    assert list(kept) == ["same.pdf"]
    assert gaps == ["changed.pdf: not the version that was labelled", "absent.pdf: not there"]
    for half in ("dev", "test"):
        kept, gaps = Library(tmp_path, tokenizer, [half]).labels("tables")
        assert {slice_of(name) for name in kept} <= {half}


def test_words_are_the_same_however_a_line_breaks_them() -> None:
    assert tokens(["A well-known exam\ufffe\nple", "of Cafe\u0301"]) == [
        "a",
        "wellknown",
        "example",
        "of",
        "café",
    ]
    assert tokens(["\u0627\u0644\u0625\u0646"]) == tokens(["\u0627\u0625\u0644\u0646"]) == ["\u0646"]


def test_furniture_is_no_body() -> None:
    document = Document("a\n\nb", (Block("furniture", 0, 1), Block("paragraph", 3, 4)), "pdf")
    assert list(body_texts(document)) == ["b"]


@pytest.mark.parametrize("name", PDF_LABELS)
def test_a_label_is_in_the_slice_that_its_document_is_in(name: str) -> None:
    rows = read_labels(name)
    assert all(row["slice"] == slice_of(row["document"]) for row in rows)
    assert set(Counter(row["slice"] for row in rows)) == {"dev", "test"}


def test_there_are_as_many_labels_as_a_share_needs() -> None:
    tables = read_labels("tables")
    assert sum(row["tables"] > 0 for row in tables) >= 60
    assert sum(row["tables"] == 0 for row in tables) >= 60
    assert len({(row["document"], row["page"]) for row in tables}) == len(tables)
    assert all(len(row["cells"]) in (0, row["tables"]) for row in tables if row["tables"])
    assert len(read_labels("captions")) >= 80
    assert {row["kind"] for row in read_labels("captions")} == {"table", "figure", "code"}


@pytest.mark.data
@pytest.mark.parametrize("name", PDF_LABELS)
def test_every_labelled_document_is_there(name: str, data: Path, tokenizer: Tokenizer) -> None:
    rows, gaps = Library(data, tokenizer).labels(name)
    assert gaps == []
    for document, labels in rows.items():
        pages = len(pdfium.PdfDocument(data / document))
        assert all(1 <= label["page"] <= pages for label in labels)
