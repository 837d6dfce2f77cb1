"""Text recognition with the extra: right, however a page lies, and offline. Skipped without the extra."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pypdfium2 as pdfium
import pytest
from scans import LETTER_LINES, picture, scan

from capsa.chunkers import ocr
from capsa.chunkers.errors import UnavailableError
from capsa.chunkers.ocr_page import OcrPage, reading_order

needs_ocr = pytest.mark.skipif(not ocr.is_available(), reason=f"scans cannot be read here: {ocr.INSTALL}")
OFFLINE = """
import sys
def refuse(event, args):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "socket.sendto")):
        raise RuntimeError(f"the network was asked: {event} {args}")
sys.addaudithook(refuse)
import pypdfium2
from capsa.chunkers.ocr import Recogniser
page = pypdfium2.PdfDocument(sys.stdin.buffer.read())[0]
print(len(Recogniser().read(page).lines))
"""


@pytest.fixture(scope="module")
def read() -> Callable[[bytes], OcrPage]:
    recogniser = ocr.Recogniser()

    def first_page(data: bytes) -> OcrPage:
        pdf = pdfium.PdfDocument(data)
        try:
            return recogniser.read(pdf[0])
        finally:
            pdf.close()

    return first_page


@needs_ocr
@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_page_is_read_however_it_lies(read: Callable[[bytes], OcrPage], turned: int) -> None:
    page = read(scan([picture(LETTER_LINES, turned)]))
    assert [line.text for line in reading_order(page)] == list(LETTER_LINES)
    assert all(0 <= line.x0 < line.x1 <= page.width for line in page.lines)
    assert all(0 <= line.bottom < line.top <= page.height for line in page.lines)


@needs_ocr
def test_an_empty_page_has_no_lines(read: Callable[[bytes], OcrPage]) -> None:
    assert read(scan([picture(())])).lines == ()


@needs_ocr
def test_the_network_is_not_touched() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE], input=scan([picture(LETTER_LINES)]), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert int(done.stdout) == len(LETTER_LINES)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str, package: Any = None) -> None:
        return None

    monkeypatch.setattr(ocr, "find_spec", nothing)
    assert not ocr.is_available()
    with pytest.raises(UnavailableError, match=r"capsa\[ocr\]"):
        ocr.Recogniser()
