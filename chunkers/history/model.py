"""What an export of a browser says, entry by entry. Times are microseconds since 1970, UTC."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

SYNCED = "synced"
"""The device of a visit that another device of the same account made."""


class Visit(NamedTuple):
    """A page was opened.

    ``told`` is above 1 where the export tells of the last of so many visits only. ``device`` is "" for the
    one that the export is from.
    """

    url: str
    title: str
    when: int
    told: int = 1
    device: str = ""


class Bookmark(NamedTuple):
    """A page was kept: in a folder, under tags, perhaps without a date."""

    url: str
    title: str
    when: int | None = None
    tags: tuple[str, ...] = ()
    folder: str = ""


class Bad(NamedTuple):
    """An entry, or the rest of an export, that could not be read; ``reason`` is what it is counted under."""

    reason: str
    detail: str


Record = Visit | Bookmark | Bad
Records = Iterator[Record]


@dataclass(frozen=True, slots=True)
class Found:
    """What an export is: the name of its format, and the browser or service that writes it."""

    name: str
    browser: str


@dataclass(slots=True)
class Meter:
    """How far the reading of an export is, in units that only the reader knows."""

    done: int = 0
    total: int = 0

    @property
    def share(self) -> float:
        """The part that is read, 0 to 1."""
        return min(self.done / self.total, 1.0) if self.total else 0.0


def begin(head: bytes) -> bytes:
    """Return how a text begins, without a byte order mark and blanks."""
    return head[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
