import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import faiss
import numpy as np
import pytest
from store_kit import HashEmbedder, HashModel, find, put

from capsa.store import blocks, cache, faiss_file, meta
from capsa.store.database import transaction
from capsa.store.home import CACHES
from capsa.store.reader import Reader
from capsa.store.writer import Writer

WORDS = ["river", "stone", "cloud", "forest", "engine", "paper", "light", "harbour", "winter", "copper"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of 60 documents with a published file, and then two more that only SQLite has."""
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        for number in range(60):
            first, second = WORDS[number % 10], WORDS[(number * 7 + 3) % 10]
            put(writer, f"/d/{number}.txt", f"{first} {second} {number}", embedder)
        writer.publish()
        put(writer, "/d/late.txt", "river late", embedder)
        put(writer, "/d/1.txt", "copper edited", embedder)
    return tmp_path


def cache_file(home: Path) -> Path:
    [path] = home.glob(CACHES)
    return path


def dense(home: Path) -> list[list[tuple[int, float]]]:
    embedder = HashEmbedder()
    return [
        [(hit.chunk_id, hit.score) for hit in find(home, word, embedder, retriever="dense").hits]
        for word in WORDS
    ]


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)


def zero(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100:300] = bytes(200)
    path.write_bytes(data)


def replace_by_foreign(path: Path) -> None:
    index = faiss.IndexFlatIP(384)
    index.add(np.zeros((60, 384), dtype=np.float32))
    faiss.write_index(index, str(path))


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [truncate, flip, zero, replace_by_foreign, empty, Path.unlink])
def test_damage_is_seen_before_loading_and_changes_no_answer(
    home: Path, damage: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = dense(home)
    damage(cache_file(home))

    def must_not_load(data: object) -> None:
        raise AssertionError("a damaged file was given to FAISS")

    monkeypatch.setattr(faiss, "deserialize_index", must_not_load)
    assert dense(home) == expected
    notes = find(home, "river", HashEmbedder()).notes
    assert len(notes) == 1
    assert "rebuilt in memory" in notes[0]
    with Reader.open(home) as reader:
        assert [finding.check for finding in reader.check() if not finding.ok] == ["vector file"]
    monkeypatch.undo()
    with Writer.open(home) as writer:
        assert all(finding.ok for finding in writer.repair())
    assert dense(home) == expected
    assert find(home, "river", HashEmbedder()).notes == ()


def test_the_tail_is_replayed_from_the_database(home: Path) -> None:
    embedder = HashEmbedder()
    assert find(home, "river late", embedder, retriever="dense").hits[0].path == b"/d/late.txt"
    assert find(home, "copper edited", embedder, retriever="dense").hits[0].path == b"/d/1.txt"
    expected = dense(home)
    with Writer.open(home) as writer:
        assert writer.publish()
    assert dense(home) == expected
    assert len(list(home.glob(CACHES))) == 1


def test_a_crash_between_rename_and_record_leaves_the_old_file_in_use(home: Path) -> None:
    expected = dense(home)
    with Writer.open(home) as writer:
        ids, chunks, _ = blocks.read_windows(writer._connection)
        cache.write_cache(home, writer.model, meta.change(writer._connection), ids, chunks)
    assert len(list(home.glob(CACHES))) == 2
    assert dense(home) == expected
    with Writer.open(home) as writer:
        writer.publish()
    assert len(list(home.glob(CACHES))) == 1
    assert dense(home) == expected


def test_a_crash_within_publish_loses_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = dense(home)

    def die(*arguments: object) -> None:
        raise KeyboardInterrupt

    for name in ("write_cache", "record_cache", "delete_other_files"):
        with monkeypatch.context() as patch, Writer.open(home) as writer:
            patch.setattr(cache, name, die)
            with pytest.raises(KeyboardInterrupt):
                writer.publish(anew=True)
        assert dense(home) == expected


def test_a_file_of_another_model_is_not_loaded(home: Path) -> None:
    with Writer.open(home) as writer:
        record = cache.read_record(writer._connection)
        with transaction(writer._connection):
            cache.record_cache(writer._connection, replace(record, model="other"))
    notes = find(home, "river", HashEmbedder()).notes
    assert "another model" in notes[0]


def test_a_record_that_lies_about_the_count_is_noticed(home: Path) -> None:
    with Writer.open(home) as writer:
        record = asdict(cache.read_record(writer._connection)) | {"count": 59}
        with transaction(writer._connection):
            meta.put(writer._connection, "cache", json.dumps(record))
    assert "59" in find(home, "river", HashEmbedder()).notes[0]


def test_an_open_reader_follows_the_writer(home: Path) -> None:
    from capsa.store.records import Query
    from capsa.store.search import search

    embedder = HashEmbedder()
    query = Query("zebra quagga", retriever="dense", limit=1)
    with Reader.open(home) as reader, Writer.open(home) as writer:
        search(reader, query, embedder)
        put(writer, "/d/new.txt", "zebra quagga", embedder)
        assert search(reader, query, embedder).hits[0].path == b"/d/new.txt"
        writer.publish()
        assert search(reader, query, embedder).hits[0].path == b"/d/new.txt"
        writer.remove([b"/d/new.txt"])
        assert search(reader, query, embedder).hits[0].path != b"/d/new.txt"
        writer.publish()
        put(writer, "/d/newer.txt", "zebra quagga", embedder)
        assert search(reader, query, embedder).hits[0].path == b"/d/newer.txt"
        writer.change_model(HashModel("other", "f2"))
        assert "not those of hash" in search(reader, query, embedder).notes[0]


def test_the_checksum_is_that_of_the_file(home: Path) -> None:
    with Reader.open(home) as reader:
        record = cache.read_record(reader.connection)
    data = cache_file(home).read_bytes()
    assert (record.sha256, record.size) == (hashlib.sha256(data).hexdigest(), len(data))
    assert os.path.basename(cache_file(home)) == record.file


def contents(home: Path) -> tuple[np.ndarray, np.ndarray]:
    return faiss_file.read_contents(np.fromfile(cache_file(home), dtype=np.uint8))


def test_the_index_in_the_file_and_the_codes_in_the_database_are_a_faiss_index(home: Path) -> None:
    ids, _ = contents(home)
    index = faiss.read_index(str(cache_file(home)))
    with Reader.open(home) as reader:
        index.add_sa_codes(blocks.read_packed(reader.connection, index.sa_code_size()).rows)
        loaded = cache.read_cache(home, reader.connection, cache.read_record(reader.connection), reader.model)
    assert index.ntotal == len(ids) == 60
    assert faiss.vector_to_array(index.codes).tolist() == loaded.codes.ravel().tolist()
    assert loaded.ids.tolist() == ids.tolist()


def test_a_file_of_no_vectors_is_sound(home: Path) -> None:
    with Writer.open(home) as writer:
        writer.remove([b"/d/late.txt", *(f"/d/{number}.txt".encode() for number in range(60))])
        assert writer.publish()
        assert [finding for finding in writer.check() if not finding.ok] == []
    assert [len(each) for each in contents(home)] == [0, 0]


def test_the_file_knows_the_chunks_of_its_vectors(home: Path) -> None:
    with Reader.open(home) as reader:
        record = cache.read_record(reader.connection)
        index = cache.read_cache(home, reader.connection, record, reader.model)
        windows = blocks.read_windows(reader.connection)
    stored = dict(zip(windows.ids.tolist(), windows.chunks.tolist(), strict=True))
    pairs = dict(zip(index.ids.tolist(), index.chunks.tolist(), strict=True))
    assert len(pairs) == 60
    assert {key: pairs[key] for key in pairs.keys() & stored.keys()} == {
        key: stored[key] for key in pairs.keys() & stored.keys()
    }


def test_a_file_of_an_older_layout_is_rebuilt_and_then_replaced(home: Path) -> None:
    expected = dense(home)
    with Writer.open(home) as writer:
        writer.publish()
        record = asdict(cache.read_record(writer._connection))
        del record["layout"]
        with transaction(writer._connection):
            meta.put(writer._connection, "cache", json.dumps(record))
    assert "written by another capsa" in find(home, "river", HashEmbedder()).notes[0]
    assert dense(home) == expected
    with Writer.open(home) as writer:
        assert writer.publish()
    assert find(home, "river", HashEmbedder()).notes == ()
    assert dense(home) == expected


def test_every_flip_and_truncation_is_found_before_loading(
    home: Path, record_property: Callable[[str, int], None]
) -> None:
    with Reader.open(home) as reader:
        record, mark = cache.read_record(reader.connection), reader.model
    path = cache_file(home)
    whole = path.read_bytes()
    random = np.random.default_rng(5)
    damaged = []
    for place, bit in zip(random.integers(len(whole), size=1800), random.integers(8, size=1800), strict=True):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << bit
        damaged.append(bytes(flipped))
    damaged += [whole[:length] for length in random.integers(len(whole), size=200)]
    for data in damaged:
        path.write_bytes(data)
        with pytest.raises(cache.CacheError):
            cache.read_owners_of_file(home, record, mark)
    path.write_bytes(whole)
    assert len(cache.read_owners_of_file(home, record, mark)[0]) == 60
    record_property("damaged vector files found before loading", len(damaged))
