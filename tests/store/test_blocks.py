"""Codes in blocks: nothing is lost or found twice, whatever is added, removed and published in what order."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_kit import HashEmbedder, put

from capsa.store import blocks, cache, coding, mending
from capsa.store.codes import CODES
from capsa.store.database import open_writing, transaction
from capsa.store.home import database_path
from capsa.store.packing import pack_numbers, unpack_numbers
from capsa.store.reader import Reader
from capsa.store.vectors import VectorIndex
from capsa.store.writer import Writer

SIZE = 4


def code(number: int) -> bytes:
    return number.to_bytes(SIZE, "big")


@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.integers(1, 12)),
            st.tuples(st.just("remove"), st.integers(1, 9)),
            st.tuples(st.just("pack"), st.just(0)),
        ),
        max_size=25,
    ),
    few=st.sampled_from([0, 16]),
)
@settings(max_examples=60)
def test_what_is_added_is_there_until_it_is_removed(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]], few: int
) -> None:
    random = np.random.default_rng(len(steps))
    connection = open_writing(tmp_path_factory.mktemp("blocks") / "capsa.sqlite")
    living: dict[int, int] = {}
    number = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "room", lambda size: 5)
        patch.setattr(blocks, "FEW", few)
        for what, count in steps:
            with transaction(connection, durable=False):
                if what == "add":
                    # A chunk for each two vectors.
                    for _ in range(count):
                        number += 1
                        coding.insert_vectors(connection, 1 + number // 2, [(number, code(number))])
                        living[number] = 1 + number // 2
                elif what == "remove":
                    for gone in random.permutation(sorted(living))[:count].tolist():
                        del living[gone]
                        coding.delete_vectors(connection, [gone])
                else:
                    assert blocks.pack(connection, SIZE).ids.tolist() == sorted(living)
                    assert blocks.packed_ids(connection).tolist() == sorted(living)
            check(connection, living)
        sizes = [len(unpack_numbers(each)) for (each,) in connection.execute("SELECT ids FROM blocks")]
        assert all(1 <= size <= 5 for size in sizes)
    connection.close()


def check(connection: sqlite3.Connection, living: dict[int, int]) -> None:
    """Every way to read finds just the living vectors, by id those of which chunk."""
    ids, chunks, codes = blocks.read_vectors(connection, SIZE)
    assert dict(zip(ids.tolist(), chunks.tolist(), strict=True)) == living
    assert [row.tobytes() for row in codes.rows] == [code(each) for each in ids.tolist()]
    windows = blocks.read_windows(connection)
    assert [column.tolist() for column in windows] == [ids.tolist(), chunks.tolist(), ids.tolist()]
    assert connection.execute(coding.COUNT).fetchone() == (len(living),)
    assert mending.unsound_blocks(connection, SIZE) == []
    wanted = sorted({*living.values()})[::2]
    packed = {}
    for found, last in blocks.packed_vectors(connection, wanted, {}):
        codes_of_block = blocks.packed_codes(connection, last)
        packed |= {vector.id: codes_of_block[vector.id] for vector in found}
    newer = {each for (each,) in connection.execute("SELECT id FROM codes")}
    of_wanted = {number for number, chunk in living.items() if chunk in wanted}
    assert packed == {number: code(number) for number in of_wanted - newer}


def test_ids_are_never_given_again_though_the_newest_are_gone(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        put(writer, "/d/a.txt", "Alpha.", embedder)
        writer.publish()
        writer.remove([b"/d/a.txt"])
        writer.publish()
        put(writer, "/d/b.txt", "Beta.", embedder)
        [(vector_id,)] = writer._connection.execute("SELECT id FROM codes").fetchall()
    assert vector_id == 2


def test_published_vectors_are_known_when_a_document_comes_again(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    text = "\n\n".join(f"Paragraph {number} of it." for number in range(30))
    with Writer.open(tmp_path, embedder.model) as writer:
        put(writer, "/d/a.txt", text, embedder)
        writer.publish()
        assert put(writer, "/d/copy.txt", text, embedder) == 0
        assert put(writer, "/d/a.txt", text.replace("Paragraph 3 ", "Another "), embedder) == 1
        writer.publish()
        assert [finding for finding in writer.check() if not finding.ok] == []
        assert writer._connection.execute("SELECT count(*) FROM codes").fetchone() == (0,)


def test_a_reader_that_knows_all_goes_on_with_its_index(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        put(writer, "/d/a.txt", "Alpha.", embedder)
        with Reader.open(tmp_path) as reader:

            def loaded() -> tuple[object, int]:
                with reader.snapshot():
                    index, _ = reader.vectors()
                assert isinstance(index, VectorIndex)
                return index, len(index)

            first = loaded()
            writer.publish()
            put(writer, "/d/b.txt", "Beta.", embedder)
            writer.remove([b"/d/a.txt"])
            assert loaded() == first
            put(writer, "/d/c.txt", "Gamma.", embedder)
            writer.publish()
            # It has not seen what was published, and loads it.
            again, count = loaded()
            assert again is not first[0]
            assert count == 2
            writer.publish(anew=True)
            assert loaded() == (again, 2)


def test_a_reader_of_an_older_state_is_not_disturbed_by_a_publishing(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        for number in range(20):
            put(writer, f"/d/{number}.txt", f"words {number}", embedder)
        writer.publish()
        with Reader.open(tmp_path) as reader, reader.snapshot():
            writer.remove([b"/d/3.txt"])
            put(writer, "/d/new.txt", "words anew", embedder)
            writer.publish()
            record = cache.read_record(reader.connection)
            assert reader.model is not None
            index, notes = cache.load_vectors(tmp_path, reader.connection, reader.model)
            assert record is not None
            assert len(index) == record.count == 20
            # Its file is gone, its codes are not.
            assert "rebuilt in memory" in notes[0]
        with Reader.open(tmp_path) as reader:
            index, notes = cache.load_vectors(tmp_path, reader.connection, reader.model)
        assert (len(index), notes) == (20, ())


@pytest.mark.parametrize("numbers", [[], [5], [1, 2, 3, 900], [7, 7, 3, 2**40]])
def test_packed_numbers_come_back(numbers: list[int]) -> None:
    assert unpack_numbers(pack_numbers(np.array(numbers, dtype=np.int64))).tolist() == numbers


def test_published_codes_take_little_beside_themselves(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    text = "\n\n".join(f"Paragraph {number}." for number in range(3000))
    with Writer.open(tmp_path, embedder.model) as writer:
        put(writer, "/d/a.txt", text, embedder)
        writer.publish()
    with Reader.open(tmp_path) as reader:
        found = reader.storage()["vectors"]
    assert isinstance(found, dict)
    # 25 KB of the file are the levels that FAISS keeps of the code.
    assert found["count"] == 3000
    assert (found["bytes"] - 25_000) / 3000 < 112
    assert database_path(tmp_path).exists()


@pytest.mark.parametrize("name", [name for name, code in CODES.items() if code.size(384) <= 96])
def test_a_block_fills_its_pages(tmp_path: Path, name: str) -> None:
    size, count = CODES[name].size(384), 20_000
    random = np.random.default_rng(1)
    ids = np.arange(1, count + 1)
    chunks, keys = np.sort(random.integers(1, count, count)), random.integers(-(2**62), 2**62, count)
    codes = random.integers(0, 255, (count, size), dtype=np.uint8)
    with closing(open_writing(tmp_path / "capsa.sqlite")) as connection:
        before = connection.execute("PRAGMA page_count").fetchone()[0]
        with transaction(connection, durable=False):
            blocks._put_behind(connection, blocks.Block(blocks.Windows(ids, chunks, keys), codes))
        pages = connection.execute("PRAGMA page_count").fetchone()[0] - before
    # Eight bytes of the hash, and about one of ids and of rows.
    assert size + 8 < 4096 * pages / count < size + 9.2
