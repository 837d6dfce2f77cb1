"""A recogniser for machines without the extra: each page says its number; page 13 cannot be read."""

import os
import signal

from capsa.chunkers.ocr_page import OcrLine, OcrPage, dump_page
from capsa.daemon.worker import Handle, Job, Request, serve, streams


def recognise(request: Request) -> bytes:
    if request.page == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    text = f"Sheet {request.page} of the harbour book names {'abcdefghijklmnop'[request.page]}-vessels."
    return dump_page(OcrPage(612, 792, (OcrLine(text, 72, 400, 712, 699, 0.99),)))


def start(job: Job) -> Handle:
    return recognise


if __name__ == "__main__":
    serve(*streams(), start)
