"""Length-prefixed frames on a byte stream: how a parser worker and its parent talk."""

import json
import struct
from typing import IO, Any

_LENGTH = struct.Struct("<Q")
MAX_FRAME = 1 << 28
MAX_RECORD = 1 << 20


class FrameError(Exception):
    """The stream ended inside a frame, or a frame is longer than allowed."""


class StreamEnded(FrameError):
    """The stream ended where more had to come."""


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write one frame and flush it."""
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes], limit: int = MAX_FRAME) -> bytes | None:
    """The next frame, or None when the stream has ended."""
    head = stream.read(_LENGTH.size)
    if not head:
        return None
    if len(head) < _LENGTH.size:
        raise StreamEnded("the stream ended inside a frame")
    (length,) = _LENGTH.unpack(head)
    if length > limit:
        raise FrameError(f"a frame of {length} bytes; the limit is {limit}")
    data = stream.read(length)
    if len(data) < length:
        raise StreamEnded("the stream ended inside a frame")
    return data


def write_record(stream: IO[bytes], record: dict[str, Any]) -> None:
    """Write a JSON object as one frame."""
    write_frame(stream, json.dumps(record).encode("ascii"))


def read_record(stream: IO[bytes], limit: int = MAX_RECORD) -> dict[str, Any] | None:
    """Read a JSON object, or None when the stream has ended."""
    data = read_frame(stream, limit)
    if data is None:
        return None
    try:
        record = json.loads(data)
    except ValueError as error:
        raise FrameError("a frame that is not JSON") from error
    if not isinstance(record, dict):
        raise FrameError("a frame that is not a JSON object")
    return record
