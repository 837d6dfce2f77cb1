"""Compare a source on disk with what the store knows of it; nothing is opened, nothing is written."""

import os
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .candidates import Candidate, Candidates
from .excludes import Excludes
from .known_files import KnownFiles
from .targets import Target, is_within, upwards
from .walk import Found, Limits, Skip, walk

if TYPE_CHECKING:
    from capsa.store.records import Known

# Reasons why what is at a path cannot be seen at the moment: what is indexed of it is kept.
NOT_SEEN = frozenset(["unreadable", "other-file-system", "in-the-cloud"])
FINE_WINDOW_NS = 50_000_000
COARSE_WINDOW_NS = 2_000_000_000
_FINE_UNIT_NS = 1_000_000
# The stamp of racy files: as no file has it, the next run reads them again.
UNSURE = 0


@dataclass(frozen=True, slots=True)
class Versions:
    """What documents, and what failures, were made by; those of another version are worth another try.

    ``vectors`` says that a model is there, so that documents without vectors can get theirs.
    """

    documents: str
    failures: str
    vectors: bool


@dataclass(slots=True)
class Survey:
    """The outcome of the comparison, added up over targets."""

    found: int = 0
    unchanged: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    candidates: Candidates = field(default_factory=Candidates)
    missing: "dict[bytes, Known]" = field(default_factory=dict)
    overtaken: set[bytes] = field(default_factory=set)
    began_ns: int = field(default_factory=time.time_ns)

    def overtake(self, paths: Collection[bytes]) -> None:
        """Another run has dealt with these paths since: what is said of them, and of all below, is old."""
        self.overtaken.update(paths)
        for path in paths:
            for gone in [each for each in self.missing if is_within(each, path)]:
                del self.missing[gone]

    def is_overtaken(self, path: bytes) -> bool:
        """Whether what is said of the path is old."""
        return bool(self.overtaken) and not self.overtaken.isdisjoint(upwards(path))


def racy(file: Found, before_ns: int, after_ns: int) -> bool:
    """Whether a later change of the file could leave the time stamps that were seen between these two times.

    Stamps come from the kernel's tick (at most 10 ms) where they have parts of a millisecond, and may be as
    coarse as 2 s (FAT) where they have none. The rule is git's: such a file is read again the next time.
    """
    window = FINE_WINDOW_NS if file.changed_ns % _FINE_UNIT_NS else COARSE_WINDOW_NS
    return before_ns - window <= file.changed_ns <= after_ns + window


@dataclass(frozen=True, slots=True)
class Walking:
    """What a walk is bounded by."""

    excludes: Excludes
    limits: Limits


def add_target(
    survey: Survey, target: Target, known: KnownFiles, versions: Versions, walking: Walking
) -> None:
    """Walk one target and sort what is found into the survey; what is gone is left over of the known."""
    unreadable: list[bytes] = []
    for item in walk(target.root, walking.excludes, walking.limits, target.within):
        survey.found += 1
        if isinstance(item, Skip):
            survey.skipped[item.reason] += 1
            if item.reason in NOT_SEEN:
                unreadable.append(item.path)
            continue
        _compare(survey, target, item, known.take(item.path), versions)
    # What cannot be seen at the moment is not known to be gone.
    for path in unreadable:
        known.take_below(path)


def _compare(survey: Survey, target: Target, file: Found, known: "Known | None", versions: Versions) -> None:
    if known is None:
        survey.candidates.append(Candidate(target, file, None, again=True))
        return
    again = _outdated(known, versions)
    if again or not is_same(file, known):
        survey.candidates.append(Candidate(target, file, known, again))
    else:
        count_known(survey, known)


def count_known(survey: Survey, known: "Known") -> None:
    """Count a file that is as it was under what was found out about it then."""
    if known.status == "indexed":
        survey.unchanged += 1
    elif known.status == "skipped":
        survey.skipped[known.reason] += 1
    else:
        survey.failed[known.reason] += 1


def _outdated(known: "Known", versions: Versions) -> bool:
    if known.status == "indexed":
        return known.parser_version != versions.documents or (known.pending and versions.vectors)
    return known.parser_version != versions.failures


def is_same(file: Found, known: "Known") -> bool:
    """Whether the file is in the state in which it was last looked at."""
    return file.ctime_ns == known.ctime_ns and _seems_same(file, known)


def is_read(file: Found, known: "Known") -> bool:
    """Whether the file was read as it seems to be; one that a run looks at again, to be sure, was."""
    return known.ctime_ns in (file.ctime_ns, UNSURE) and _seems_same(file, known)


def _seems_same(file: Found, known: "Known") -> bool:
    # SQLite keeps signed numbers, so the inode is compared in 64 bits.
    return (
        file.mtime_ns == known.mtime_ns
        and file.size == known.size
        and (file.inode - known.inode) % (1 << 64) == 0
    )


def exists(target: Target) -> bool:
    """Whether the source is there at the moment; an unplugged disk is not an empty one."""
    return os.path.lexists(target.root)
