"""What each of the ten chunkers promises, on generated documents and on written ones."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capsa.chunkers.bind import find_groups
from capsa.chunkers.context import embedding_texts
from capsa.chunkers.errors import UsageError
from capsa.chunkers.model import Block, Chunk, Document
from capsa.chunkers.sentences import split
from capsa.chunkers.strategies import CHUNKERS, DEFAULT, chunk
from capsa.chunkers.strategies.structure_caption import LONGEST
from capsa.chunkers.tokens import Tokenizer

WINDOW = 64
BINDING = {name for name, strategy in CHUNKERS.items() if strategy.binds}
ALIGNED = ("sentence", "structure", "structure-caption", "structure-caption-overlap")

WORDS = st.sampled_from(
    [
        "the",
        "index",
        "of",
        "3.5",
        "Sec. 4(2)",
        "naïve",
        "漢字",
        "한국어",
        "https://a.b/c?d=e",
        "x" * 130,
        "e.g.",
        "\u200b",
        "e\u0301",
        "[a](http://b.c)",
        "<!-- c -->",
        "<b>bold</b>",
        "-----",
        "zqxjkv",
        "😀",
        "foo_bar",
    ]
)
SENTENCE = st.lists(WORDS, min_size=1, max_size=30).map(lambda words: "A " + " ".join(words) + ".")
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=5).map(" ".join)
TABLE = st.lists(st.lists(WORDS, min_size=2, max_size=3).map("\t".join), min_size=1, max_size=12).map(
    "\n".join
)
CODE = st.lists(st.sampled_from(["def f(x):", "    return x", "", "y = [1, 2]"]), max_size=12).map(
    lambda lines: "\n".join(["x = 1", *lines, "z"])
)
PARTS = st.one_of(
    st.tuples(st.just("paragraph"), PARAGRAPH),
    st.tuples(st.just("paragraph"), PARAGRAPH),
    st.tuples(st.just("list_item"), PARAGRAPH),
    st.tuples(st.just("heading"), st.lists(WORDS, min_size=1, max_size=4).map(" ".join)),
    st.tuples(st.just("table"), TABLE),
    st.tuples(st.just("code"), CODE),
    st.tuples(st.just("figure"), SENTENCE),
    st.tuples(st.just("caption"), SENTENCE.map(lambda text: f"Table 3. {text}")),
    st.tuples(st.just("furniture"), SENTENCE),
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text, blocks = draw(st.sampled_from(["", "\n "])), []
    for kind, body in draw(st.lists(PARTS, max_size=14)):
        header_end = len(text) + body.find("\n") if kind == "table" and "\n" in body else None
        level = draw(st.integers(1, 3)) if kind == "heading" else 0
        blocks.append(Block(kind, len(text), len(text) + len(body), level=level, header_end=header_end))  # type: ignore[arg-type]
        text += body + draw(st.sampled_from(["\n", "\n\n", "\n\n\n "]))
    return Document(
        text, tuple(blocks), draw(st.sampled_from(["html", "markdown", "code"])), title=draw(PARAGRAPH)
    )


def visible(text: str, start: int, end: int) -> set[int]:
    return {position for position in range(start, end) if not text[position].isspace()}


def body(document: Document) -> set[int]:
    kept = (block for block in document.blocks if block.kind != "furniture")
    return set().union(*(visible(document.text, block.start, block.end) for block in kept))


def covered(document: Document, spans: list[tuple[int, int]]) -> set[int]:
    return set().union(*(visible(document.text, start, end) for start, end in spans))


def cut(document: Document, tokenizer: Tokenizer, name: str, size: int) -> tuple[Chunk, ...]:
    return chunk(document, tokenizer, name, size, window=WINDOW)


generated = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
every = pytest.mark.parametrize("name", CHUNKERS)
sizes = st.sampled_from([16, 40, 100])
OVERLAPS = {"medium": 5, "advanced": 4, "recursive": 4}


def passed(document: Document) -> set[int]:
    """The characters of running heads inside of bound groups."""
    groups = find_groups(document)
    blocks = [block for group in groups for block in document.blocks[group.first : group.last]]
    return covered(document, [(block.start, block.end) for block in blocks if block.kind == "furniture"])


def pieces(document: Document, tokenizer: Tokenizer, name: str, size: int) -> tuple[Chunk, ...]:
    return chunk(document, tokenizer, name, size, OVERLAPS.get(name), window=WINDOW)


@every
@generated
@given(document=documents(), size=sizes)
def test_every_visible_character_of_the_body_is_in_a_chunk(
    name: str, document: Document, size: int, tokenizer: Tokenizer
) -> None:
    chunks = pieces(document, tokenizer, name, size)
    whole = covered(document, [(part.start, part.end) for part in chunks])
    assert whole == covered(document, [(part.core_start, part.end) for part in chunks])
    assert body(document) <= whole
    assert whole - body(document) <= (passed(document) if CHUNKERS[name].binds else set())


@every
@generated
@given(document=documents(), size=sizes)
def test_chunks_are_in_order_and_cores_are_disjoint(
    name: str, document: Document, size: int, tokenizer: Tokenizer
) -> None:
    chunks = pieces(document, tokenizer, name, size)
    assert chunks == pieces(document, tokenizer, name, size)
    assert all(part.start <= part.core_start < part.end for part in chunks)
    assert all(
        part.start == part.core_start or part.start > before.start for before, part in pairwise(chunks)
    )
    assert all(before.end <= part.core_start for before, part in pairwise(chunks))
    for part in chunks:
        first_line = document.text[part.start : part.end].split("\n")[0]
        assert first_line.strip()
        assert not document.text[part.end - 1].isspace()


@every
@generated
@given(document=documents(), size=sizes)
def test_only_bound_groups_are_longer_than_the_size(
    name: str, document: Document, size: int, tokenizer: Tokenizer
) -> None:
    index = tokenizer.index(document.text)
    bound = {
        (document.blocks[group.first].start, document.blocks[group.last - 1].end)
        for group in find_groups(document)
        if name in BINDING
    }
    for part in pieces(document, tokenizer, name, size):
        assert index.count(part.start, part.end) <= size or (part.start, part.end) in bound


@every
@generated
@given(document=documents(), size=sizes)
def test_windows_cover_their_chunk_and_fit_the_model(
    name: str, document: Document, size: int, tokenizer: Tokenizer
) -> None:
    for part in pieces(document, tokenizer, name, size):
        spans = [(window.start, window.end) for window in part.windows]
        begin = part.core_start if CHUNKERS[name].whole and spans[0][0] > part.start else part.start
        assert covered(document, spans) == visible(document.text, begin, part.end)
        assert all(part.start <= start < end <= part.end for start, end in spans)
        assert all(left[1] <= right[0] for left, right in pairwise(spans))
        for text in embedding_texts(document, part):
            assert tokenizer.count(text) <= WINDOW


@pytest.mark.parametrize("name", ALIGNED)
@generated
@given(document=documents(), size=sizes)
def test_no_sentence_is_cut_unless_it_is_longer_than_a_chunk(
    name: str, document: Document, size: int, tokenizer: Tokenizer
) -> None:
    index = tokenizer.index(document.text)
    edges = {edge for part in pieces(document, tokenizer, name, size) for edge in (part.start, part.end)}
    for block in document.blocks:
        if block.kind in ("paragraph", "list_item"):
            for start, end in split(document.text[block.start : block.end], document.language or "en"):
                inside = {edge for edge in edges if block.start + start < edge < block.start + end}
                assert not inside or index.count(block.start + start, block.start + end) > size


@pytest.mark.parametrize("name", sorted(BINDING))
@generated
@given(document=documents(), size=sizes)
def test_bound_groups_stay_whole(name: str, document: Document, size: int, tokenizer: Tokenizer) -> None:
    chunks = pieces(document, tokenizer, name, size)
    if document.kind != "code":
        for group in find_groups(document):
            start, end = document.blocks[group.first].start, document.blocks[group.last - 1].end
            assert any(part.core_start <= start and end <= part.end for part in chunks)


@every
@generated
@given(document=documents(), size=sizes)
def test_no_word_is_cut(name: str, document: Document, size: int, tokenizer: Tokenizer) -> None:
    index = tokenizer.index(document.text)
    for part in pieces(document, tokenizer, name, size):
        for edge in (part.start, part.end):
            around = document.text[max(edge - 1, 0) : edge + 1]
            if len(around) == 2 and around.isalnum() and around.isascii():
                word = re.search(r"\S*$", document.text[:edge])[0] + re.match(r"\S*", document.text[edge:])[0]  # type: ignore[index]
                assert len(word) > 100
    assert len(index) == len(index.starts)


TEXT = "One sentence is here. " * 3


def texts(document: Document, chunks: tuple[Chunk, ...]) -> list[str]:
    return [document.text[part.start : part.end] for part in chunks]


def test_a_heading_goes_with_what_follows(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    document = build(
        ("paragraph", "One sentence is here and it is long. " * 3),
        ("heading", "Next"),
        ("paragraph", "Two is here now."),
    )
    found = texts(document, chunk(document, tokenizer, "sentence", 29))
    assert found[-1].startswith("Next")
    assert not any(text.endswith("Next") for text in found)


def test_headings_without_a_body_join_the_next_section(
    build: Callable[..., Document], tokenizer: Tokenizer
) -> None:
    document = build(
        ("heading", "Book", {"level": 1}),
        ("heading", "Part", {"level": 2}),
        ("paragraph", TEXT.strip()),
        ("heading", "Other", {"level": 2}),
        ("paragraph", "Little."),
    )
    chunks = chunk(document, tokenizer)
    assert texts(document, chunks) == [f"Book\n\nPart\n\n{TEXT.strip()}", "Other\n\nLittle."]
    assert [part.headings for part in chunks] == [("Book", "Part"), ("Book", "Other")]


def test_a_list_stays_with_its_introduction(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    document = build(
        ("paragraph", "One sentence is here. These are the parts:"),
        ("list_item", "The first part is long enough."),
        ("list_item", "The second part is long enough."),
    )
    found = texts(document, chunk(document, tokenizer, "structure", 16))
    assert "These are the parts:\n\nThe first part is long enough." in found


def test_a_long_table_is_one_chunk_and_its_windows_repeat_caption_and_header(
    build: Callable[..., Document], tokenizer: Tokenizer
) -> None:
    rows = "\n".join(f"row {number}\t{number * 7}" for number in range(200))
    document = build(
        ("paragraph", TEXT.strip()),
        ("paragraph", "The table says it all."),
        ("caption", "Table 1. Sevens."),
        ("table", "name\tvalue\n" + rows, {"header": len("name\tvalue")}),
        ("paragraph", TEXT.strip()),
        title="Numbers",
    )
    chunks = chunk(document, tokenizer)
    assert [part.kind for part in chunks] == ["text", "table", "text"]
    table = chunks[1]
    assert document.text[table.start : table.end].startswith("The table says it all.")
    first, *others = embedding_texts(document, table)
    assert first.count("Table 1. Sevens.") == 1
    assert len(others) > 2
    for text in others:
        assert text.startswith("Numbers\nTable 1. Sevens.\nname value\nrow ")
    assert all(document.text[window.end - 1 : window.end + 1].endswith("\n") for window in table.windows[:-1])


def test_overlap_repeats_whole_sentences_and_no_table(
    build: Callable[..., Document], tokenizer: Tokenizer
) -> None:
    sentences = [f"Sentence number {number} is here." for number in range(40)]
    document = build(
        ("paragraph", " ".join(sentences)),
        ("paragraph", "See:"),
        ("table", "a\tb\nc\td"),
        ("paragraph", TEXT.strip()),
    )
    chunks = chunk(document, tokenizer, size=60)
    second = chunks[1]
    assert second.start < second.core_start
    assert document.text[second.start : second.core_start].strip() in " ".join(sentences)
    assert document.text[second.start :].startswith("Sentence")
    table = document.blocks[2]
    assert not any(table.start < part.start < table.end for part in chunks)
    assert all(part.start == part.core_start for part in chunks if part.core_start >= table.end)


def test_a_table_of_megabytes_is_cut_at_rows(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    document = build(("table", "a b\tc\n" * 4000 + "end"))
    chunks = chunk(document, tokenizer)
    index = tokenizer.index(document.text)
    assert len(chunks) == 3
    assert all(index.count(part.start, part.end) <= LONGEST for part in chunks)
    assert all(document.text[part.start : part.end].startswith("a b") for part in chunks)


def test_code_is_cut_at_blank_lines(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    function = "def f(x):\n    y = x + 1\n    return y"
    document = build(("code", "\n\n".join([function] * 20)), kind="code")
    for name in ("sentence", DEFAULT):
        assert all(text.startswith("def") for text in texts(document, chunk(document, tokenizer, name, 64)))


@every
def test_one_endless_word(name: str, build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    document = build(("paragraph", "a" * 3_000_000))
    chunks = chunk(document, tokenizer, name)
    assert chunks[0].start == 0
    assert chunks[-1].end == len(document.text)
    assert max(part.end - part.start for part in chunks) <= 512 * 200
    assert all(tokenizer.count(text) <= 254 for text in embedding_texts(document, chunks[-1]))


def test_pages_of_a_chunk(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    document = build(
        ("paragraph", "One.", {"page": 2}), ("paragraph", "Two.", {"page": 4}), ("paragraph", "Three.")
    )
    (part,) = chunk(document, tokenizer)
    assert (part.page_first, part.page_last) == (2, 4)


def test_advanced_finds_headings_by_their_text(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    document = build(
        ("paragraph", "CHAPTER II"),
        ("paragraph", TEXT.strip()),
        ("paragraph", "# Third"),
        ("paragraph", "C."),
    )
    chunks = chunk(document, tokenizer, "advanced")
    assert [part.headings for part in chunks] == [("CHAPTER II",), ("Third",)]


def test_empty_documents_have_no_chunks(tokenizer: Tokenizer) -> None:
    for name in CHUNKERS:
        assert chunk(Document("", (), "text"), tokenizer, name) == ()
        assert chunk(Document(" \n", (), "text"), tokenizer, name) == ()


def test_wrong_settings_are_named(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    document = build(("paragraph", "One."))
    for wrong in (
        {"strategy": "none"},
        {"strategy": "none:256"},
        {"strategy": "sentence:"},
        {"strategy": "sentence:12"},
        {"strategy": "sentence:-99"},
        {"strategy": "sentence:256:256"},
        {"size": 3},
        {"overlap": 400},
        {"overlap": -1},
        {"window": 5},
    ):
        with pytest.raises(UsageError):
            chunk(document, tokenizer, **wrong)  # type: ignore[arg-type]


def test_a_name_may_bring_its_size(build: Callable[..., Document], tokenizer: Tokenizer) -> None:
    document = build(("heading", "A"), *(("paragraph", TEXT) for _ in range(40)))
    for name in (DEFAULT, "sentence", "fixed-overlap"):
        named = chunk(document, tokenizer, f"{name}:128")
        assert named == chunk(document, tokenizer, name, 128)
        assert len(named) > len(chunk(document, tokenizer, name))
