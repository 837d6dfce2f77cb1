import os
from collections.abc import Callable
from pathlib import Path

import pytest
from store_kit import HashEmbedder, find, found_texts, put

from capsa.chunkers import context
from capsa.chunkers.errors import StoreError
from capsa.store import keywords
from capsa.store.database import open_writing, transaction
from capsa.store.home import database_path
from capsa.store.repair import move_aside
from capsa.store.writer import Writer

DAMAGE = {
    "keyword rows": "DELETE FROM keywords_docsize WHERE id = 1",
    "keywords": "UPDATE keywords_data SET block = zeroblob(30) WHERE id > 10",
    "orphans": "DELETE FROM documents WHERE id = 1",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        put(writer, "/d/a.txt", "Alpha one.\n\nBeta two.", embedder)
        put(writer, "/d/b.txt", "Gamma three.", embedder)
        writer.publish()
    return tmp_path


def test_a_sound_home_has_no_findings(home: Path) -> None:
    with Writer.open(home) as writer:
        assert {finding.check for finding in writer.check()} >= {
            "database",
            "keywords",
            "vectors",
            "vector file",
        }
        assert all(finding.ok for finding in writer.check())


@pytest.mark.parametrize("check", DAMAGE)
def test_damage_is_found_and_mended(home: Path, check: str) -> None:
    connection = open_writing(database_path(home))
    with transaction(connection):
        connection.execute(DAMAGE[check])
    connection.close()
    with Writer.open(home) as writer:
        assert check in {finding.check for finding in writer.check() if not finding.ok}
        assert [finding for finding in writer.repair() if not finding.ok] == []
    assert found_texts(home, "gamma") == ["Gamma three."]
    assert find(home, "gamma", HashEmbedder(), retriever="dense").hits[0].text == "Gamma three."


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE blocks SET codes = substr(codes, 2)",
        "UPDATE blocks SET codes = substr(codes, 97)",
        "UPDATE blocks SET codes = x''",
        "UPDATE blocks SET ids = x'00'",
        "UPDATE blocks SET last = last + 1",
        "UPDATE blocks SET keys = substr(keys, 9)",
        "UPDATE blocks SET chunks = zeroblob(20)",
        "UPDATE blocks SET first_chunk = first_chunk + 1",
        "DELETE FROM blocks",
        "UPDATE codes SET code = x'00'",
        "DELETE FROM codes",
    ],
)
def test_damaged_codes_are_found_and_wait_to_be_made_anew(home: Path, damage: str) -> None:
    embedder = HashEmbedder()
    with Writer.open(home) as writer:
        put(writer, "/d/c.txt", "Delta four.", embedder)
        with transaction(writer._connection):
            writer._connection.execute(damage)
        assert next(finding.check for finding in writer.check() if not finding.ok) == "vectors"
        assert [finding for finding in writer.repair() if not finding.ok] == []
        lost = {b"/d/a.txt", b"/d/b.txt"} if "blocks" in damage else set()
        if "UPDATE blocks" not in damage:
            # Of blocks that are gone nobody knows whose vectors they held.
            lost |= {b"/d/c.txt"}
        assert {
            path for (path,) in writer._connection.execute("SELECT path FROM files WHERE pending")
        } == lost
        for name, text in (("a", "Alpha one.\n\nBeta two."), ("b", "Gamma three."), ("c", "Delta four.")):
            put(writer, f"/d/{name}.txt", text, embedder)
        assert writer.publish()
        assert [finding for finding in writer.check() if not finding.ok] == []
    assert find(home, "gamma", embedder, retriever="dense").hits[0].text == "Gamma three."
    assert find(home, "delta", embedder, retriever="dense").hits[0].text == "Delta four."


def test_a_search_in_damaged_codes_says_what_to_do(home: Path) -> None:
    with Writer.open(home) as writer, transaction(writer._connection):
        writer._connection.execute("UPDATE blocks SET codes = substr(codes, 2)")
    with pytest.raises(StoreError, match="capsa doctor --repair"):
        find(home, "gamma", HashEmbedder())


@pytest.mark.skipif(os.name == "nt", reason="modes are a matter of POSIX")
def test_open_modes_are_found_and_closed(home: Path) -> None:
    database_path(home).chmod(0o644)
    with Writer.open(home) as writer:
        assert "modes" in {finding.check for finding in writer.check() if not finding.ok}
        assert all(finding.ok for finding in writer.repair())
    assert database_path(home).stat().st_mode & 0o777 == 0o600


def test_a_database_beyond_repair_is_moved_aside(home: Path) -> None:
    data = bytearray(database_path(home).read_bytes())
    data[4096 * 2 : 4096 * 30] = bytes(4096 * 28)
    database_path(home).write_bytes(data)
    with pytest.raises(StoreError), Writer.open(home) as writer:
        writer.repair()
    assert move_aside(home).read_bytes() == bytes(data)
    with Writer.open(home) as writer:
        put(writer, "/d/a.txt", "Alpha again.")
    assert found_texts(home, "alpha") == ["Alpha again."]


@pytest.mark.parametrize("edit", [lambda text: f"{text} more", lambda text: text.upper()])
def test_other_keyword_texts_of_a_new_program_rebuild_the_index(
    home: Path, monkeypatch: pytest.MonkeyPatch, edit: Callable[[str], str]
) -> None:
    original = context.keyword_text
    monkeypatch.setattr(context, "keyword_text", lambda document, chunk: edit(original(document, chunk)))
    keywords.fingerprint.cache_clear()
    try:
        with Writer.open(home) as writer:
            writer.remove([b"/d/b.txt"])
            assert all(finding.ok for finding in writer.check())
        assert found_texts(home, "gamma alpha") == ["Alpha one."]
    finally:
        monkeypatch.undo()
        keywords.fingerprint.cache_clear()
