"""Files that broke their parser: tried once more, then left alone until file, parser or limits change.

What is about to be parsed is on the disk before it is, so that a crash of all of capsa or of the machine
counts too. Then several files may have been the reason: each is a suspect, and is parsed with no other beside
it; one with which it ends again TRIES times is held to be the reason.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.chunkers.errors import CapsaError
from capsa.store.private import sync_folder

from .candidates import Candidate
from .child import Failure
from .walk import Found

if TYPE_CHECKING:
    from capsa.store.records import Entry, Known

# Reasons that tell more of the parser, or of a busy machine, than of the file.
BROKE = frozenset(["crash", "timeout", "limit"])
# Behind the version of a failure that is worth one more try.
ONCE = "/once"
JOURNAL = "parsing.json"
TRIES = 3
# Files that are written down at a time: waiting for the disk at each would take longer than most parsing.
TOGETHER = 64
GUILTY = Failure("crash", f"capsa or the machine ended {TRIES} times while only this file was parsed")


def is_first(failure: Failure, entry: "Entry", known: "Known | None", version: str) -> bool:
    """Whether the file broke its parser for the first time, with this content and this version."""
    if failure.reason not in BROKE:
        return False
    if known is None or known.status != "failed" or known.content_hash != entry.content_hash:
        return True
    return known.parser_version not in (version, version + ONCE)


class Journal:
    """What is being parsed, by name and state of the file; no text and no path is kept."""

    def __init__(self, home: Path) -> None:
        self._path = home / JOURNAL
        self._open: set[str] = set()
        self._suspects = _read_suspects(self._path)

    def suspects(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return those that are suspects."""
        if not self._suspects:
            return []
        return [each for each in candidates if _key(each.file) in self._suspects]

    def is_guilty(self, candidate: Candidate) -> bool:
        """Whether it is held to be the reason; it is no suspect any more then."""
        key = _key(candidate.file)
        if self._suspects.get(key, 0) < TRIES:
            return False
        del self._suspects[key]
        return True

    def follow(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Give the candidates, each after it was written down."""
        waiting = iter(candidates)
        while group := list(islice(waiting, TOGETHER)):
            self._open.update(_key(candidate.file) for candidate in group)
            self._write()
            yield from group

    def done(self, candidate: Candidate) -> None:
        """It was parsed, one way or another."""
        key = _key(candidate.file)
        self._open.discard(key)
        self._suspects.pop(key, None)

    def close(self) -> None:
        """Nothing is being parsed any more; suspects that were not parsed stay suspects."""
        self._open.clear()
        if self._suspects:
            self._write()
        elif self._path.exists():
            os.truncate(self._path, 0)

    def _write(self) -> None:
        try:
            self._write_down()
        except OSError as error:
            raise CapsaError(f"{self._path}: cannot be written: {error.strerror}") from error

    def _write_down(self) -> None:
        record = {"parsing": sorted(self._open), "suspects": self._suspects}
        new = not self._path.exists()
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(record, file)
            file.flush()
            os.fsync(file.fileno())
        if new:
            sync_folder(self._path.parent)


def _read_suspects(path: Path) -> dict[str, int]:
    """The suspects, and how often capsa ended over each alone; a journal torn by a crash tells of none."""
    try:
        record = json.loads(path.read_bytes())
        parsing, suspects = record["parsing"], record["suspects"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return {}
    found = {str(key): int(times) for key, times in suspects.items()}
    alone = 1 if len(parsing) == 1 else 0
    return found | {str(key): found.get(key, 0) + alone for key in parsing}


def _key(file: Found) -> str:
    told = b"%d %d %s" % (file.size, file.mtime_ns, file.path)
    return hashlib.blake2b(told, digest_size=16).hexdigest()
