"""Documents that indexing left unfinished are finished later, whatever happens in between."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import letter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from capsa.chunkers import ocr
from capsa.daemon import deferred
from capsa.daemon.cli import main
from capsa.daemon.deferred import finish
from capsa.daemon.finish_report import FinishReport
from capsa.daemon.survey import FINE_WINDOW_NS
from capsa.store import unfinished, writer
from capsa.store.blocks import read_vectors
from capsa.store.home import database_path
from capsa.store.reader import Reader

FAKE = Path(__file__).with_name("fake_recogniser.py")
KILLED = """
import os, signal, sys
from contextlib import contextmanager
from capsa.chunkers import ocr
from capsa.daemon import deferred
from capsa.daemon.cli import main
from capsa.store import unfinished

ocr.is_available = lambda: True
deferred.RECOGNISER = (sys.executable, sys.argv[1])
keep = unfinished.Finishing.keep_recognised

def keep_and_die(self, content_hash, page, engine, lines):
    keep(self, content_hash, page, engine, lines)
    if page == 2:
        os.kill(os.getpid(), signal.SIGKILL)

unfinished.Finishing.keep_recognised = keep_and_die
main(["index", "--finish"])
"""


def write_pdf(path: Path, texts: int, scans: int) -> None:
    """A PDF with so many pages of text, then so many that are images."""
    canvas = Canvas(str(path), pagesize=letter, invariant=1)
    grey = ImageReader(Image.new("L", (85, 110), 200))
    for number in range(texts):
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(72, 720, f"{number + 1} On the tides of month {number + 1}")
        canvas.setFont("Helvetica", 10)
        for row in range(20):
            canvas.drawString(72, 690 - 12 * row, f"Row {row} of page {number} tells when the water is high.")
        canvas.showPage()
    for _ in range(scans):
        canvas.drawImage(grey, 0, 0, *letter)
        canvas.showPage()
    canvas.save()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


@pytest.fixture
def small_budget(home: Path) -> None:
    """A layout budget that ends within any document of several pages."""
    (home / "config.toml").write_text("layout_budget_ms = 0.01\n")


@pytest.fixture
def fake_ocr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "is_available", lambda: True)
    monkeypatch.setattr(deferred, "RECOGNISER", (sys.executable, str(FAKE)))


@pytest.fixture
def call(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run a command with --json and return its record."""

    def run(*arguments: str | Path, code: int = 0) -> Any:
        time.sleep(2 * FINE_WINDOW_NS / 1e9)  # a file read in the moment of its change is read again later
        capsys.readouterr()
        assert main([*map(str, arguments), "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return run


def rows(home: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database_path(home))) as connection:
        return connection.execute(statement).fetchall()


def codes(home: Path) -> list[tuple[Any, ...]]:
    with Reader.open(home) as reader:
        assert reader.model is not None
        stored = read_vectors(reader.connection, reader.model.code_size)[2].rows
    return sorted((code.tobytes(),) for code in stored)


def state(home: Path) -> list[list[tuple[Any, ...]]]:
    """What must be the same however often finishing was interrupted."""
    return [
        rows(home, "SELECT uri, outcome, layout_state, layout_pages, ocr_pages, characters FROM documents"),
        rows(home, "SELECT start, end, page_first, page_last FROM chunks ORDER BY start"),
        codes(home),
        rows(home, "SELECT page, lines FROM recognised"),
        rows(home, "SELECT pending FROM files"),
    ]


def adds_up(report: dict[str, Any]) -> bool:
    counted = report["finished"] + report["cut"] + report["changed"] + report["left"]
    return bool(report["found"] == counted + sum(report["failed"].values()))


@pytest.mark.usefixtures("small_budget")
def test_a_cut_layout_is_finished(docs: Path, home: Path, call: Callable[..., Any]) -> None:
    write_pdf(docs / "tides.pdf", texts=12, scans=0)
    first = call("index", docs)
    assert (first["indexed"], first["cut"], first["scans"]) == (1, 1, 0)
    before = call("status")["layout_budget"]
    assert before["by_kind"]["pdf"]["cut"] == before["by_pages"]["11-50"]["cut"] == 1
    assert 0 < before["by_kind"]["pdf"]["pages_cut"] <= 12
    done = call("index", "--finish")["finish"]
    assert adds_up(done)
    assert (done["found"], done["finished"], done["pages_laid_out"], done["complete"]) == (1, 1, 12, True)
    after = call("status")["layout_budget"]["by_kind"]["pdf"]
    assert (after["cut"], after["pages_cut"]) == (0, 0)
    again = call("index", "--finish")
    assert (again["unchanged"], again["finish"]["found"]) == (1, 0)
    headings = [hit["chunk"]["headings"] for hit in call("search", "tides of month 11")["hits"]]
    assert ["11 On the tides of month 11"] in headings


@pytest.mark.usefixtures("fake_ocr")
def test_scanned_pages_are_read_and_found_with_their_page(
    docs: Path, home: Path, call: Callable[..., Any]
) -> None:
    write_pdf(docs / "book.pdf", texts=3, scans=3)
    assert call("index", docs)["scans"] == 1
    assert call("status")["scans"] == {
        "documents": 1,
        "pages": 3,
        "pages_read": 0,
        "documents_waiting": 1,
        "pages_waiting": 3,
        "ocr": True,
    }
    done = call("index", "--finish")["finish"]
    assert (done["finished"], done["pages_recognised"]) == (1, 3)
    # What was there before keeps its vectors.
    assert 1 <= done["embedded"] < call("status")["vectors"]
    assert call("status")["scans"]["pages_waiting"] == 0
    chunk = call("search", "e-vessels", "--retriever", "bm25")["hits"][0]["chunk"]
    assert chunk["page_first"] <= 4 <= chunk["page_last"]


@pytest.mark.skipif(not ocr.is_available(), reason=f"scans cannot be read here: {ocr.INSTALL}")
def test_a_limited_worker_reads_a_real_scan(docs: Path, home: Path, call: Callable[..., Any]) -> None:
    image = Image.new("L", (850, 1100), 255)
    text, font = "Seven lighthouses stand on the northern coast", ImageFont.load_default(24)
    ImageDraw.Draw(image).text((100, 100), text, fill=0, font=font)
    image.save(docs / "coast.pdf")
    assert call("index", docs, "--finish")["finish"]["pages_recognised"] == 1
    assert call("search", "northern lighthouses", "--retriever", "bm25")["hits"][0]["text"] == text


@pytest.mark.usefixtures("fake_ocr")
def test_recognised_text_is_kept_for_the_next_indexing_and_goes_when_it_is_forgotten(
    docs: Path, home: Path, call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pdf(docs / "book.pdf", texts=0, scans=2)
    call("index", docs, "--finish")
    (docs / "book.pdf").rename(docs / "renamed.pdf")
    assert call("index", "--finish")["finish"]["found"] == 0
    monkeypatch.setattr("capsa.daemon.jobs.VERSION", "another")
    monkeypatch.setattr(ocr, "is_available", lambda: False)
    assert call("index")["indexed"] == 1
    assert len(call("search", "vessels", "--retriever", "bm25")["hits"]) == 1
    assert len(rows(home, "SELECT page FROM recognised")) == 2
    main(["forget", str(docs / "renamed.pdf")])
    assert rows(home, "SELECT page FROM recognised") == []


@pytest.mark.usefixtures("fake_ocr")
def test_a_page_that_cannot_be_read_does_not_keep_the_others(
    docs: Path, home: Path, call: Callable[..., Any]
) -> None:
    write_pdf(docs / "book.pdf", texts=0, scans=14)
    done = call("index", docs, "--finish")["finish"]
    assert (done["cut"], done["pages_recognised"]) == (1, 13)
    assert done["notes"] == ["pages that could not be read: 1 failed (crash 1)"]
    (given_up,) = call("status")["given_up"]
    assert given_up["detail"] == "1 of 14 scanned pages are not read"
    assert call("index", "--finish")["finish"]["found"] == 0


def test_without_the_extra_scans_wait_and_it_is_told_what_to_install(
    docs: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ocr, "is_available", lambda: False)
    write_pdf(docs / "book.pdf", texts=0, scans=2)
    assert main(["index", str(docs), "--finish"]) == 0
    out = capsys.readouterr().out
    assert "nothing to finish" in out
    assert "capsa[ocr]" in out
    assert main(["status"]) == 0
    assert "2 pages in 1 document wait: pip install 'capsa[ocr]'" in capsys.readouterr().out


@pytest.mark.usefixtures("small_budget")
@pytest.mark.parametrize("change", ["edit", "delete", "exclude"])
def test_a_document_that_changed_is_left_to_indexing(
    docs: Path, home: Path, call: Callable[..., Any], change: str
) -> None:
    path = docs / "tides.pdf"
    write_pdf(path, texts=12, scans=0)
    call("index", docs)
    before = state(home)
    if change == "edit":
        path.write_bytes(path.read_bytes() + b"\n")
    elif change == "delete":
        path.unlink()
    else:
        (docs / ".capsaignore").write_text("*.pdf\n")
    report = finish(home)
    assert (report.found, report.changed) == (1, 1)
    assert state(home) == before


@pytest.mark.usefixtures("fake_ocr")
def test_a_stop_costs_a_page_and_a_later_run_goes_on(
    docs: Path, home: Path, call: Callable[..., Any]
) -> None:
    write_pdf(docs / "book.pdf", texts=0, scans=4)
    call("index", docs)
    asked = iter([False, False, False, True])
    stopped = finish(home, lambda: next(asked))
    assert (stopped.found, stopped.left, stopped.recognised, stopped.complete) == (1, 1, 2, False)
    assert rows(home, "SELECT * FROM attempts") == []
    done = finish(home)
    assert (done.finished, done.recognised) == (1, 2)


class Killed(BaseException):
    """The program ends here."""


@contextmanager
def killed_in(number: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Break off in the transaction of that number, before its end; counts them."""
    count = [0]
    real = unfinished.transaction

    @contextmanager
    def breaking(connection: sqlite3.Connection, durable: bool = True) -> Iterator[None]:
        with real(connection, durable):
            yield
            count[0] += 1
            if count[0] == number:
                raise Killed

    with monkeypatch.context() as patch:
        for module in (unfinished, writer):
            patch.setattr(module, "transaction", breaking)
        yield count


@pytest.mark.usefixtures("fake_ocr", "small_budget")
def test_an_end_in_any_transaction_loses_nothing(
    docs: Path, home: Path, call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_pdf(docs / "book.pdf", texts=6, scans=2)
    assert call("index", docs)["cut"] == 1
    shutil.copytree(home, tmp_path / "once")
    with killed_in(0, monkeypatch) as counted:
        finish(tmp_path / "once")
    whole = state(tmp_path / "once")
    assert whole[0][0][1:5] == ("ok", "full", 8, 2)
    for number in range(1, counted[0] + 1):
        copy = tmp_path / f"killed-{number}"
        shutil.copytree(home, copy)
        with killed_in(number, monkeypatch), pytest.raises(Killed):
            finish(copy)
        assert isinstance(finish(copy), FinishReport)
        assert state(copy) == whole, f"killed in transaction {number}"
    assert counted[0] >= 6


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.usefixtures("fake_ocr")
def test_a_killed_program_goes_on_with_the_next_page(
    docs: Path, home: Path, call: Callable[..., Any]
) -> None:
    write_pdf(docs / "book.pdf", texts=0, scans=4)
    call("index", docs)
    done = subprocess.run([sys.executable, "-c", KILLED, str(FAKE)], env=dict(os.environ), check=False)
    assert done.returncode == -signal.SIGKILL
    assert rows(home, "SELECT tries, detail FROM attempts") == [(1, "")]
    report = finish(home)
    assert (report.finished, report.recognised) == (1, 2)
    assert rows(home, "SELECT * FROM attempts") == []
