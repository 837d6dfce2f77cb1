"""The body of an HTTP response as it was sent: chunks joined and unpacked, within a limit."""

import zlib
from collections.abc import Callable, Mapping

import brotli
import zstandard

from .model import LARGEST_BODY

Unpack = Callable[[bytes, int], bytes]


def decode_body(body: bytes, transfer: str, encoding: str) -> bytes:
    """Undo what the two headers name; what does not follow them stays as it is, since savers undo it too."""
    if "chunked" in transfer.lower():
        body = _join_chunks(body)
    for name in reversed(encoding.lower().replace(" ", "").split(",")[:4]):
        unpack = _ENCODINGS.get(name)
        if unpack is not None:
            try:
                body = unpack(body, LARGEST_BODY)
            except (zlib.error, brotli.error, zstandard.ZstdError):
                return body
    return body


def _join_chunks(body: bytes) -> bytes:
    parts: list[bytes] = []
    place = 0
    while True:
        end = body.find(b"\r\n", place, place + 80)
        size = _chunk_size(body[place:end]) if end >= 0 else None
        if size is None:
            # Not in chunks at all, or cut off: what was there counts.
            return b"".join(parts) if parts else body
        if size == 0:
            return b"".join(parts)
        parts.append(body[end + 2 : end + 2 + size])
        place = end + 2 + size + 2


def _chunk_size(line: bytes) -> int | None:
    try:
        return max(int(line.split(b";")[0].strip(), 16), 0)
    except ValueError:
        return None


def _gunzip(body: bytes, limit: int) -> bytes:
    # 32: with the header of gzip or of zlib, whichever is there.
    return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, limit)


def _inflate(body: bytes, limit: int) -> bytes:
    try:
        return _gunzip(body, limit)
    except zlib.error:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, limit)


def _unbrotli(body: bytes, limit: int) -> bytes:
    return bytes(brotli.Decompressor().process(body, output_buffer_limit=limit))


def _unzstd(body: bytes, limit: int) -> bytes:
    with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(body) as stream:
        return bytes(stream.read(limit))


_ENCODINGS: Mapping[str, Unpack] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
