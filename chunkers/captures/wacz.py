"""WACZ: a zip archive with WARC files in ``archive/``, and a list of the pages among all that was kept."""

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO, Any

from ..errors import ParseError
from ..urls import normalise
from . import warc
from .dates import read_date
from .model import LARGEST_FILE, Capture, text_of

_LISTS = ("pages/pages.jsonl", "pages/extraPages.jsonl")
_LONGEST_LIST = 64 << 20
_MOST_ARCHIVES = 1000
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, KeyError),
    # A list of members that names a place before the file's beginning.
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of the list: its address, title, when it was saved, and its text where the list has it."""

    url: str
    title: str
    captured: int | None
    text: str


class Bounded(io.RawIOBase):
    """A member of an archive that ends after so many bytes, whatever it promises."""

    def __init__(self, member: IO[bytes], limit: int) -> None:
        super().__init__()
        self._member, self._left = member, limit

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read on; 0 at the limit."""
        data = self._member.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)


def read(data: bytes, name: str) -> Iterator[Capture]:
    """Yield the captures of the listed pages; without a list, of all that may be a page."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from _read(archive)
    except _DAMAGE as error:
        raise ParseError("damaged", f"{name}: {error}") from error


def _read(archive: zipfile.ZipFile) -> Iterator[Capture]:
    listed = {normalise(page.url): page for path in _LISTS for page in _listed(archive, path)}
    found: set[str] = set()
    for capture in _captures(archive):
        uri = normalise(capture.url)
        if listed and uri not in listed:
            continue
        found.add(uri)
        yield replace(capture, title=listed[uri].title) if listed else capture
    for uri, page in listed.items():
        if uri not in found and page.text:
            yield Capture(
                page.url, page.captured, page.title, "text/plain", page.text.encode("utf-8", "replace")
            )


def _captures(archive: zipfile.ZipFile) -> Iterator[Capture]:
    """One damaged archive of several is no reason to leave out the others."""
    left = LARGEST_FILE
    for path in _archives(archive):
        with archive.open(path) as member:
            for record in warc.read_records(Bounded(member, left)):
                left -= record.size
                if left < 0:
                    return
                if (capture := warc.to_capture(record)) is not None:
                    yield capture


def _archives(archive: zipfile.ZipFile) -> list[str]:
    names = [info.filename for info in archive.infolist() if info.filename.startswith("archive/")]
    return [each for each in names if each.lower().endswith((".warc", ".warc.gz"))][:_MOST_ARCHIVES]


def _listed(archive: zipfile.ZipFile, path: str) -> Iterator[Listed]:
    if path not in archive.NameToInfo:
        return
    with archive.open(path) as member:
        lines = member.read(_LONGEST_LIST).splitlines()
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        # The first line tells of the list itself.
        if isinstance(record, dict) and (url := text_of(record, "url")):
            yield Listed(
                url, text_of(record, "title"), read_date(text_of(record, "ts")), text_of(record, "text")
            )
