from pathlib import Path

import pytest
from store_kit import HashEmbedder, put

from capsa.chunkers.strategies import chunk
from capsa.chunkers.tokens import Tokenizer
from capsa.store.compared import bytes_per_character, characters_per_token, compare, count_naive, sample_texts
from capsa.store.models import DEFAULT, load_model, tokenizer_path
from capsa.store.reader import Reader
from capsa.store.writer import Writer

SENTENCE = "The keeper of the northern light wrote down every ship that passed the rocks before dawn. "


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    embedder = HashEmbedder()
    with Writer.open(folder, embedder.model) as writer:
        for number in range(4):
            put(writer, f"/d/{number}.txt", SENTENCE * (20 + 400 * number), embedder)
        writer.publish()
    return folder


def test_naive_chunks_are_those_that_the_strategy_cuts(home: Path) -> None:
    tokenizer = Tokenizer.from_file(tokenizer_path(load_model(home, DEFAULT)))
    with Reader.open(home) as reader:
        texts = [reader.texts.whole(row[0]) for row in reader.connection.execute("SELECT id FROM documents")]
        length = characters_per_token(sample_texts(reader.connection), tokenizer)
        naive = count_naive(reader.connection, length)
    from capsa.chunkers.model import Block, Document

    documents = [Document(text, (Block("paragraph", 0, len(text)),), "text") for text in texts]
    cut = sum(len(chunk(document, tokenizer, "fixed-overlap")) for document in documents)
    assert naive.chunks == pytest.approx(cut, abs=2)
    assert 0.1 < naive.repeated < 0.18


def test_larger_vectors_take_what_their_numbers_take(home: Path) -> None:
    path = tokenizer_path(load_model(home, DEFAULT))
    with Reader.open(home) as reader:
        storage = reader.storage()
        with reader.snapshot():
            compared = compare(reader.connection, storage, path)
    more = compared["float32_1024"]["bytes"] - compared["float32_384"]["bytes"]
    assert more == storage["vectors"]["count"] * 4 * (1024 - 384)
    naive = compared["naive"]["chunks"]
    assert compared["vectors_1024"]["bytes"] == naive * 4096
    assert compared["naive_1024"]["bytes"] - compared["naive_384"]["bytes"] == naive * 2560
    assert compared["naive_384"]["bytes"] > storage["text"]["characters"]


def test_nothing_to_sample_is_no_error() -> None:
    assert bytes_per_character([]) == 1.0
    assert bytes_per_character(["für"]) == pytest.approx(4 / 3)
