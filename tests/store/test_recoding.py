from pathlib import Path

import numpy as np
import pytest
from store_kit import HashEmbedder, put

from capsa.chunkers.errors import StoreError
from capsa.store import cache
from capsa.store.blocks import read_vectors
from capsa.store.codes import CODES
from capsa.store.quantisers import open_quantiser
from capsa.store.reader import Reader
from capsa.store.recoding import NESTED
from capsa.store.records import Query
from capsa.store.search import search
from capsa.store.vectors import VectorIndex
from capsa.store.writer import Writer


def fill(home: Path, code: str, documents: int = 6) -> HashEmbedder:
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model, code) as writer:
        for number in range(documents):
            text = "\n\n".join(f"paragraph {number * 50 + line} of words" for line in range(20))
            put(writer, f"/d/{number}.txt", text, embedder)
        writer.publish()
    return embedder


def codes_of(home: Path) -> bytes:
    with Reader.open(home) as reader:
        mark = reader.model
        assert mark is not None
        return read_vectors(reader.connection, mark.code_size)[2].rows.tobytes()


@pytest.mark.parametrize(("old", "new"), [(old, new) for old, all_new in NESTED.items() for new in all_new])
def test_nested_codes_are_those_of_the_vectors_themselves(old: str, new: str) -> None:
    vectors = np.random.default_rng(1).normal(size=(500, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    larger, smaller = open_quantiser(old, 384), open_quantiser(new, 384)
    made = smaller.encode(larger.decode(larger.encode(vectors)))
    np.testing.assert_array_equal(made, smaller.encode(vectors))


@pytest.mark.parametrize("old", ["pq96", "float32"])
def test_a_recoded_home_is_one_that_was_filled_so(old: str, tmp_path: Path) -> None:
    embedder = fill(tmp_path / "a", old)
    fill(tmp_path / "b", "pq48")
    with Writer.open(tmp_path / "a") as writer:
        writer.recode("pq48")
        assert writer.publish()
        assert all(finding.ok for finding in writer.check() if finding.check != "modes")
    assert codes_of(tmp_path / "a") == codes_of(tmp_path / "b")
    found = []
    for home in ("a", "b"):
        with Reader.open(tmp_path / home) as reader:
            assert reader.model is not None
            assert reader.model.code == "pq48"
            hits = search(reader, Query("paragraph 42 of words"), embedder).hits
            found.append([(hit.chunk_id, round(hit.score, 4)) for hit in hits])
    assert found[0] == found[1]


def test_what_cannot_be_made_of_the_codes_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    fill(tmp_path, "pq48")
    before = codes_of(tmp_path)
    with Writer.open(tmp_path) as writer, pytest.raises(StoreError, match="pq96 cannot be made"):
        writer.recode("pq96")
    assert codes_of(tmp_path) == before


def test_an_error_on_the_way_leaves_the_old_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, "pq96")
    before = codes_of(tmp_path)
    monkeypatch.setattr("capsa.store.meta.put_mark", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with Writer.open(tmp_path) as writer, pytest.raises(OSError, match="full"):
        writer.recode("pq48")
    monkeypatch.undo()
    assert codes_of(tmp_path) == before


def test_a_reader_that_is_open_sees_the_home_that_was_taken_over(tmp_path: Path) -> None:
    embedder = fill(tmp_path / "old", "pq96")
    fill(tmp_path / "new", "pq32", documents=8)
    with Writer.open(tmp_path / "new") as writer:
        put(writer, "/d/one more.txt", "a zebra among the words", embedder)
        writer.publish()
    query = Query("a zebra among the words")
    with Reader.open(tmp_path / "old") as reader:
        assert search(reader, query, embedder).hits[0].title != "one more.txt"
        with Writer.open(tmp_path / "old") as writer:
            writer.take_over(tmp_path / "new")
            assert writer.model is not None
            assert writer.model.code == "pq32"
        found = search(reader, query, embedder)
        assert "zebra" in found.hits[0].text
        assert not found.notes
        record = cache.read_record(reader.connection)
    assert record is not None
    assert [path.name for path in (tmp_path / "old").glob("*.faiss")] == [record.file]


def test_nothing_kept_by_ids_outlives_a_taken_over_home(tmp_path: Path) -> None:
    """Both homes have the same number of changes, and the same ids for other chunks."""
    embedder = fill(tmp_path / "old", "pq96")
    fill(tmp_path / "new", "pq96")
    with Writer.open(tmp_path / "old") as old, Writer.open(tmp_path / "new") as new:
        for writer, text in ((old, "the lion sleeps"), (new, "a zebra that runs and runs")):
            put(writer, "/d/last.txt", text, embedder)
            writer.publish()
        with Reader.open(tmp_path / "old") as reader:
            for _ in range(2):
                with reader.snapshot():
                    ids = np.array([key for (key,) in reader.connection.execute("SELECT id FROM chunks")])
                    lengths = dict(reader.connection.execute("SELECT id, end - start FROM chunks"))
                    assert reader.lengths.of(ids).tolist() == [lengths[key] for key in ids.tolist()]
                    index, _ = reader.vectors()
                    assert isinstance(index, VectorIndex)
                    assert codes_of(tmp_path / "old") == index.codes.tobytes()
                old.take_over(tmp_path / "new")


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_searched_after_a_restart(code: str, tmp_path: Path) -> None:
    embedder = fill(tmp_path, code, documents=3)
    with Reader.open(tmp_path) as reader:
        found = search(reader, Query("paragraph 42 of words", retriever="dense"), embedder)
        index, notes = reader.vectors()
    assert found.hits
    assert not found.notes
    assert not notes
    assert index is not None
