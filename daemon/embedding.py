"""Plans on their way to vectors: texts of many documents are embedded together, beside the parsing."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from capsa.store.embedder import Embedder
    from capsa.store.records import Plan

    Vectors = npt.NDArray[np.float32]

# Texts that go to the embedder together: less than a second of work, which is how long Ctrl-C may wait.
BATCH_TEXTS = 64
# Batches given away and not yet done: one that is worked on and one that waits.
AHEAD = 2

Embedded = tuple["Plan", "Vectors | None"]


class Embedding:
    """Collects plans, embeds their texts on a thread of its own, and gives them back with their vectors.

    ``open_embedder`` is called when the first text needs a vector; None from it means that no model is there.
    """

    def __init__(
        self, open_embedder: Callable[[], "Embedder | None"], batch_texts: int = BATCH_TEXTS
    ) -> None:
        self._open = open_embedder
        self._batch_texts = batch_texts
        self._embedder: Embedder | None = None
        self._opened = False
        self._waiting: list[Plan] = []
        self._texts = 0
        self._running: deque[tuple[list[Plan], Future[Vectors]]] = deque()
        self._thread = ThreadPoolExecutor(1, "embedding")
        self.embedded = 0

    def put(self, plan: "Plan") -> Iterator[Embedded]:
        """Take a plan; what has become ready comes out."""
        if not plan.texts or self._no_model():
            yield plan, None
            return
        self._waiting.append(plan)
        self._texts += len(plan.texts)
        if self._texts >= self._batch_texts:
            self._send()
        while self._running and (len(self._running) > AHEAD or self._running[0][1].done()):
            yield from self._collect()

    def drain(self) -> Iterator[Embedded]:
        """Embed what is left and give back everything."""
        self._send()
        while self._running:
            yield from self._collect()

    def finished(self) -> Iterator[Embedded]:
        """Give back what is ready now, without waiting; the rest is given up."""
        while self._running and self._running[0][1].done():
            yield from self._collect()

    def close(self) -> None:
        """End the thread after the batch that it works on."""
        self._thread.shutdown(cancel_futures=True)
        if self._embedder is not None:
            self._embedder.close()

    def _no_model(self) -> bool:
        if not self._opened:
            self._embedder, self._opened = self._open(), True
        return self._embedder is None

    def _send(self) -> None:
        if not self._waiting or self._embedder is None:
            return
        texts = [text for plan in self._waiting for text in plan.texts]
        self._running.append((self._waiting, self._thread.submit(self._embedder.embed, texts)))
        self._waiting, self._texts = [], 0

    def _collect(self) -> Iterator[Embedded]:
        plans, future = self._running.popleft()
        vectors = future.result()
        self.embedded += len(vectors)
        start = 0
        for plan in plans:
            end = start + len(plan.texts)
            yield plan, vectors[start:end]
            start = end
