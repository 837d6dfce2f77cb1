"""What to tell a person whose search found nothing, or nothing with the words that were asked for."""

import os
from collections.abc import Callable, Iterator, Sequence

from capsa.store.records import Query, Results

from .targets import is_within
from .terminal import show_path


def advice(query: Query, results: Results, folders: Callable[[], Sequence[bytes]]) -> Iterator[str]:
    """The lines to tell; ``folders`` gives the indexed ones and is called only when nothing was found."""
    if results.hits:
        if query.retriever == "hybrid" and not any(hit.why.bm25 for hit in results.hits):
            yield "no document has these words; these passages are the nearest in meaning"
        return
    yield "nothing found"
    if not any(character.isalnum() for character in query.text):
        yield "the query has no word"
        return
    indexed = folders()
    if not indexed:
        yield "no folder is indexed; `capsa index FOLDER` adds one"
    elif query.folder is not None and not _meets(os.fsencode(query.folder), indexed):
        yield f"{show_path(query.folder)} is not indexed; `capsa sources list` shows what is"
    elif used := _filters(query):
        yield f"only what these filters let through was searched: {', '.join(used)}"


def _meets(folder: bytes, indexed: Sequence[bytes]) -> bool:
    return any(is_within(folder, root) or is_within(root, folder) for root in indexed)


def _filters(query: Query) -> list[str]:
    given = {
        "--kind": query.kinds,
        "--in": query.folder,
        "--site": query.site,
        "--since": query.since,
        "--until": query.until,
        "--language": query.language,
    }
    return [option for option, value in given.items() if value]
