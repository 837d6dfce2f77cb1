"""The list of documents to finish, the attempts at them, and recognised text that goes with its documents."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from store_kit import HashEmbedder, make_chunks, make_document, make_entry, put

from capsa.chunkers.model import Layout
from capsa.store.overview import read_overview
from capsa.store.reader import Reader
from capsa.store.records import Recipe
from capsa.store.unfinished import TRIES, Finishing, Unfinished, Wanted
from capsa.store.writer import Writer

WANTED = Wanted("1", "limits", scans=True)
CUT = Layout("partial", 3, 400.0, "the layout budget of 400 ms ended after 3 of 9 pages")


def add(writer: Writer, name: str, text: str = "Alpha.", **changes: Any) -> None:
    """Index a document of nine pages."""
    document = replace(make_document(text, kind="pdf"), pages=9, **changes)
    plan = writer.plan(
        make_entry(name, text, kind="pdf"), document, make_chunks(document), Recipe(parser_version="1")
    )
    writer.commit([(plan, HashEmbedder().embed(plan.texts))])


@pytest.fixture
def writer(tmp_path: Path) -> Any:
    with Writer.open(tmp_path, HashEmbedder().model) as opened:
        opened.add_source(b"/d")
        yield opened


def listed(writer: Writer, wanted: Wanted = WANTED) -> list[str]:
    return [document.entry.uri.rpartition("/")[2] for document in writer.finishing.unfinished(wanted)]


def only(writer: Writer) -> Unfinished:
    (document,) = writer.finishing.unfinished(WANTED)
    return document


def test_documents_with_less_than_all_their_layout_or_text_are_listed(writer: Writer) -> None:
    add(writer, "/d/scan.pdf", "1", outcome="scan", scanned_pages=(1, 2))
    add(writer, "/d/cut.pdf", "2", layout=CUT)
    add(writer, "/d/none.pdf", "3", layout=Layout("none", 0, 400.0, "the layout budget of 400 ms ended"))
    add(writer, "/d/pypdf.pdf", "4", layout=Layout("none", reason="read by pypdf"))
    add(writer, "/d/read.pdf", "5", scanned_pages=(1, 2), ocr_pages=2)
    add(writer, "/d/whole.pdf", "6", layout=Layout("full", 9, 10.0))
    put(writer, "/d/notes.txt", "7")
    assert listed(writer) == ["cut.pdf", "none.pdf", "scan.pdf"]
    assert listed(writer, replace(WANTED, scans=False)) == ["cut.pdf", "none.pdf"]
    assert listed(writer, replace(WANTED, parser_version="2")) == []


def test_what_is_listed_tells_where_the_file_is(writer: Writer) -> None:
    add(writer, "/d/cut.pdf", layout=CUT)
    document = only(writer)
    assert (document.root, document.pages, document.scanned_pages) == (b"/d", 9, 0)
    assert document.entry == make_entry("/d/cut.pdf", "Alpha.", kind="pdf")


def test_a_document_at_which_the_program_dies_again_and_again_is_given_up(writer: Writer) -> None:
    add(writer, "/d/cut.pdf", layout=CUT)
    for _ in range(TRIES):
        writer.finishing.begin(only(writer), WANTED.limits)
    assert listed(writer) == []
    assert listed(writer, replace(WANTED, limits="more")) == ["cut.pdf"]
    add(writer, "/d/cut.pdf", "Alpha and more.", layout=CUT)
    assert listed(writer) == ["cut.pdf"]


def test_a_stop_is_no_attempt(writer: Writer) -> None:
    add(writer, "/d/cut.pdf", layout=CUT)
    for _ in range(TRIES + 1):
        document = only(writer)
        writer.finishing.begin(document, WANTED.limits)
        writer.finishing.release(document)


def test_what_cannot_be_finished_is_told_and_left_until_something_changes(writer: Writer) -> None:
    add(writer, "/d/cut.pdf", layout=CUT)
    document = only(writer)
    writer.finishing.begin(document, WANTED.limits)
    writer.finishing.settle(document, "timeout: not done in 300 s")
    assert listed(writer) == []
    assert listed(writer, replace(WANTED, limits="more")) == ["cut.pdf"]
    with Reader.open(writer.home) as reader, reader.snapshot():
        assert read_overview(reader).pages.given_up == [(b"/d/cut.pdf", "timeout: not done in 300 s")]
    writer.remove([b"/d/cut.pdf"])
    add(writer, "/d/cut.pdf", layout=CUT)
    assert listed(writer) == ["cut.pdf"]


def kept(writer: Writer, text: str = "Alpha.") -> dict[int, bytes]:
    return dict(writer.finishing.recognised(make_entry("", text).content_hash, "engine"))


def keep(writer: Writer, text: str = "Alpha.") -> None:
    writer.finishing.keep_recognised(make_entry("", text).content_hash, 2, "engine", b"lines")


@pytest.fixture
def recognised(writer: Writer) -> Writer:
    add(writer, "/d/scan.pdf", scanned_pages=(1, 2))
    keep(writer)
    assert kept(writer) == {2: b"lines"}
    return writer


def test_recognised_text_stays_when_the_document_is_indexed_again_or_renamed(recognised: Writer) -> None:
    add(recognised, "/d/scan.pdf", scanned_pages=(1, 2))
    recognised.rename(b"/d/scan.pdf", make_entry("/d/other.pdf", "Alpha.", kind="pdf"))
    assert kept(recognised) == {2: b"lines"}


def test_recognised_text_of_another_engine_is_none(recognised: Writer) -> None:
    assert recognised.finishing.recognised(make_entry("", "Alpha.").content_hash, "newer") == {}


def test_recognised_text_goes_with_the_last_file_of_its_content(recognised: Writer) -> None:
    add(recognised, "/d/copy.pdf", scanned_pages=(1, 2))
    recognised.remove([b"/d/scan.pdf"])
    assert kept(recognised) == {2: b"lines"}
    recognised.remove([b"/d/copy.pdf"])
    assert kept(recognised) == {}


def test_recognised_text_goes_with_an_edit_a_failure_and_the_source(recognised: Writer) -> None:
    add(recognised, "/d/scan.pdf", "Beta.", scanned_pages=(1,))
    assert kept(recognised) == {}
    keep(recognised, "Beta.")
    recognised.record_failure(make_entry("/d/scan.pdf", "Beta."), "failed", "damaged", "", "1")
    assert kept(recognised, "Beta.") == {}
    add(recognised, "/d/scan.pdf", "Beta.", scanned_pages=(1,))
    keep(recognised, "Beta.")
    recognised.remove_source(1)
    assert kept(recognised, "Beta.") == {}


def test_text_of_a_document_that_was_forgotten_meanwhile_is_not_kept(recognised: Writer) -> None:
    recognised.remove([b"/d/scan.pdf"])
    keep(recognised)
    assert kept(recognised) == {}


def test_shares_and_times_are_those_of_the_documents(writer: Writer) -> None:
    for number in range(20):
        layout = Layout("full", 9, float(number + 1), wall_ms=2.0 * (number + 1))
        add(writer, f"/d/{number}.pdf", str(number), layout=layout)
    add(writer, "/d/cut.pdf", "cut", layout=replace(CUT, wall_ms=900.0))
    with Reader.open(writer.home) as reader, reader.snapshot():
        pages = read_overview(reader).pages
    assert {
        name: (cut.documents, cut.cut, cut.pages, cut.pages_cut) for name, cut in pages.by_kind.items()
    } == {"pdf": (21, 1, 189, 6)}
    assert list(pages.by_size) == ["1-10"]
    assert (pages.cpu_ms.median, pages.cpu_ms.p95) == (11.0, 20.0)
    assert (pages.wall_ms.median, pages.wall_ms.p95) == (22.0, 40.0)


def test_reading_needs_no_writer(writer: Writer) -> None:
    add(writer, "/d/cut.pdf", layout=CUT)
    with Reader.open(writer.home) as reader:
        assert len(Finishing(reader.connection).unfinished(WANTED)) == 1
