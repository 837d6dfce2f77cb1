"""Exports inside a zip archive, as Google Takeout, Pocket and Safari give them; nothing goes to the disk."""

import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import RawIOBase
from pathlib import Path
from typing import IO, Any

from ..errors import ParseError
from .model import Bad, Meter, Record

SUFFIXES = (".json", ".html", ".htm", ".csv", ".tsv")
# Real exports shrink to a tenth; deflate can promise a thousandfold.
_RATIO = 200
_SMALL = 64 << 20
_MOST_MEMBERS = 100_000

ReadMember = Callable[[str, RawIOBase, Meter], Iterator[Record] | None]


def read_archive(path: Path, meter: Meter, read_member: ReadMember) -> Iterator[Record]:
    """Yield the records of all members that ``read_member`` knows; a member that cannot be read gives Bad."""
    known = 0
    with _open(path) as archive:
        members = [info for info in archive.infolist() if _may_be(info)]
        if len(members) > _MOST_MEMBERS:
            yield Bad("limit", f"{len(members):,} files; only the first {_MOST_MEMBERS:,} were looked at")
            del members[_MOST_MEMBERS:]
        meter.total = sum(info.file_size for info in members)
        for info in members:
            before = meter.done
            try:
                with archive.open(info) as member:
                    records = read_member(info.filename, _Bounded(member, info), meter)
                    known += records is not None
                    yield from (_named(record, info.filename) for record in records or ())
            except (
                zipfile.BadZipFile,
                zlib.error,
                EOFError,
                OSError,
                RuntimeError,
                NotImplementedError,
            ) as error:
                yield Bad("damaged", f"{info.filename}: {error}")
            except ParseError as error:
                yield Bad(error.reason, f"{info.filename}: {error}")
            meter.done = before + info.file_size
    if not known:
        raise ParseError("not-a-history", "an archive without a browser's history or bookmarks in it")


def _open(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise ParseError("damaged", f"the archive is damaged or cut off: {error}") from error


def _named(record: Record, member: str) -> Record:
    return Bad(record.reason, f"{member}: {record.detail}") if isinstance(record, Bad) else record


def _may_be(info: zipfile.ZipInfo) -> bool:
    return info.file_size > 0 and info.filename.lower().endswith(SUFFIXES)


class _Bounded(RawIOBase):
    """A member of an archive that refuses to grow beyond what its packed size makes likely."""

    def __init__(self, member: IO[bytes], info: zipfile.ZipInfo) -> None:
        super().__init__()
        self._member = member
        self._limit = max(_SMALL, info.compress_size * _RATIO)
        self._read = 0

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read on; ParseError beyond the limit."""
        data = self._member.read(len(buffer))
        buffer[: len(data)] = data
        self._read += len(data)
        if self._read > self._limit:
            raise ParseError("bomb", f"unpacks to more than {self._limit >> 20} MB, {_RATIO} times its size")
        return len(data)
