"""WARC 1.0 and 1.1 (ISO 28500), plain or with gzip or zstandard members: what servers answered, page by page.

Own code: of the libraries, FastWARC panics on a stream that cannot seek, and warcio refuses a file that is
packed as a whole.
"""

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO

import zstandard

from ..errors import ParseError
from .dates import read_date
from .http_body import decode_body
from .model import LARGEST_BODY, LARGEST_FILE, Capture

_LONGEST_LINE = 1 << 16
_MOST_LINES = 1000
# Blank lines between two records; two are usual.
_MOST_BLANKS = 100
_SKIPPED_AT_ONCE = 1 << 20
# A revisit has no body: it says that an earlier one was still right.
_KINDS = ("response", "resource", "revisit")
_DAMAGE = (gzip.BadGzipFile, zlib.error, zstandard.ZstdError, EOFError, OSError)


@dataclass(frozen=True, slots=True)
class Record:
    """A record's headers, by their names in lower case, and its body up to the largest that a page has.

    ``size`` is that of the whole body.
    """

    headers: Mapping[str, str]
    body: bytes
    size: int


def read(data: bytes, name: str) -> Iterator[Capture]:
    """Yield every answer that may be a page, up to where the file is cut off or damaged.

    ParseError when not even the first record can be read.
    """
    found = False
    for record in read_records(io.BytesIO(data)):
        found = True
        if (capture := to_capture(record)) is not None:
            yield capture
    if not found:
        raise ParseError("damaged", f"{name} holds no WARC record that can be read")


def read_records(stream: IO[bytes] | io.RawIOBase) -> Iterator[Record]:
    """Yield the records of the kinds that hold pages; damage ends them."""
    try:
        unpacked = _unpacked(io.BufferedReader(stream))  # type: ignore[arg-type]
        left = LARGEST_FILE
        while left > 0 and (headers := _headers(unpacked)) is not None:
            length = _length(headers)
            if length is None:
                return
            wanted = headers.get("warc-type") in _KINDS and bool(headers.get("warc-target-uri"))
            body = unpacked.read(min(length, LARGEST_BODY, left)) if wanted else b""
            _skip(unpacked, min(length, left) - len(body))
            left -= length
            yield Record(headers, body, length)
    except _DAMAGE:
        return


def _unpacked(stream: io.BufferedReader) -> io.BufferedIOBase:
    magic = stream.peek(4)[:4]
    if magic.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=stream)
    if magic == b"(\xb5/\xfd":
        unpack = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        return io.BufferedReader(unpack.stream_reader(stream, read_across_frames=True))
    return stream


def _headers(stream: io.BufferedIOBase) -> dict[str, str] | None:
    """The next record's headers; None at the end, and at anything that is no record."""
    line = b""
    for _ in range(_MOST_BLANKS):
        line = stream.readline(_LONGEST_LINE)
        if line.strip():
            break
    return read_headers(stream) if line.startswith(b"WARC/") else None


def read_headers(stream: io.BufferedIOBase) -> dict[str, str]:
    """Read header lines up to the blank one, as WARC and HTTP have them; the first of a name counts."""
    headers: dict[str, str] = {}
    last = ""
    for _ in range(_MOST_LINES):
        line = stream.readline(_LONGEST_LINE).decode("utf-8", "replace")
        if not line.strip():
            break
        if line[0] in " \t" and last:
            headers[last] = f"{headers[last]} {line.strip()}"
            continue
        last, _, value = line.partition(":")
        last = last.strip().lower()
        headers.setdefault(last, value.strip())
    return headers


def _length(headers: Mapping[str, str]) -> int | None:
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def _skip(stream: io.BufferedIOBase, size: int) -> None:
    while size > 0 and (data := stream.read(min(size, _SKIPPED_AT_ONCE))):
        size -= len(data)


def to_capture(record: Record) -> Capture | None:
    """Return what a record says that a page was; None when it is no answer, or one of an error."""
    headers = record.headers
    kind, url = headers.get("warc-type"), _address(headers, "warc-target-uri")
    captured = read_date(headers.get("warc-date", ""))
    if kind == "revisit":
        same = _address(headers, "warc-refers-to-target-uri") or url
        return Capture(url, captured, "", "", b"", same_as=same)
    if kind == "resource":
        content_type, charset = _type(headers)
        return Capture(url, captured, "", content_type, record.body, charset)
    return _response(url, captured, record.body) if kind == "response" else None


def _response(url: str, captured: int | None, body: bytes) -> Capture | None:
    stream = io.BytesIO(body)
    status = stream.readline(_LONGEST_LINE).split(b" ")
    if len(status) < 2 or not status[0].startswith(b"HTTP/") or not status[1].startswith(b"200"):
        return None
    headers = read_headers(stream)
    content_type, charset = _type(headers)
    transfer, encoding = headers.get("transfer-encoding", ""), headers.get("content-encoding", "")
    body = decode_body(stream.read(), transfer, encoding)
    return Capture(url, captured, "", content_type, body, charset)


def _type(headers: Mapping[str, str]) -> tuple[str, str]:
    content_type, _, rest = headers.get("content-type", "").lower().partition(";")
    return content_type.strip(), rest.partition("charset=")[2].partition(";")[0].strip(" \"'")


def _address(headers: Mapping[str, str], name: str) -> str:
    # The grammar of version 1.0 had angle brackets around the address, and some writers followed it.
    return headers.get(name, "").strip("<> ")
