"""An evaluation corpus in a store of its own: the same writer, codes and searches that users get."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from capsa.chunkers.parsers import VERSION
from capsa.store.embedder import Embedder
from capsa.store.quantisers import Vectors
from capsa.store.records import Entry, Plan, Recipe, Stat
from capsa.store.writer import Writer

from .corpus import Chunking, Corpus, Item

_BATCH = 16  # documents in one transaction


def fill(
    home: Path,
    corpus: Corpus,
    chunking: Chunking,
    embedder: Embedder | None,
    code: str,
    step: Callable[[int], None],
) -> dict[int, Vectors]:
    """Write the corpus into a new store at ``home`` and return the float32 vectors by the store's keys.

    ``step`` is told the number of documents done.
    """
    kept: dict[int, Vectors] = {}
    recipe = Recipe(chunking.parser, VERSION, chunking.chunker)
    with Writer.open(home, embedder.model if embedder else None, code) as writer:
        source = writer.add_source(os.fsencode(corpus.root))
        for batch in _batches(corpus.items.values(), _BATCH):
            plans = [
                writer.plan(_entry(item, source.id), item.document, item.chunks, recipe) for item in batch
            ]
            embedded = list(_embedded(plans, embedder))
            writer.commit(embedded, durable=False)
            for plan, vectors in embedded:
                kept.update(
                    zip(plan.new_keys, vectors if vectors is not None else (), strict=vectors is not None)
                )
            step(len(batch))
        writer.publish()
    return kept


def _embedded(plans: Sequence[Plan], embedder: Embedder | None) -> Iterator[tuple[Plan, Vectors | None]]:
    if embedder is None:
        yield from ((plan, None) for plan in plans)
        return
    vectors = embedder.embed([text for plan in plans for text in plan.texts])
    first = 0
    for plan in plans:
        yield plan, vectors[first : first + len(plan.texts)]
        first += len(plan.texts)


def _entry(item: Item, source_id: int) -> Entry:
    stat = Stat.of(item.path.stat())
    return Entry(
        path=os.fsencode(item.path),
        uri=item.path.as_uri(),
        source_id=source_id,
        kind=item.document.kind,
        size=stat.size,
        mtime_ns=stat.mtime_ns,
        ctime_ns=stat.ctime_ns,
        inode=stat.inode,
        content_hash=blake2b(item.source.data, digest_size=16).digest(),
    )


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
