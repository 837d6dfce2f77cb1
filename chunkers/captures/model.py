"""The record of a saved page, and what all readers are bounded by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..model import Document

# Files of these formats hold many pages: one that cannot be read is no reason to leave out the others.
ARCHIVES = ("warc", "wacz")

# A page with its images inside is some megabytes; what is larger is no page.
LARGEST_BODY = 32 << 20
# Unpacked, all of a file together.
LARGEST_FILE = 512 << 20
# A page has a few frames; more of them are advertisements or an attack.
MOST_FRAMES = 50
PAGE_TYPES = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class Capture:
    """A page as it was saved: where from, when (microseconds since 1970 in UTC, None if unknown), what.

    ``charset`` is what its server said, "" when it said nothing; ``other_bodies`` are the frames of a page,
    all of them HTML. ``same_as`` is the address under which the same file had the body earlier.
    """

    url: str
    captured: int | None
    title: str
    content_type: str
    body: bytes
    charset: str = ""
    other_bodies: tuple[bytes, ...] = ()
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A document, the normalised address it is of, and when it was saved (microseconds or None)."""

    document: Document
    uri: str
    captured: int | None


def text_of(record: Mapping[str, Any], key: str) -> str:
    """Return the text that a record has under the key, "" for none and for anything else."""
    value = record.get(key)
    return value if isinstance(value, str) else ""
