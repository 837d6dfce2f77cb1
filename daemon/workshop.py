"""A parser worker and the model, kept ready from one change to the next: to start them takes seconds."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from .encoder import Encoder, open_embedder
from .jobs import make_job
from .manners import BEHIND
from .pool import Pool, Task
from .settings import Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from capsa.store.embedder import Embedder
    from capsa.store.models import Model
    from capsa.store.writer import Writer

    from .worker import Job

    Vectors = npt.NDArray[np.float32]

# So long after the last change they are let go; the next one then waits for them.
KEPT_SECONDS = 1800.0
# A worker that a document has made larger is not kept.
KEPT_BYTES = 192 << 20
# Makes a worker load what it needs for most documents.
SMALL = b"# Ready\n\nA sentence.\n"


class LentEmbedder:
    """A kept embedder, which whoever borrowed it does not close."""

    def __init__(self, kept: "Embedder") -> None:
        self._kept = kept
        self.model: Model = kept.model

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return float32 [n, dimension]."""
        return self._kept.embed(texts)

    def embed_query(self, text: str) -> "Vectors":
        """Return float32 [dimension]."""
        return self._kept.embed_query(text)

    def close(self) -> None:
        """Give it back."""


class Workshop:
    """Keeps them for runs over few files, one run at a time; ``close`` ends them. For one thread."""

    def __init__(self) -> None:
        self._pool: Pool | None = None
        self._job: Job | None = None
        self._embedder: Embedder | None = None
        self._made_of: tuple[str, int] | None = None
        self._used_at = 0.0

    def close(self) -> None:
        """End the worker and the model's threads."""
        self._drop_pool()
        if self._embedder is not None:
            self._embedder.close()
            self._embedder = None

    @property
    def is_open(self) -> bool:
        """Whether anything is kept."""
        return self._pool is not None or self._embedder is not None

    def tidy(self) -> None:
        """Let go of what nobody has needed for long."""
        if self.is_open and time.monotonic() - self._used_at >= KEPT_SECONDS:
            self.close()

    def get_ready(self, settings: Settings, encoder: Encoder) -> None:
        """Start the worker before its first document."""
        with self.lend_pool(settings, encoder) as pool:
            for _ in pool.ask([Task(None, "ready.md", SMALL)]):
                continue

    @contextmanager
    def lend_pool(self, settings: Settings, encoder: Encoder) -> Iterator[Pool]:
        """Lend a pool of one worker, which lets others go first but is not starved."""
        job = replace(make_job(settings, encoder), niceness=BEHIND)
        if self._pool is None or self._job != job:
            self._drop_pool()
            self._pool, self._job = Pool(job, 1).__enter__(), job
        try:
            yield self._pool
        finally:
            self._used_at = time.monotonic()
            # What a run that was stopped had handed out would be taken for the answers of the next.
            if not self._pool.is_clean or self._pool.peak_bytes > KEPT_BYTES:
                self._drop_pool()

    def lend_embedder(self, encoder: Encoder, writer: "Writer", settings: Settings) -> LentEmbedder:
        """Lend the model, and let the index take its vectors; UnavailableError when there is none."""
        made_of = (encoder.model.fingerprint, settings.thread_count())
        if self._embedder is not None and (encoder.problem or self._made_of != made_of):
            self._embedder.close()
            self._embedder = None
        if self._embedder is None:
            self._embedder, self._made_of = open_embedder(encoder, writer, settings), made_of
        writer.bind_model(encoder.model, settings.code)
        self._used_at = time.monotonic()
        return LentEmbedder(self._embedder)

    def _drop_pool(self) -> None:
        if self._pool is not None:
            self._pool.__exit__(None, None, None)
            self._pool = None
