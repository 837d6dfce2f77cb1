"""Vectors for pages of which only title and address are known, many at a time; it may stop between."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from capsa.store.history import waiting_count

from .progress import Show

if TYPE_CHECKING:
    from capsa.store.embedder import Embedder
    from capsa.store.writer import Writer

# A second of work: titles are short.
BATCH = 256


def embed_stubs(
    writer: "Writer",
    open_embedder: Callable[[], "Embedder"],
    show: Show,
    should_stop: Callable[[], bool] = lambda: False,
) -> int:
    """Give vectors to the pages that wait for them, and return how many got some.

    The model is opened when there is one to embed. UnavailableError when there is no model.
    """
    if not writer.history.waiting(1):
        return 0
    embedder = open_embedder()
    try:
        return _embed(writer, embedder, show, should_stop)
    finally:
        embedder.close()


def _embed(writer: "Writer", embedder: "Embedder", show: Show, should_stop: Callable[[], bool]) -> int:
    done, last = 0, 0
    total = waiting_count(writer.history.connection)
    while not should_stop() and (batch := writer.history.waiting(BATCH, after=last)):
        texts = [text for stub in batch for text in stub.texts]
        writer.history.give_vectors(batch, embedder.embed(texts))
        done, last = done + len(batch), batch[-1].document_id
        show("embedding", done / total)
    return done
