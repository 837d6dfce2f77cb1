import sqlite3
from collections.abc import Iterator

import pytest

from capsa.store import postings
from capsa.store.postings import Postings

ROWS = 4000


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """Chunks of which all have "common", the first 500 "early", and one in a hundred "rare"."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE chunks (id INTEGER PRIMARY KEY)")
    connection.execute("CREATE VIRTUAL TABLE keywords USING fts5 (body, content = '')")
    for number in range(1, ROWS + 1):
        words = "common" + " early" * (number <= 500) + " rare" * (number % 100 == 0)
        connection.execute("INSERT INTO keywords (rowid, body) VALUES (?, ?)", (number, words))
        connection.execute("INSERT INTO chunks VALUES (?)", (number,))
    yield connection
    connection.close()


def test_words_of_very_many_chunks_are_counted_by_samples(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "LARGE", 1000)
    monkeypatch.setattr(postings, "COUNTED", 1000)
    monkeypatch.setattr(postings, "SAMPLE", 50)
    read = Postings(connection)
    assert read.count("common") == pytest.approx(ROWS, rel=0.02)
    # What lies together at one end is not taken to be everywhere.
    assert [read.count(word) for word in ("early", "rare", "absent")] == [500, ROWS // 100, 0]
    assert len(read.ids('"common"')) == read.count("common") == ROWS


def test_small_indexes_are_counted_exactly(connection: sqlite3.Connection) -> None:
    assert [Postings(connection).count(word) for word in ("common", "early", "rare")] == [ROWS, 500, 40]
