"""The document of a page of which only title and address are known: one short chunk, written many at once."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING

import zstandard

from capsa.chunkers import context
from capsa.chunkers.model import Chunk, Document, Window
from capsa.chunkers.url_words import normal_words

from . import keywords
from .outline import Outline, dump_outline
from .records import PAGE, Entry, Plan, PlannedChunk, Recipe
from .rows import CHUNK_COLUMNS, document_values, file_values
from .stems import scrub
from .texts import LEVEL

if TYPE_CHECKING:
    from .committing import Committer

RECIPE = Recipe("history", "history/1", "page")
# Characters of a window: no script has more word pieces than characters, and the model reads 254 of them.
WINDOW = 250
# Of a title, or of the words of an address, in the text.
LONGEST_PART = 300
SOURCE = b"browser history"
"""The path of the source of all visited pages, which is no file."""
_NO_OUTLINE = dump_outline(Outline())


@dataclass(frozen=True, slots=True)
class Page:
    """A row of ``pages`` with what its document says; times are microseconds since 1970."""

    document_id: int
    uri: str
    title: str = ""
    url: str = ""
    titled_at: int = 0
    first: int | None = None
    last: int | None = None
    visits: int = 0
    told: int = 0
    kept_at: int | None = None
    tags: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All that there is to find the page by."""
        parts = (
            self.title[:LONGEST_PART],
            normal_words(self.uri)[:LONGEST_PART],
            ", ".join(self.tags),
            *self.folders,
        )
        return scrub("\n".join(part for part in parts if part)) or self.uri

    @property
    def dated(self) -> int:
        """The last visit, else when it was kept, else 0."""
        return self.last or self.kept_at or 0


PAGE_COLUMNS = (
    "d.id, d.uri, d.title, p.url, p.titled_at,"
    " p.first, p.last, p.visits, p.told, p.kept_at, p.tags, p.folders"
)


def read_page(row: Sequence[object]) -> Page:
    """Build the record from PAGE_COLUMNS; a document without a row in ``pages`` has the defaults."""
    document_id, uri, title, *rest, tags, folders = row
    if rest[0] is None:
        return Page(document_id, uri, title)  # type: ignore[arg-type]
    lists = [tuple(json.loads(str(names))) for names in (tags, folders)]
    return Page(document_id, uri, title, *rest, *lists)  # type: ignore[arg-type]


def put_page(connection: sqlite3.Connection, pages: Sequence[Page]) -> None:
    """Write rows of ``pages``."""
    connection.executemany(
        "INSERT OR REPLACE INTO pages (document_id, url, titled_at, first, last, visits, told, kept_at, tags,"
        " folders) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                *(page.document_id, page.url, page.titled_at, page.first, page.last, page.visits, page.told),
                *(page.kept_at, _dump(page.tags), _dump(page.folders)),
            )
            for page in pages
        ],
    )


def _dump(names: Sequence[str]) -> str:
    return json.dumps(names) if names else "[]"


def stub_plan(page: Page, source_id: int) -> Plan:
    """Return the page's document as it is committed over what there is of it, waiting for its vectors."""
    plan = _plan(page, source_id)
    document, planned = plan.document, plan.chunks[0]
    keys = tuple(map(keywords.hash64, context.embedding_texts(document, planned.chunk)))
    return replace(plan, chunks=(replace(planned, windows=keys),))


def _plan(page: Page, source_id: int) -> Plan:
    text = page.text
    document = Document(text, (), PAGE, title=scrub(page.title))
    chunk = Chunk(0, len(text), 0, windows=tuple(windows(text)), breadcrumb_end=0)
    crumb, body = columns = keywords.columns(document, chunk)
    planned = PlannedChunk(chunk, crumb, body, columns.key, ())
    entry = Entry(None, page.uri, source_id, PAGE, len(text), page.dated * 1000, 0, 0, _digest(text))
    return Plan(entry, document, (planned,), RECIPE, (), (), {})


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def windows(text: str) -> Iterator[Window]:
    """Cut the text at spaces into pieces that the model reads whole."""
    start = 0
    while len(text) - start > WINDOW:
        space = max(text.rfind(" ", start, start + WINDOW), text.rfind("\n", start, start + WINDOW))
        end = space if space > start else start + WINDOW
        yield Window(start, end)
        start = end
    yield Window(start, len(text))


def window_texts(text: str) -> list[str]:
    """Return what the model reads of a stub's text."""
    document = Document(text, (), PAGE)
    return context.embedding_texts(document, Chunk(0, len(text), 0, windows=tuple(windows(text))))


def insert_stubs(connection: sqlite3.Connection, pages: Sequence[Page], source_id: int, now: float) -> None:
    """Add the documents of pages that have none, under the ids that the pages name."""
    texts = [page.text for page in pages]
    columns = [_columns(page, text) for page, text in zip(pages, texts, strict=True)]
    numbers = [page.document_id for page in pages]
    chunks = range(first := next_id(connection, "chunks"), first + len(pages))
    _insert(connection, "documents", _document_rows(pages, texts, source_id, now))
    _insert(connection, "files", _file_rows(pages, texts, source_id))
    pack = zstandard.ZstdCompressor(level=LEVEL).compress
    connection.executemany(
        "INSERT INTO texts (document_id, start, blob) VALUES (?, 0, ?)",
        ((number, pack(text.encode())) for number, text in zip(numbers, texts, strict=True)),
    )
    connection.executemany(
        f"INSERT INTO chunks ({CHUNK_COLUMNS}) VALUES (?, ?, 0, ?, 0, 0, 0, NULL, NULL, ?)",
        (
            (chunk, number, len(text), row.key)
            for chunk, number, text, row in zip(chunks, numbers, texts, columns, strict=True)
        ),
    )
    keywords.insert_rows(connection, zip(chunks, columns, strict=True))


def _columns(page: Page, text: str) -> keywords.Columns:
    """What ``keywords.columns`` says of the page's only chunk, without making the records for it."""
    crumb = context.breadcrumb(scrub(page.title), ())
    return keywords.Columns(crumb, text.lstrip("\n") if crumb else text)


def _document_rows(
    pages: Sequence[Page], texts: Sequence[str], source_id: int, now: float
) -> Iterator[dict[str, object]]:
    # All pages share most of their columns.
    same = document_values(_plan(Page(0, ""), source_id), now, "-") | {"outline": _NO_OUTLINE}
    for page, text in zip(pages, texts, strict=True):
        yield same | {
            "id": page.document_id,
            "uri": page.uri,
            # Where a normalised address has its host.
            "site": page.uri.split("/", 3)[2].rsplit(":", 1)[0],
            "title": scrub(page.title),
            "modified": page.dated / 1e6,
            "characters": len(text),
        }


def _file_rows(pages: Sequence[Page], texts: Sequence[str], source_id: int) -> Iterator[dict[str, object]]:
    same = file_values(_plan(Page(0, ""), source_id).entry, "indexed", RECIPE.parser_version)
    for page, text in zip(pages, texts, strict=True):
        yield same | {
            "path": page.uri.encode(),
            "document_id": page.document_id,
            "size": len(text),
            "mtime_ns": page.dated * 1000,
            "content_hash": _digest(text),
            "pending": 1,
        }


def restore_stub(connection: sqlite3.Connection, committer: "Committer", document_id: int) -> bool:
    """Make a visited page its stub again when its last saved copy goes; False when it was never visited."""
    row = connection.execute(
        f"SELECT {PAGE_COLUMNS} FROM documents AS d JOIN pages AS p ON p.document_id = d.id WHERE d.id = ?",
        (document_id,),
    ).fetchone()
    if row is None:
        return False
    committer.put(stub_plan(read_page(row), history_source(connection)), {})
    return True


def history_source(connection: sqlite3.Connection) -> int:
    """Return the id of the source that visited pages are of, adding it when it is new."""
    found = "SELECT id FROM sources WHERE path = ?"
    row = connection.execute(found, (SOURCE,)).fetchone()
    if row is None:
        connection.execute(
            "INSERT INTO sources (kind, path, added_at) VALUES ('history', ?, strftime('%s', 'now'))",
            (SOURCE,),
        )
        row = connection.execute(found, (SOURCE,)).fetchone()
    source_id: int = row[0]
    return source_id


def next_id(connection: sqlite3.Connection, table: str) -> int:
    """Return the first id of the table that was never given."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return row[0] + 1 if row else 1


def _insert(connection: sqlite3.Connection, table: str, rows: Iterator[dict[str, object]]) -> None:
    first = next(rows, None)
    if first is not None:
        marks = ", ".join("?" * len(first))
        values = (tuple(row.values()) for row in chain([first], rows))
        connection.executemany(f"INSERT INTO {table} ({', '.join(first)}) VALUES ({marks})", values)
