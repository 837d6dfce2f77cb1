"""An indexing run beside whatever else the machine does."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from .indexing import Run
from .pool import Pool
from .settings import Settings
from .state import State
from .survey import Survey
from .targets import resolve_changed
from .workshop import Workshop

if TYPE_CHECKING:
    from capsa.store.embedder import Embedder
    from capsa.store.writer import Writer

    from .ingest import Ingest

# What somebody has just edited is no more than so many files; they are indexed before all others.
FEW = 20
# So many changed files overtake a large run; more wait for its end.
OVERTAKING = 200
# What was saved or copied so shortly before a large run is looked for during it; half of OVERTAKING at most,
# to leave room for what changes during it.
FRESH_SECONDS = 600.0


class BackgroundRun(Run):
    """A run over paths that have changed.

    Unless it is ``publishing``, the vector file is left behind the database, which searches make up for.
    A FEW files are parsed by the workshop's worker, which is there at once.
    """

    _resolve = staticmethod(resolve_changed)
    _gentle = True
    # Whoever stops a run waits for a batch that is being embedded.
    _batch_texts = 16

    def __init__(
        self,
        home: Path,
        settings: Settings,
        state: State,
        workshop: Workshop,
        publishing: bool = True,
    ) -> None:
        super().__init__(home, settings, state)
        self._state = state
        self._workshop = workshop
        self._publishing = publishing
        # Called now and then during a run over more than a FEW files, when its writer is free for others; is
        # told whether the run waits for its workers and has nothing to do.
        self.between: Callable[[Writer, Ingest, bool], None] = lambda writer, ingest, waits: None
        self._between: Callable[[bool], None] = lambda waits: None
        # Is told of the fresh files of such a run, which are to overtake the others.
        self.hurry: Callable[[Sequence[bytes]], None] = lambda paths: None

    def _prepare(self, ingest: "Ingest", survey: Survey, writer: "Writer") -> None:
        # What somebody has just saved or copied is what they will look for.
        survey.candidates.sort_newest_first()
        # Fewer are soon done, and have the workshop's worker, which those others need.
        if len(survey.candidates) > FEW:
            self._between = lambda waits: self.between(writer, ingest, waits)
            ingest.between = lambda: self._between(False)
            since = time.time() - FRESH_SECONDS
            newest = [each.file for each in islice(survey.candidates, OVERTAKING // 2)]
            self.hurry([file.path for file in newest if file.changed_ns / 1e9 > since])

    def _open_pool(self, files: int) -> AbstractContextManager[Pool]:
        if files <= FEW:
            return self._workshop.lend_pool(self._settings, self._encoder)
        pool = self._own_pool(files)
        pool.while_waiting = self._while_waiting
        return pool

    def _while_waiting(self) -> None:
        self._state.check()
        self._between(True)

    def _load_embedder(self, writer: "Writer") -> "Embedder":
        return self._workshop.lend_embedder(self._encoder, writer, self._settings)

    def _publish(self, writer: "Writer") -> None:
        if self._publishing or writer.must_wipe:
            super()._publish(writer)
