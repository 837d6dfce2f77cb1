from pathlib import Path

from store_kit import put

from capsa.store.owners import Owners
from capsa.store.reader import Reader
from capsa.store.writer import Writer


def test_chunks_are_told_from_others_by_their_documents(tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer:
        for number in (3, 1, 2):
            put(writer, f"/d/{number}.txt", f"river {number}\n\n" * 300)
        # Its chunks come after those of all documents that were put in later.
        put(writer, "/d/3.txt", "stone\n\n" * 900)
    with Reader.open(tmp_path) as reader:
        pairs = reader.connection.execute("SELECT id, document_id FROM chunks ORDER BY id").fetchall()
        owners = Owners(reader.connection)
        for wanted in ([pairs[0][1]], [pairs[-1][1], pairs[0][1]], [10**9]):
            expected = [chunk for chunk, document in pairs if document in wanted]
            assert owners.chunks_of(wanted).tolist() == expected


def test_an_empty_index_has_no_owners(tmp_path: Path) -> None:
    with Writer.open(tmp_path):
        pass
    with Reader.open(tmp_path) as reader:
        assert Owners(reader.connection).chunks_of([1]).tolist() == []
