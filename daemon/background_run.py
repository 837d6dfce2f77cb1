"""An indexing run beside whatever else the machine does."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from .indexing import Run
from .pool import Pool
from .settings import Settings
from .state import State
from .targets import resolve_changed
from .workshop import Workshop

if TYPE_CHECKING:
    from capsa.store.embedder import Embedder
    from capsa.store.writer import Writer

    from .encoder import Encoder

# What somebody has just edited is no more than so many files; they are indexed before all others.
FEW = 20


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

    def _open_pool(self, encoder: "Encoder", files: int) -> AbstractContextManager[Pool]:
        if files <= FEW:
            return self._workshop.lend_pool(self._settings, encoder)
        pool = self._own_pool(encoder, files)
        pool.while_waiting = self._state.check
        return pool

    def _load_embedder(self, writer: "Writer", encoder: "Encoder") -> "Embedder":
        return self._workshop.lend_embedder(encoder, writer, self._settings)

    def _publish(self, writer: "Writer") -> None:
        if self._publishing or writer.must_wipe:
            super()._publish(writer)
