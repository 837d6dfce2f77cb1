"""Connections to the one SQLite file: one that writes, any number that only read.

SQLite before 3.51.3 can lose a commit when two connections write or checkpoint a WAL at once
(https://sqlite.org/wal.html, "the WAL-reset bug"). Here exactly one connection ever does either: the
writer's, behind the writer's lock. Readers are opened read-only, never checkpoint and map no memory, so any
SQLite is safe.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from capsa.chunkers.errors import DamagedError, StoreError, UnavailableError

from .migrations import VERSION, migrate, refuse_newer, schema_version
from .private import write_file

# Pages of WAL between the writer's own checkpoints: 16 MB, so that a batch of documents is checkpointed at
# most once.
CHECKPOINT_PAGES = 4000
CACHE_KIB = 16_000
# Moving pages costs as much as writing them: not for a few.
FREE_SHARE = 0.01


def open_writing(path: Path) -> sqlite3.Connection:
    """Open, or create and migrate, the database for writing; the caller holds the writer's lock."""
    if path.exists():
        _check_version(path)
    else:
        # It appears with its tables, as readers may be waiting for it; SQLite gives its -wal and -shm files
        # the mode of the database.
        write_file(path, _new_database())
    with _told(path), ExitStack() as opened:
        connection = opened.enter_context(closing(sqlite3.connect(path, isolation_level=None, timeout=10)))
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        _limit_memory(connection)
        migrate(connection)
        opened.pop_all()
    return connection


def open_reading(path: Path) -> sqlite3.Connection:
    """Open the database read-only; any number of processes may, while one writes."""
    if not path.exists():
        raise _nothing_here(path)
    with _told(path), ExitStack() as opened:
        connection = opened.enter_context(closing(_connect_reading(path)))
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        _limit_memory(connection)
        refuse_newer(connection, path)
        if schema_version(connection) == 0:
            raise _nothing_here(path)
        if schema_version(connection) < VERSION:
            raise StoreError(f"{path}: written by an older capsa; `capsa index` brings it up to date")
        opened.pop_all()
    return connection


def is_older(path: Path) -> bool:
    """Say whether an older version wrote the database; a writing connection brings it up to date."""
    with _told(path), closing(_connect_reading(path)) as connection:
        return 0 < schema_version(connection) < VERSION


@contextmanager
def transaction(connection: sqlite3.Connection, durable: bool = True) -> Iterator[None]:
    """Run one write transaction, all or nothing.

    A durable one is on the disk when this returns; another may be lost, whole, to a power cut.
    """
    with _told(_path_of(connection)):
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Read from one state of the database until the block ends."""
    if connection.in_transaction:
        yield
        return
    with _told(_path_of(connection)):
        connection.execute("BEGIN")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")


def give_back_pages(connection: sqlite3.Connection) -> None:
    """Shorten the file when more than FREE_SHARE of it is free; later documents fill smaller gaps."""
    with _told(_path_of(connection)):
        free, pages = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count")
        )
        if free > pages * FREE_SHARE:
            # execute() would take one step of it, which is one page.
            connection.executescript("PRAGMA incremental_vacuum")


def cut_log(connection: sqlite3.Connection) -> bool:
    """Move the log into the database and empty it; False while a reader is in the way."""
    with _told(_path_of(connection)):
        busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return not busy


def _limit_memory(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.execute("PRAGMA mmap_size = 0")


def _new_database() -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        # Only an empty database takes it; without it only a whole VACUUM could give freed pages back.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        migrate(connection)
        return connection.serialize()


def _nothing_here(path: Path) -> UnavailableError:
    return UnavailableError(f"{path.parent}: nothing is indexed here yet; run `capsa index FOLDER`")


def _path_of(connection: sqlite3.Connection) -> Path:
    return Path(connection.execute("PRAGMA database_list").fetchone()[2])


def _connect_reading(path: Path) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, isolation_level=None, timeout=10)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error as error:
        connection.close()
        if not isinstance(error, sqlite3.OperationalError) or path.with_name(f"{path.name}-wal").exists():
            raise
        # On a medium that takes no -shm file a database without a WAL can still be read as unchanging.
        connection = sqlite3.connect(f"{uri}?immutable=1", uri=True, isolation_level=None)
    return connection


def _check_version(path: Path) -> None:
    with _told(path), closing(_connect_reading(path)) as connection:
        refuse_newer(connection, path)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        # Its subclasses tell of other troubles: locks, a full disk, a wrong statement.
        if type(error) is sqlite3.DatabaseError:
            raise DamagedError(f"{path}: {error}; `capsa doctor` tells what can be done") from error
        raise StoreError(f"{path}: {error}") from error
