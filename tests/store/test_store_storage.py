from pathlib import Path

import pytest
from store_kit import HashEmbedder, put

from capsa.store import storage
from capsa.store.home import database_path
from capsa.store.reader import Reader
from capsa.store.writer import Writer

PARTS = ("text", "keywords", "vectors", "metadata", "history", "log", "models", "evaluation", "daemon")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        for number in range(20):
            text = "\n\n".join(f"paragraph {number * 50 + line} of words" for line in range(50))
            put(writer, f"/d/{number}.txt", text, embedder)
        writer.publish()
    model = tmp_path / "models" / "own"
    model.mkdir(parents=True)
    (model / "model.onnx").write_bytes(b"x" * 1000)
    return tmp_path


def test_the_parts_add_up_to_the_files(home: Path) -> None:
    with Reader.open(home) as reader:
        report = reader.storage()
        kept = [path for path in home.rglob("*") if path.is_file() and path.suffix != ".sqlite-shm"]
        assert sum(report[part]["bytes"] for part in PARTS) == report["total"]["bytes"]
        shm = {path for path in kept if path.name.endswith("-shm")}
        assert report["total"]["bytes"] == sum(path.stat().st_size for path in set(kept) - shm)
    assert (report["schema"], report["documents"], report["chunks"]) == ("capsa.storage/1", 20, 1000)
    assert report["models"]["bytes"] == 1000
    assert (
        report["vectors"]["bytes"] == report["vectors"]["database_bytes"] + report["vectors"]["cache_bytes"]
    )
    assert 110 < report["vectors"]["bytes_per_chunk"] < 200


def test_without_dbstat_contents_are_summed_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Reader.open(home) as reader:
        exact = reader.storage()
        monkeypatch.setattr(storage, "DBSTAT", "SELECT name, pgsize FROM no_such_table")
        summed = reader.storage()
    assert (exact["exact"], summed["exact"]) == (True, False)
    assert summed["total"] == exact["total"]
    assert summed["vectors"]["bytes"] == pytest.approx(exact["vectors"]["bytes"], rel=0.15)
    assert 0 < summed["text"]["bytes"] <= exact["text"]["bytes"]
    assert 0 < summed["keywords"]["bytes"] <= exact["keywords"]["bytes"]


def test_shares_are_of_documents_chunks_and_files(home: Path) -> None:
    with Reader.open(home) as reader:
        report = reader.storage()
        assert (
            report["source"]["bytes"]
            == reader.connection.execute("SELECT sum(size) FROM files").fetchone()[0]
        )
    index, vectors = report["index"], report["vectors"]
    assert index["bytes_per_chunk"] == pytest.approx(index["bytes"] / 1000, abs=0.1)
    assert index["bytes_per_document"] == pytest.approx(index["bytes"] / 20, abs=0.1)
    assert report["source"]["index_to_source"] == pytest.approx(
        index["bytes"] / report["source"]["bytes"], abs=0.001
    )
    assert (vectors["code"], vectors["code_bytes"]) == ("pq96", 96)
    assert report["history"]["bytes"] > 0


def test_rows_are_small(home: Path) -> None:
    with Reader.open(home) as reader:
        size = (
            "SELECT sum(pgsize) FROM dbstat WHERE aggregate = 1 AND name IN ('chunks', 'chunks_by_document')"
        )
        assert reader.connection.execute(size).fetchone()[0] / 1000 < 60
    assert database_path(home).stat().st_size < 1_000_000


def test_the_file_shrinks_with_what_it_holds(home: Path) -> None:
    before = database_path(home).stat().st_size
    with Writer.open(home) as writer:
        writer.remove([f"/d/{number}.txt".encode() for number in range(15)])
        writer.publish()
        assert all(finding.ok for finding in writer.check() if finding.check != "modes")
    assert database_path(home).stat().st_size < before * 0.8
