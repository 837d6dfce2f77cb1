"""MHTML (RFC 2557): a page with its parts as one mail message, as Chromium and Internet Explorer save it."""

from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message

from ..errors import ParseError
from .dates import read_date
from .model import MOST_FRAMES, PAGE_TYPES, Capture


def read(data: bytes, name: str) -> Iterator[Capture]:
    """Yield the one page of the file."""
    try:
        message = message_from_bytes(data)
        parts = [part for part in message.walk() if part.get_content_type() in PAGE_TYPES]
    except (MessageError, LookupError, ValueError, RecursionError) as error:
        raise ParseError("damaged", f"{name}: {error}") from error
    if not parts:
        raise ParseError("empty", f"{name} holds no page")
    root = _root(message, parts)
    frames = [_body(part) for part in parts[:MOST_FRAMES] if part is not root]
    yield Capture(
        url=_header(message, "Snapshot-Content-Location") or _location(root) or _location(message),
        captured=read_date(_header(message, "Date")),
        title=_header(message, "Subject"),
        content_type="text/html",
        body=_body(root),
        charset=str(root.get_content_charset("")),
        other_bodies=tuple(frames),
    )


def _root(message: Message, parts: list[Message]) -> Message:
    """The part that ``start`` names, else the one at the address of the whole, else the first."""
    start = str(message.get_param("start") or "")
    address = _header(message, "Snapshot-Content-Location")
    for part in parts:
        if start and _header(part, "Content-ID") == start:
            return part
    return next((part for part in parts if address and _location(part) == address), parts[0])


def _location(part: Message) -> str:
    return _header(part, "Content-Location") or _header(part, "Content-Base")


def _header(message: Message, name: str) -> str:
    """A header on one line; one that is wrongly encoded is as it stands."""
    raw = str(message.get(name, ""))[:4000]
    if "=?" in raw:
        with suppress(MessageError, LookupError, ValueError):
            raw = str(make_header(decode_header(raw)))
    # A long address is folded over lines, too.
    return ("" if name.endswith("Location") else " ").join(raw.split())


def _body(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""
