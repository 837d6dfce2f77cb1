"""A snapshot folder of ArchiveBox: its index.json together with the best of the copies beside it.

One page lies there in up to ten forms. Two files of the folder are read as one, a tar archive of both.
"""

import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import ParseError
from .dates import read_date
from .detecting import ARCHIVEBOX_INDEX
from .model import Capture, text_of

_LONGEST_INDEX = 8 << 20
_MICROSECONDS = 1_000_000
_TYPES = {"html": "text/html", "txt": "text/plain", "pdf": "application/pdf"}


def pack(index: bytes, copy_name: str, copy: bytes) -> bytes:
    """Return both files as one."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in ((ARCHIVEBOX_INDEX, index), (f"archivebox/{copy_name}", copy)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def read(data: bytes, name: str) -> Iterator[Capture]:
    """Yield the one page of the folder."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            (_, index), (copy_name, copy) = [
                (each.name, member.read())
                for each in archive.getmembers()
                if (member := archive.extractfile(each)) is not None
            ]
        record = json.loads(index[:_LONGEST_INDEX])
    except (tarfile.TarError, ValueError, RecursionError) as error:
        raise ParseError("damaged", f"{name}: {error}") from error
    if not isinstance(record, dict):
        raise ParseError("damaged", f"{name} does not say what it holds")
    yield Capture(
        url=text_of(record, "url"),
        captured=_moment(record),
        title=text_of(record, "title"),
        content_type=_TYPES.get(copy_name.rpartition(".")[2], ""),
        body=copy,
    )


def _moment(record: Mapping[str, Any]) -> int | None:
    """When the page was saved; the timestamp, seconds since 1970, is when it was asked for."""
    updated = read_date(text_of(record, "updated").replace(" ", "T", 1))
    if updated is not None:
        return updated
    try:
        return int(float(text_of(record, "timestamp")) * _MICROSECONDS)
    except (ValueError, OverflowError):
        return None
