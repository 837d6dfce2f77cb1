"""Files that a run has to read, packed: of a first index these are all there are."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter

from capsa.store.records import Known, signed

from .known_files import PackedKnown
from .targets import Target
from .walk import Found

_STAMPS = 4
_UNKNOWN = -1
_fields_of = attrgetter(*(field.name for field in fields(Known)))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to read. ``again`` says that it must be parsed even if its bytes are the known ones."""

    target: Target
    file: Found
    known: Known | None
    again: bool


class Candidates:
    """A list of candidates that grows: about 50 bytes and the path each, and 50 where something is known.

    ``paths`` are in the order in which they were added.
    """

    def __init__(self, candidates: Iterable[Candidate] = ()) -> None:
        self.paths: list[bytes] = []
        self._stamps = array("q")
        self._target_of: list[Target] = []
        self._known_at = array("l")
        self._known = PackedKnown()
        self._again = bytearray()
        self._order: Sequence[int] = ()
        for candidate in candidates:
            self.append(candidate)

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[Candidate]:
        return map(self._at, self._order or range(len(self)))

    def append(self, candidate: Candidate) -> None:
        """Add one; all are in the order in which they were added then."""
        path, size, mtime_ns, ctime_ns, inode = candidate.file
        self.paths.append(path)
        self._stamps.extend((size, mtime_ns, ctime_ns, signed(inode)))
        self._target_of.append(candidate.target)
        self._known_at.append(_UNKNOWN if candidate.known is None else len(self._known))
        if candidate.known is not None:
            self._known.append(_fields_of(candidate.known))
        self._again.append(candidate.again)
        self._order = ()

    def sort_newest_first(self) -> None:
        """Put what was changed, renamed or copied last before all others."""
        changed = array("q", map(max, self._stamps[1::_STAMPS], self._stamps[2::_STAMPS]))
        self._order = array("l", sorted(range(len(self)), key=changed.__getitem__, reverse=True))

    def _at(self, at: int) -> Candidate:
        size, mtime_ns, ctime_ns, inode = self._stamps[at * _STAMPS : (at + 1) * _STAMPS]
        file = Found(self.paths[at], size, mtime_ns, ctime_ns, inode)
        known_at = self._known_at[at]
        known = None if known_at == _UNKNOWN else self._known[known_at]
        return Candidate(self._target_of[at], file, known, bool(self._again[at]))
