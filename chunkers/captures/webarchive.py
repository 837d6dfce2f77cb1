"""Safari's web archive: a property list with the page, its resources, and its frames as archives in it."""

import plistlib
import struct
from collections.abc import Iterator, Mapping
from typing import Any
from xml.parsers.expat import ExpatError

from ..errors import ParseError
from .model import MOST_FRAMES, PAGE_TYPES, Capture, text_of

_MAIN = "WebMainResource"
# What plistlib raises for a damaged file, beside its own exception, which is a ValueError.
_DAMAGE = (
    *(ValueError, ExpatError, OverflowError, KeyError, TypeError, IndexError, AttributeError, struct.error),
    RecursionError,
)


def read(data: bytes, name: str) -> Iterator[Capture]:
    """Yield the one page of the file, which does not say when it was saved."""
    try:
        archive = plistlib.loads(data)
    except _DAMAGE as error:
        raise ParseError("damaged", f"{name}: {error}") from error
    main = _resource(archive)
    body = main.get("WebResourceData")
    if not isinstance(body, bytes):
        raise ParseError("empty", f"{name} holds no page")
    yield Capture(
        url=text_of(main, "WebResourceURL"),
        captured=None,
        title="",
        content_type=text_of(main, "WebResourceMIMEType") or "text/html",
        body=body,
        charset=text_of(main, "WebResourceTextEncodingName"),
        other_bodies=tuple(_frames(archive)),
    )


def _resource(archive: object) -> Mapping[str, Any]:
    main = archive.get(_MAIN) if isinstance(archive, dict) else None
    return main if isinstance(main, dict) else {}


def _frames(archive: Mapping[str, Any]) -> Iterator[bytes]:
    """Frames of frames are left out: an archive may hold itself."""
    frames = archive.get("WebSubframeArchives")
    for frame in frames[:MOST_FRAMES] if isinstance(frames, list) else ():
        main = _resource(frame)
        body = main.get("WebResourceData")
        if text_of(main, "WebResourceMIMEType") in PAGE_TYPES and isinstance(body, bytes):
            yield body
