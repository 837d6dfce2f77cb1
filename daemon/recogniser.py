"""The worker that recognises text: a process like the parser worker, for one page of a scan at a time."""

import pypdfium2 as pdfium

from capsa.chunkers.errors import ParseError
from capsa.chunkers.ocr import Recogniser
from capsa.chunkers.ocr_page import dump_page

from .worker import Handle, Job, Request, serve, streams


class Recognising:
    """Recognise one page after the other; the models are loaded once."""

    def __init__(self) -> None:
        self._recogniser = Recogniser()

    def __call__(self, request: Request) -> bytes:
        """The page in the form of chunkers.ocr_page."""
        try:
            pdf = pdfium.PdfDocument(request.data)
        except pdfium.PdfiumError as error:
            raise ParseError("damaged", f"{request.name}: pdfium: {error}") from error
        try:
            page = pdf[request.page - 1]
            try:
                return dump_page(self._recogniser.read(page))
            finally:
                page.close()
        except pdfium.PdfiumError as error:
            raise ParseError("damaged", f"{request.name}: page {request.page}: pdfium: {error}") from error
        finally:
            pdf.close()


def start(job: Job) -> Handle:
    """Load the models."""
    return Recognising()


def main() -> None:
    """Run as ``python -m capsa.daemon.recogniser``; the pool starts it."""
    source, sink = streams()
    serve(source, sink, start)


if __name__ == "__main__":
    main()
