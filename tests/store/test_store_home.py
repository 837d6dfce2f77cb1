import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlite_utils import Database
from store_kit import HashEmbedder, found_texts, put

from capsa.chunkers.errors import StoreError, UnavailableError
from capsa.store import home as homes
from capsa.store.database import open_writing
from capsa.store.migrations import SCHEMA, VERSION, migrate, migrations
from capsa.store.reader import Reader
from capsa.store.writer import Writer

COMMIT_AND_DIE = """
import os
import sys
from pathlib import Path
from capsa.store.writer import Writer
from store_kit import HashEmbedder, put
embedder = HashEmbedder()
writer = Writer.open(Path(sys.argv[1]), embedder.model)
put(writer, "/d/a.txt", "Alpha.", embedder)
writer.publish()
put(writer, "/d/b.txt", "Beta.", embedder)
os.abort()
"""
ROOT = Path(__file__).parents[2]
HOLD_LOCK = """
import sys
from pathlib import Path
from capsa.store.writer import Writer
with Writer.open(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_the_home_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CAPSA_HOME", str(tmp_path / "here"))
    assert homes.home_folder() == tmp_path / "here"
    monkeypatch.delenv("CAPSA_HOME")
    assert homes.home_folder().name == "capsa"


@pytest.mark.skipif(os.name == "nt", reason="modes are a matter of POSIX")
def test_only_the_user_may_read(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(tmp_path / "home", embedder.model) as writer:
        put(writer, "/d/a.txt", "Alpha.", embedder)
        writer.publish()
        put(writer, "/d/b.txt", "Beta.", embedder)
        files = list((tmp_path / "home").iterdir())
        assert {file.suffix for file in files} >= {".sqlite", ".sqlite-wal", ".faiss", ".lock"}
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_a_second_writer_is_refused_while_readers_read(tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer:
        put(writer, "/d/a.txt", "Alpha.")
        with pytest.raises(StoreError, match="another capsa is writing"):
            Writer.open(tmp_path)
        assert found_texts(tmp_path, "alpha") == ["Alpha."]
    with Writer.open(tmp_path):
        pass


def test_the_lock_of_a_killed_writer_is_free(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD_LOCK, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == b"open"
        with pytest.raises(StoreError, match="another capsa is writing"):
            Writer.open(tmp_path)
        child.kill()
    with Writer.open(tmp_path):
        assert (tmp_path / homes.LOCK).exists()


@pytest.mark.skipif(os.name == "nt", reason="what POSIX lets children inherit")
def test_a_child_that_outlives_a_killed_writer_does_not_keep_its_lock(tmp_path: Path) -> None:
    script = HOLD_LOCK.replace(
        'print("open"', 'import subprocess; subprocess.Popen(["sleep", "600"], close_fds=False); print("open"'
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        start_new_session=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == b"open"
        child.kill()
        child.wait()
        try:
            with Writer.open(tmp_path):
                pass
        finally:
            os.killpg(child.pid, signal.SIGKILL)


def test_what_was_committed_outlives_a_killed_writer(tmp_path: Path) -> None:
    script = f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n{COMMIT_AND_DIE}"
    child = subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, check=False)
    assert child.returncode != 0
    embedder = HashEmbedder()
    assert found_texts(tmp_path, "Beta.", embedder, retriever="dense")[0] == "Beta."
    with Writer.open(tmp_path, embedder.model) as writer:
        assert all(finding.ok for finding in writer.check())
        assert put(writer, "/d/b.txt", "Beta.", embedder) == 0


def test_a_reader_without_an_index_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="capsa index"):
        Reader.open(tmp_path)


def test_a_database_appears_with_its_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def watched(connection: sqlite3.Connection) -> None:
        seen.append(homes.database_path(tmp_path).exists())
        migrate(connection)

    monkeypatch.setattr("capsa.store.database.migrate", watched)
    with Writer.open(tmp_path), Reader.open(tmp_path) as reader:
        assert reader.connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)
    assert seen[0] is False


def test_an_empty_file_in_its_place_is_filled(tmp_path: Path) -> None:
    homes.database_path(tmp_path).touch(mode=0o600)
    with pytest.raises(UnavailableError, match="nothing is indexed here yet"):
        Reader.open(tmp_path)
    with Writer.open(tmp_path), Reader.open(tmp_path) as reader:
        assert reader.counts().documents == 0


def test_a_newer_schema_is_refused_and_untouched(tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer:
        put(writer, "/d/a.txt", "Alpha.")
    path = homes.database_path(tmp_path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    for opener in (Writer, Reader):
        with pytest.raises(StoreError, match="newer capsa"):
            opener.open(tmp_path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_an_error_with_its_name(tmp_path: Path) -> None:
    homes.database_path(tmp_path).write_bytes(b"not a database, whatever its name says" * 100)
    for opener in (Writer, Reader):
        with pytest.raises(StoreError, match=r"capsa\.sqlite"):
            opener.open(tmp_path)


def test_the_migrations_make_what_the_schema_file_says(tmp_path: Path) -> None:
    made = open_writing(tmp_path / "made.sqlite")
    written = sqlite3.connect(":memory:")
    written.executescript(SCHEMA.read_text(encoding="utf-8"))
    try:
        assert _objects(made) == _objects(written)
    finally:
        made.close()
        written.close()


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path) -> None:
    steps = migrations()

    @steps()
    def m999_breaks(db: Database) -> None:
        db.conn.execute("CREATE TABLE half (id INTEGER)")
        raise ZeroDivisionError

    connection = sqlite3.connect(tmp_path / "x.sqlite", isolation_level=None)
    try:
        with pytest.raises(ZeroDivisionError):
            steps.apply(Database(connection, execute_plugins=False))
        names = {name for _, name in _objects(connection)}
        assert "documents" in names
        assert "half" not in names
    finally:
        connection.close()


def test_opening_again_writes_nothing(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        writer.add_source(b"/d")
        put(writer, "/d/a.txt", "Alpha.", embedder)
        writer.publish()
    before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.iterdir()}
    with Writer.open(tmp_path, embedder.model) as writer:
        writer.add_source(b"/d")
        assert not writer.publish()
    after = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.iterdir()}
    assert after == before


def _objects(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    rows = connection.execute("SELECT type, name FROM sqlite_master")
    return {(kind, name) for kind, name in rows if not name.startswith(("_sqlite", "idx__sqlite", "sqlite"))}


def test_the_log_that_a_reader_kept_is_emptied_when_it_has_gone(tmp_path: Path) -> None:
    home, embedder = tmp_path / "home", HashEmbedder()
    log = home / "capsa.sqlite-wal"
    with Writer.open(home, embedder.model) as writer:
        put(writer, "first.txt", "The quokka sleeps.", embedder)
        with Reader.open(home) as reader, reader.snapshot():
            assert reader.counts().documents == 1
            for number in range(20):
                put(writer, f"{number}.txt", f"The wombat {number} digs. " * 200, embedder)
            writer.publish()
            kept = log.stat().st_size
            assert kept > 0
            assert reader.counts().documents == 1
        put(writer, "last.txt", "The cuscus climbs.", embedder)
        writer.publish()
        assert log.stat().st_size < kept
