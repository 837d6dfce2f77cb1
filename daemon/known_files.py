"""What the store knows of very many files, packed: as a Known each would take several times as much."""

import os
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Any

from capsa.store.records import Known

_STAMPS = 4
_HASH = 16


class PackedKnown:
    """A list of Known that grows: about 50 bytes each."""

    def __init__(self) -> None:
        self._stamps = array("q")
        self._hashes = bytearray()
        # All but a few of very many files say the same but for their stamps and their content.
        self._kinds: dict[tuple[Any, ...], int] = {}
        self._kind_of = array("L")
        self._named: list[tuple[Any, ...]] = []

    def __len__(self) -> int:
        return len(self._kind_of)

    def append(self, row: Iterable[Any]) -> None:
        """Add a record, given by its fields in their order."""
        size, mtime_ns, ctime_ns, inode, content, status, reason, version, pending = row
        self._stamps.extend((size, mtime_ns, ctime_ns, inode))
        self._hashes += content.ljust(_HASH, b"\0")
        kind = (len(content), status, reason, version, bool(pending))
        number = self._kinds.setdefault(kind, len(self._named))
        if number == len(self._named):
            self._named.append(kind)
        self._kind_of.append(number)

    def __getitem__(self, at: int) -> Known:
        length, status, reason, version, pending = self._named[self._kind_of[at]]
        size, mtime_ns, ctime_ns, inode = self._stamps[at * _STAMPS : (at + 1) * _STAMPS]
        content = bytes(self._hashes[at * _HASH : at * _HASH + length])
        return Known(size, mtime_ns, ctime_ns, inode, content, status, reason, version, pending)

    @property
    def has_pending(self) -> bool:
        """Whether one of them waits for vectors."""
        return any(pending for *_, pending in self._named)


class KnownFiles:
    """What is known of the files of a target, of which those that are there are ticked off.

    ``rows`` are paths in order, each with the fields of a Known.
    """

    def __init__(self, rows: Iterable[tuple[Any, ...]] = ()) -> None:
        self._paths: list[bytes] = []
        self._records = PackedKnown()
        for path, *fields in rows:
            self._paths.append(path)
            self._records.append(fields)
        self._is_left = bytearray(b"\1") * len(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    @property
    def has_pending(self) -> bool:
        """Whether one of them waits for vectors."""
        return self._records.has_pending

    @property
    def left_over(self) -> int:
        """How many were not ticked off."""
        return self._is_left.count(1)

    def take(self, path: bytes) -> Known | None:
        """Tick the path off, and return what is known of it."""
        at = bisect_left(self._paths, path)
        if at == len(self._paths) or self._paths[at] != path:
            return None
        self._is_left[at] = 0
        return self._records[at]

    def take_below(self, path: bytes) -> None:
        """Tick off the path and all that lies below it."""
        self.take(path)
        below = os.path.join(path, b"")
        start = bisect_left(self._paths, below)
        # Sorted by bytes, what is below a folder stands before its name with the byte after the separator.
        end = bisect_left(self._paths, below[:-1] + bytes([below[-1] + 1]), start)
        self._is_left[start:end] = bytes(end - start)

    def left(self) -> Iterator[tuple[bytes, Known]]:
        """Yield what was not ticked off."""
        for at in compress(range(len(self._paths)), self._is_left):
            yield self._paths[at], self._records[at]
