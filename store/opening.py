"""An embedder that is opened on a thread of its own, beside what a search must import and read."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .graph_cache import load_graph
from .models import Model

if TYPE_CHECKING:
    from .embedder import Embedder
    from .quantisers import Vectors


class OpeningEmbedder:
    """An Embedder at once; who wants the first vector waits for it, and gets the error if there was one."""

    def __init__(self, model: Model, cache: Path) -> None:
        self.model = model
        self._cache = cache
        self._embedder: Embedder | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._open, name="opening")
        self._thread.start()

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return float32 [n, dimension]."""
        return self._wait().embed(texts)

    def embed_query(self, text: str) -> "Vectors":
        """Return float32 [dimension]."""
        return self._wait().embed_query(text)

    def close(self) -> None:
        """End the threads."""
        self._thread.join()
        if self._embedder is not None:
            self._embedder.close()

    def _open(self) -> None:
        try:
            # The hash needs no NumPy, and lets another thread import it meanwhile.
            graph = load_graph(self.model, self._cache) if self.model.shipped else None
            from .embedder import open_embedder

            self._embedder = open_embedder(self.model, self._cache, graph=graph)
        except Exception as error:  # raised again in the thread that waits
            self._error = error

    def _wait(self) -> "Embedder":
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._embedder is not None
        return self._embedder
