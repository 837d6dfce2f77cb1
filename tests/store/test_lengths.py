from pathlib import Path

import numpy as np
import pytest
from store_kit import put

from capsa.store import keywordsearch
from capsa.store.querysyntax import parse_query
from capsa.store.reader import Reader
from capsa.store.writer import Writer


def _true(reader: Reader) -> dict[int, int]:
    return dict(reader.connection.execute("SELECT id, end - start FROM chunks"))


def test_lengths_follow_what_is_added_and_removed(tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer, Reader.open(tmp_path) as reader:
        put(writer, "a.txt", "one two three\n\nfour")
        for name, text in (("b.txt", "five"), ("a.txt", "six seven"), ("c.txt", "x " * 40_000)):
            with reader.snapshot():
                known = _true(reader)
                ids = np.array(list(known), dtype=np.int64)
                assert reader.lengths.of(ids).tolist() == [min(known[key], 65_535) for key in ids.tolist()]
            put(writer, name, text)


def test_of_chunks_with_the_same_words_the_short_ones_are_likelier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keywordsearch, "EXACT_ROWS", 3)
    with Writer.open(tmp_path) as writer:
        for number in range(30):
            filling = "word " * (5 if number % 10 == 3 else 100)
            put(writer, f"{number}.txt", f"apple pear {filling}{number}")
    with Reader.open(tmp_path) as reader, reader.snapshot():
        terms = parse_query("apple pear").optional
        known = _true(reader)
        three = sorted(known, key=lambda key: known[key])[:3]
        assert keywordsearch.likely_chunks(reader, terms) == sorted(three)
