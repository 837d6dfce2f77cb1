"""Files that have changed are indexed between two files of a large run, over its writer."""

import os
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from .background_run import OVERTAKING, BackgroundRun
from .looking import Look
from .pool import Pool
from .progress import Quiet
from .report import Report
from .state import State
from .survey import Survey
from .walk import found

if TYPE_CHECKING:
    from capsa.store.writer import Writer

    from .ingest import Ingest


# So many files at a time, so that what changes next has not long to wait.
PORTION = 8


def portion(paths: Collection[bytes]) -> set[bytes]:
    """What is indexed next of these: the files changed last, and what is gone, if that is not much.

    Much that is gone waits until all files are indexed: most of it was moved, and copies cost little.
    """
    ages = {path: age for path in paths if (age := _changed_at(path))}
    gone = set(paths) - ages.keys()
    newest = sorted(ages, key=ages.__getitem__, reverse=True)[:PORTION]
    return {*newest, *gone} if len(gone) <= PORTION or not ages else set(newest)


def _changed_at(path: bytes) -> int:
    """When the file was changed, renamed or copied last; 0 when it is gone."""
    try:
        return found(path, os.lstat(path)).changed_ns
    except OSError:
        return 0


class Unshown(Quiet):
    """The progress of what overtakes a run, which tells it once it is done; stops when the run is to stop."""

    def __init__(self, state: State) -> None:
        self._state = state

    def advance(self, chunks: int) -> None:
        """Raise Interrupted when the run is wanted to stop."""
        self._state.check()


class OvertakingRun(BackgroundRun):
    """A run over paths that have changed since ``other``, which stands still meanwhile, looked at them."""

    def __init__(self, other: BackgroundRun, writer: "Writer", overtaken: "Ingest") -> None:
        super().__init__(other._home, other._settings, other._state, other._workshop, publishing=False)
        self._progress = Unshown(other._state)
        # Another one, if the model is not there any more, would close the one that the other run works with.
        self._encoder = other._encoder
        self._writer = writer
        self._overtaken = overtaken
        self._subjects: set[bytes] = set()

    def index(self, paths: Sequence[str] = ()) -> Report:
        """Index the paths, and have the other run leave them alone: what was not done comes again."""
        report = super().index(paths)
        self._overtaken.overtake(self._subjects, report.chunks)
        return report

    def _look(self, paths: Sequence[str]) -> Look:
        look = super()._look(paths)
        self._subjects = {target.within for target in look.targets}
        return look

    def _open_pool(self, files: int) -> AbstractContextManager[Pool]:
        # Not workers that take what nobody else wants: somebody may look for these files now. A folder that
        # was moved in may have any number.
        if files > OVERTAKING:
            return super()._open_pool(files)
        return self._workshop.lend_pool(self._settings, self._encoder)

    def _open_writer(self) -> "AbstractContextManager[Writer]":
        return nullcontext(self._writer)

    def _prepare(self, ingest: "Ingest", survey: Survey, writer: "Writer") -> None:
        super()._prepare(ingest, survey, writer)
        ingest.journal = self._overtaken.journal
