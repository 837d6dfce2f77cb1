"""The parser worker: a process that turns the bytes of one file at a time into a document and chunks.

It gets bytes, never a path, and answers with JSON, never a pickle. Whatever a document makes a parser do,
only this process suffers.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from capsa.chunkers.errors import CapsaError, ParseError

from .frames import read_frame, read_record, write_frame, write_record
from .limits import allow_cpu, confine, resident_bytes
from .manners import make_way
from .reading import HEAD_BYTES
from .sandbox import enter

if TYPE_CHECKING:
    from capsa.chunkers.model import Chunk, Document

MEMORY_BYTES = 2 << 30
# What a parser reads beside its code: docling its models, where its own command puts them.
MODELS = {"docling": [os.path.expanduser(path) for path in ("~/.cache/docling", "~/.cache/huggingface")]}


@dataclass(frozen=True, slots=True)
class Request:
    """A file to work on: all of it, or one page; ``recognised`` is the text of scanned pages.

    ``deadlines`` is how many times the job's deadline it may take.
    """

    name: str
    data: bytes
    page: int = 0
    recognised: bytes = b""
    deadlines: int = 1


Handle = Callable[[Request], bytes]


@dataclass(frozen=True, slots=True)
class Job:
    """What all files of a run are parsed and chunked with. ``window`` is in tokens of the model.

    ``readable`` are paths that the worker may read beside its code and the tokenizer.
    Workers make way for others as ``niceness`` says, see manners.make_way; with 0 they do not.
    """

    parser: str
    chunker: str
    tokenizer: str
    window: int
    layout_budget_ms: float
    max_text_bytes: int
    deadline_s: float
    memory_bytes: int = MEMORY_BYTES
    niceness: int = 0
    readable: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The record for the pipe."""
        return asdict(self)


class Parsing:
    """Parse and chunk one file after the other; the tokenizer is loaded once."""

    def __init__(self, job: Job) -> None:
        from capsa.chunkers.tokens import Tokenizer

        self._job = job
        self._tokenizer = Tokenizer.from_file(job.tokenizer)

    def __call__(self, request: Request) -> bytes:
        """The document and its chunks, or the saved pages in the file, as chunkers.wire has them."""
        from capsa.chunkers import formats, wire
        from capsa.chunkers.captures.pages import declared_page, is_capture, read_pages
        from capsa.chunkers.parsers import parse

        job, name, data = self._job, request.name, request.data
        kind = formats.detect(name, data[:HEAD_BYTES])
        if kind != "pdf" and not is_capture(kind) and len(data) > job.max_text_bytes:
            raise ParseError("too-large", f"{len(data)} bytes of text; the limit is {job.max_text_bytes}")
        if pages := read_pages(data, name, job.parser, job.layout_budget_ms):
            return wire.dump_pages([(page, self._chunk(page.document)) for page in pages])
        document = parse(data, name, job.parser, job.layout_budget_ms)
        if (page := declared_page(document, data, name)) is not None:
            return wire.dump_pages([(page, self._chunk(page.document))])
        if request.recognised:
            from capsa.chunkers import ocr_document, ocr_page

            document = ocr_document.add_recognised(document, ocr_page.load_pages(request.recognised))
        return wire.dump(document, self._chunk(document))

    def _chunk(self, document: "Document") -> Sequence["Chunk"]:
        from capsa.chunkers.strategies import chunk

        return chunk(document, self._tokenizer, self._job.chunker, window=self._job.window)


def serve(source: BinaryIO, sink: BinaryIO, start: Callable[[Job], Handle]) -> None:
    """Answer requests until the parent closes the pipe."""
    record = read_record(source)
    if record is None:
        return
    job = Job(**record)
    # First of all, while there is one thread: those that a library starts are bound by it too.
    if job.niceness:
        make_way(job.niceness)
    # Opens what tells of it, which cannot be opened any more afterwards.
    resident_bytes()
    bounds = enter([job.tokenizer, *job.readable, *MODELS.get(job.parser, ())])
    handle = start(job)
    confine(job.memory_bytes)
    write_record(sink, {"status": "ready", "bounds": bounds})
    while request := read_record(source):
        data, recognised = read_frame(source), read_frame(source)
        if data is None or recognised is None:
            return
        allow_cpu(job.deadline_s * request["deadlines"])
        _answer(sink, handle, Request(request["name"], data, request["page"], recognised))


def _answer(sink: BinaryIO, handle: Handle, request: Request) -> None:
    try:
        body = handle(request)
    except ParseError as error:
        _fail(sink, error.reason, str(error))
    except CapsaError as error:  # an extra that is missing, a wrong setting: true of every file
        write_record(
            sink, {"status": "unfit", "reason": type(error).__name__, "detail": str(error), "rss": 0}
        )
    except RecursionError:
        _fail(sink, "limit", "nested too deeply")
    except MemoryError:
        _fail(sink, "limit", "needs more memory than a parser may have")
        sys.exit(1)  # what is left of the heap is not worth trusting
    except (
        Exception
    ) as error:  # a parser may raise anything on a hostile document; the file is told, not the run
        _fail(sink, "crash", f"{type(error).__name__}: {error}")
    else:
        write_record(sink, {"status": "parsed", "rss": resident_bytes()})
        write_frame(sink, body)


def _fail(sink: BinaryIO, reason: str, detail: str) -> None:
    write_record(
        sink, {"status": "failed", "reason": reason, "detail": detail[:500], "rss": resident_bytes()}
    )


def streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent, taken away from stdin and stdout so that no library can write into them."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return source, sink


def main() -> None:
    """Run as ``python -m capsa.daemon.worker``; the pool starts it."""
    source, sink = streams()
    serve(source, sink, Parsing)


if __name__ == "__main__":
    main()
