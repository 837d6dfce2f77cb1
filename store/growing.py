"""Codes in memory that others are put behind and taken out of without a second copy of them all."""

import numpy as np

from .quantisers import Codes

# Room that is made when there is none: a share of what is there, and so many rows.
SPARE, LEAST_SPARE = 1 / 16, 1024
# Rows that are moved at a time.
MOVED = 65_536


def with_spare(count: int) -> int:
    """Return for how many rows there should be room where so many are; what is not used takes no memory."""
    return count + int(SPARE * count) + LEAST_SPARE


class Growing:
    """The first ``count`` rows of a buffer, uint8 [room, size]."""

    def __init__(self, buffer: Codes, count: int) -> None:
        self._buffer = buffer
        self._count = count

    @property
    def rows(self) -> Codes:
        """All codes, uint8 [count, size]: a view that is right until the next change."""
        return self._buffer[: self._count]

    def append(self, codes: Codes) -> None:
        """Put the codes behind the others; all are copied only when the room is used up."""
        wanted = self._count + len(codes)
        if wanted > len(self._buffer):
            larger = np.empty((with_spare(wanted), self._buffer.shape[1]), dtype=np.uint8)
            larger[: self._count] = self.rows
            self._buffer = larger
        self._buffer[self._count : wanted] = codes
        self._count = wanted

    def keep(self, wanted: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> None:
        """Drop the rows that are not wanted; the others close ranks where they are."""
        kept = 0
        for start in range(0, self._count, MOVED):
            part = self._buffer[start : min(start + MOVED, self._count)][wanted[start : start + MOVED]]
            self._buffer[kept : kept + len(part)] = part
            kept += len(part)
        self._count = kept
