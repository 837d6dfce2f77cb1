"""An index of an older version is brought up to date with everything in it."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from store_kit import HashEmbedder, HashModel, find, put

from capsa.store.blocks import read_vectors, read_windows
from capsa.store.database import open_writing
from capsa.store.home import database_path
from capsa.store.migrations import SCHEMA, VERSION, schema_version
from capsa.store.writer import Writer

Make = Callable[[Path], None]
OLD = Path(__file__).with_name("schemas") / "version_1.sql"


def old_database(path: Path, to_version_1: Make) -> None:
    """Write an index as version 1 did: its tables, with what it had room for."""
    with Writer.open(path, HashEmbedder().model) as writer:
        writer.add_source(b"/d")
        put(writer, "/d/a.txt", "Alpha and more of it.", HashEmbedder())
    to_version_1(database_path(path))


def shape(connection: sqlite3.Connection) -> dict[str, object]:
    """The columns of every table and view, and the words of everything else."""
    found: dict[str, object] = {}
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall():
        if kind == "table":
            found[name] = connection.execute(f"PRAGMA table_xinfo({name})").fetchall()
        else:
            found[name] = " ".join(sql.split()) if sql else ""
    return {name: value for name, value in found.items() if "sqlite_" not in name}


def from_script(script: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(script)
    return connection


def test_the_old_database_of_this_test_is_one(tmp_path: Path, to_version_1: Make) -> None:
    old_database(tmp_path, to_version_1)
    old, written = sqlite3.connect(database_path(tmp_path)), from_script(OLD.read_text(encoding="utf-8"))
    try:
        assert shape(old) == shape(written)
    finally:
        old.close()
        written.close()


def test_an_old_database_becomes_what_a_new_one_is_and_keeps_its_rows(
    tmp_path: Path, to_version_1: Make
) -> None:
    old_database(tmp_path, to_version_1)
    migrated = open_writing(database_path(tmp_path))
    written = from_script(SCHEMA.read_text(encoding="utf-8"))
    try:
        assert schema_version(migrated) == VERSION
        assert shape(migrated) == shape(written)
        assert migrated.execute("SELECT uri, scanned_pages FROM documents").fetchall() == [
            ("file:///d/a.txt", 0)
        ]
    finally:
        migrated.close()
        written.close()
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        assert all(finding.ok for finding in writer.check())
        assert put(writer, "/d/a.txt", "Alpha and more of it.", embedder) == 0


def test_the_vectors_of_an_old_database_are_found_though_their_file_is_gone(
    tmp_path: Path, to_version_1: Make
) -> None:
    old_database(tmp_path, to_version_1)
    # As version 3 had it.
    record = {"file": "vectors.1.faiss", "generation": 1, "sha256": "", "size": 1, "count": 1, "up_to": 1}
    with closing(sqlite3.connect(database_path(tmp_path))) as connection, connection:
        marks = json.dumps(record | {"model": HashModel().fingerprint, "code": "pq96", "layout": 3})
        connection.execute("INSERT INTO meta (name, value) VALUES ('cache', ?)", (marks,))
        connection.execute("INSERT INTO removed_vectors (id) VALUES (77)")
        codes = connection.execute("SELECT id, code FROM vectors").fetchall()
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        before = find(tmp_path, "alpha", embedder, retriever="dense")
        assert writer.publish()
        assert [finding for finding in writer.check() if not finding.ok] == []
        ids, _, packed = read_vectors(writer._connection, writer.model.code_size)
        assert dict(zip(ids.tolist(), map(bytes, packed.rows), strict=True)) == dict(codes)
        put(writer, "/d/b.txt", "Beta.", embedder)
        [newest] = writer._connection.execute("SELECT max(id) FROM codes").fetchone()
    after = find(tmp_path, "alpha", embedder, retriever="dense")
    assert [hits.hits[0].path for hits in (before, after)] == [b"/d/a.txt"] * 2
    assert before.notes == after.notes == ()
    assert newest == max(number for number, _ in codes) + 1


# The tables of vectors in version 4, with rows of this version put into them.
TO_VERSION_4 = """
ALTER TABLE codes RENAME TO codes_5;
ALTER TABLE blocks RENAME TO blocks_5;
DROP INDEX codes_by_chunk;
DROP INDEX blocks_by_chunk;
CREATE TABLE vectors (
    chunk_id INTEGER NOT NULL, key INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (chunk_id, key)
) WITHOUT ROWID;
CREATE TABLE codes (id INTEGER PRIMARY KEY AUTOINCREMENT, chunk_id INTEGER NOT NULL, code BLOB NOT NULL);
CREATE TABLE blocks (last INTEGER PRIMARY KEY, ids BLOB NOT NULL, codes BLOB NOT NULL);
INSERT INTO blocks SELECT last, ids, codes FROM blocks_5;
INSERT INTO codes SELECT id, chunk_id, code FROM codes_5;
INSERT INTO vectors SELECT chunk_id, key, id FROM codes_5;
DELETE FROM _sqlite_migrations WHERE name = 'm005_vectors_in_blocks';
PRAGMA user_version = 4;
"""


def test_published_vectors_of_version_4_are_kept_and_removed_ones_do_not_come_back(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        for number in range(9):
            put(writer, f"/d/{number}.txt", f"Words of number {number}.", embedder)
        writer.publish()
        put(writer, "/d/late.txt", "Late words.", embedder)
        writer.remove([b"/d/3.txt"])
        windows = read_windows(writer._connection)
        before = read_vectors(writer._connection, writer.model.code_size)
    with closing(sqlite3.connect(database_path(tmp_path))) as connection:
        connection.executescript(TO_VERSION_4)
        # The removed one is still in its block, and its row was gone.
        rows = zip(*(column.tolist() for column in (windows.chunks, windows.keys, windows.ids)), strict=True)
        connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)
        connection.executescript("DROP TABLE codes_5; DROP TABLE blocks_5;")
        connection.commit()
    with Writer.open(tmp_path, embedder.model) as writer:
        assert writer.publish()
        assert [finding for finding in writer.check() if not finding.ok] == []
        after = read_vectors(writer._connection, writer.model.code_size)
        assert put(writer, "/d/4.txt", "Words of number 4.", embedder) == 0
        put(writer, "/d/next.txt", "And the next.", embedder)
        [newest] = writer._connection.execute("SELECT max(id) FROM codes").fetchone()
    assert len(after[0]) == 9
    assert [each.tolist() for each in after[:2]] == [each.tolist() for each in before[:2]]
    assert after[2].rows.tolist() == before[2].rows.tolist()
    assert newest == 11


def test_vectors_made_with_a_codebook_of_before_are_made_anew(tmp_path: Path, to_version_1: Make) -> None:
    old_database(tmp_path, to_version_1)
    with closing(sqlite3.connect(database_path(tmp_path))) as connection, connection:
        connection.execute("INSERT INTO meta (name, value) VALUES ('codebook', x'00ff')")
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        assert writer.model is not None
        assert (writer.model.code, writer.model.codebook) == ("pq96", b"")
        assert writer._connection.execute("SELECT pending FROM files").fetchall() == [(1,)]
        assert put(writer, "/d/a.txt", "Alpha and more of it.", embedder) == 1
        assert [finding for finding in writer.check() if not finding.ok] == []
