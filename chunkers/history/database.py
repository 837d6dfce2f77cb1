"""Reading the SQLite database of a browser: what a schema declares, and the safe way to ask it.

The file must be a private copy, with its log beside it, and an empty file with the suffix SHARED, which
SQLite makes itself where there is a log and no such file. Nothing here writes.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from ..errors import ParseError
from .model import Bad, Bookmark, Meter, Record, Records, Visit
from .times import Clock

MAGIC = b"SQLite format 3\0"
# Suffixes of a database's log, and of the map of it that several programs share.
LOG, SHARED = "-wal", "-shm"
# For a file that somebody made: trust nothing in its schema, check its pages, map none of them.
_PRAGMAS = (
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "query_only = ON",
    "mmap_size = 0",
    "temp_store = MEMORY",
    "cache_size = -16000",
)
# Of one value, in bytes: a page kept as an address (data:) may take megabytes.
_LONGEST = 64 << 20
# Joins names of tags in a row; no name has it.
JOINT = "\x1f"

Columns = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Schema:
    """What the databases of one browser family hold.

    ``needs`` are the tables and columns it is known by. ``visits`` gives rows of url, title, time, count,
    device; ``bookmarks`` rows of url, title, time, folder, tags (see JOINT); "" for none. Both are given the
    columns that there are, since versions differ. ``mark`` stands near the beginning of the file.
    """

    name: str
    browser: str
    needs: Columns
    mark: bytes
    clock: Clock
    counted: str
    visits: Callable[[Columns], tuple[str, ...]]
    bookmarks: Callable[[Columns], str] = lambda _: ""

    def fits(self, columns: Columns) -> bool:
        """Whether a database with these columns is one of them."""
        return not self.missing(columns)

    def missing(self, columns: Columns) -> list[str]:
        """Return the needed columns that a database lacks, as ``table.column``."""
        lacks = ((table, names - columns.get(table, frozenset())) for table, names in self.needs.items())
        return sorted(f"{table}.{name}" for table, names in lacks for name in names)

    def read(self, connection: sqlite3.Connection, columns: Columns, meter: Meter) -> Records:
        """Yield what the database holds; one damaged further on yields what can be read of it, then Bad."""
        try:
            meter.total = connection.execute(f"SELECT count(*) FROM {self.counted}").fetchone()[0]
            for query in self.visits(columns):
                for row in connection.execute(query):
                    meter.done += 1
                    yield self._visit(row)
            bookmarks = self.bookmarks(columns)
            for row in connection.execute(bookmarks) if bookmarks else ():
                yield self._bookmark(row)
        except sqlite3.DatabaseError as error:
            yield Bad("damaged", f"the database cannot be read further: {error}")

    def _visit(self, row: tuple[object, ...]) -> Record:
        url, title, time, count, device = row
        when = _number(time)
        if when is None:
            return Bad("date", f"a visit without a date: {as_text(url)[:200]}")
        told = count if isinstance(count, int) else 1
        return Visit(as_text(url), as_text(title), self.clock(when), max(told, 1), as_text(device))

    def _bookmark(self, row: tuple[object, ...]) -> Record:
        url, title, time, folder, tags = row
        number = _number(time)
        when = self.clock(number) if number else None
        names = tuple(name for name in as_text(tags).split(JOINT) if name)
        return Bookmark(as_text(url), as_text(title), when, names, as_text(folder))


@dataclass(frozen=True, slots=True)
class Database:
    """An open database and the schema it has."""

    connection: sqlite3.Connection
    columns: Columns
    schema: Schema


def open_database(path: Path, schemas: tuple[Schema, ...]) -> Database:
    """Open a private copy for reading and find its schema; ParseError when it is damaged or has none."""
    with ExitStack() as opened:
        connection = opened.enter_context(closing(_connect(path)))
        try:
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            columns = _columns(connection)
        except sqlite3.DatabaseError as error:
            raise ParseError("damaged", f"the database is damaged, cut off or encrypted: {error}") from error
        schema = next((each for each in schemas if each.fits(columns)), None)
        if schema is None:
            raise ParseError("not-a-history", _strangeness(columns, schemas))
        opened.pop_all()
    return Database(connection, columns, schema)


def read_database(path: Path, schemas: tuple[Schema, ...], meter: Meter) -> Iterator[Record]:
    """Yield what a private copy holds."""
    database = open_database(path, schemas)
    with closing(database.connection):
        yield from database.schema.read(database.connection, database.columns, meter)


def as_text(value: object) -> str:
    """Return what a column holds as text, whatever its type."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _connect(path: Path) -> sqlite3.Connection:
    # With a log SQLite keeps its map of it in memory (readonly_shm); without one it would make an empty log.
    log = path.with_name(f"{path.name}{LOG}")
    logged = log.exists() and log.stat().st_size > 0
    uri = f"{path.absolute().as_uri()}?mode=ro&{'readonly_shm=1' if logged else 'immutable=1'}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    return connection


def _columns(connection: sqlite3.Connection) -> Columns:
    # A view could stand for anything, so only tables count.
    rows = connection.execute(
        "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c"
        " WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%'"
    )
    found: dict[str, set[str]] = {}
    for table, column in rows:
        found.setdefault(table, set()).add(column)
    return {table: frozenset(names) for table, names in found.items()}


def _strangeness(columns: Columns, schemas: tuple[Schema, ...]) -> str:
    """Say what a database is that no schema fits: nearly one of them, or something else."""
    near = [schema for schema in schemas if schema.needs.keys() <= columns.keys()]
    if near:
        schema = min(near, key=lambda each: len(each.missing(columns)))
        lacks = ", ".join(schema.missing(columns))
        return f"a {schema.name} database of a version that is not known: it lacks {lacks}"
    tables = ", ".join(sorted(columns)[:5])
    return f"a database, but of no browser that is known (its tables: {tables or 'none'})"


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and value == value and abs(value) < 1e19:
        return value
    try:
        return float(value) if isinstance(value, str) and len(value) < 30 else None
    except ValueError:
        return None
