"""What a run has to do: the state of the index, and how the folders compare with it. Reads only."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.store.home import database_path
from capsa.store.records import ModelMark, Source

from .excludes import Excludes
from .guard import Guard
from .jobs import make_versions
from .known_files import KnownFiles
from .settings import Settings
from .survey import Survey, Walking, add_target, exists
from .targets import Resolver, Target
from .terminal import show_path
from .walk import Limits

if TYPE_CHECKING:
    from capsa.store.reader import Reader


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the home held when the run began."""

    sources: Sequence[Source] = ()
    mark: ModelMark | None = None
    change: int = 0
    doubts: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """What there is to do, and the state of the index that this was seen in.

    ``doubts`` tells since when the missing files of a source are in doubt; its root is ``doubted`` then.
    """

    targets: Sequence[Target]
    survey: Survey
    shelf: Shelf
    doubts: Mapping[int, float]
    notes: Sequence[str]
    doubted: Sequence[bytes]

    @property
    def has_work(self) -> bool:
        """Whether anything must be written."""
        new_source = any(target.source_id is None for target in self.targets)
        new_doubts = self.doubts != self.shelf.doubts
        return bool(self.survey.candidates or self.survey.missing or new_source or new_doubts)


class Looking:
    """Looks at paths of a home; ``has_model`` is asked only when documents wait for vectors."""

    def __init__(
        self, home: Path, settings: Settings, resolve: Resolver, has_model: Callable[[], bool]
    ) -> None:
        self._home = home
        self._settings = settings
        self._resolve = resolve
        self._has_model = has_model
        self._excludes = Excludes(settings, os.fsencode(home))

    def look(self, paths: Sequence[str]) -> Look:
        """Find out what there is to do for the paths, or for all sources when there are none."""
        shelf = read_shelf(self._home)
        resolved = self._resolve(paths, shelf.sources, self._excludes)
        targets = [target for target in resolved if exists(target)]
        guard = Guard(shelf.doubts, time.time())
        survey = self._survey(targets, shelf, guard)
        away = [
            f"{show_path(target.root)} is not there now; what is indexed of it is kept"
            for target in resolved
            if target not in targets
        ]
        return Look(targets, survey, shelf, guard.doubts, (*away, *guard.notes), guard.doubted)

    def _survey(self, targets: Sequence[Target], shelf: Shelf, guard: Guard) -> Survey:
        survey, plain = Survey(), make_versions(self._settings, vectors=False)
        roots = {source.path for source in shelf.sources} | {target.root for target in targets}
        with _reading(self._home, targets) as reader:
            # What another run commits meanwhile shows in the shelf's ``change`` once this one may write.
            for target in targets:
                known = _read_known(reader, target)
                versions = replace(plain, vectors=known.has_pending and self._has_model())
                limits = Limits(
                    self._settings.max_file_bytes, self._settings.other_file_systems, roots - {target.root}
                )
                add_target(survey, target, known, versions, Walking(self._excludes, limits))
                if guard.believes(target, known.left_over, len(known)):
                    survey.missing.update(known.left())
        return survey


@contextmanager
def _reading(home: Path, targets: Sequence[Target]) -> "Iterator[Reader | None]":
    """A reader, if anything can be known of one of the targets."""
    if all(target.source_id is None for target in targets):
        yield None
        return
    from capsa.store.reader import Reader

    with Reader.open(home) as reader:
        yield reader


def _read_known(reader: "Reader | None", target: Target) -> KnownFiles:
    if reader is None or target.source_id is None:
        return KnownFiles()
    return KnownFiles(reader.known_rows(target.source_id, target.within))


def read_shelf(home: Path) -> Shelf:
    """Read what the home holds; nothing when there is no database yet."""
    if not database_path(home).exists():
        return Shelf()
    from capsa.store import meta
    from capsa.store.database import is_older
    from capsa.store.reader import Reader

    if is_older(database_path(home)):
        _bring_up_to_date(home)

    with Reader.open(home) as reader, reader.snapshot():
        change, doubts = meta.change(reader.connection), meta.doubts(reader.connection)
        return Shelf(reader.sources(), reader.model, change, doubts)


def _bring_up_to_date(home: Path) -> None:
    from capsa.store.writer import Writer

    Writer.open(home).close()
