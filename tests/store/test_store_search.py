import threading
from pathlib import Path

import pytest
from store_kit import DAY_NS, HashEmbedder, find, found_texts, make_chunks, make_document, make_entry, put

from capsa.store import keywordsearch
from capsa.store.fusion import FusionWeights
from capsa.store.reader import Reader
from capsa.store.records import Query
from capsa.store.search import search
from capsa.store.writer import Writer

CORPUS = {
    "accents": "Le café de la gare était fermé à Noël.",
    "chinese": "我们在北京大学学习中文。",
    "dotted": "Upgrade to version 1.0.21 before Monday.",
    "underscore": "Call foo_bar with std::vector and a-b.",
    "ligature": "The ofﬁce opens at nine.",
    "plain": "The committee organized an organization for universities.",
    "fox": "A quick brown fox jumps.",
    "other fox": "A brown quick fox sleeps.",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    embedder = HashEmbedder()
    with Writer.open(folder, embedder.model) as writer:
        for name, text in CORPUS.items():
            put(writer, f"/d/{name}.txt", text, embedder, title="")
        writer.publish()
    return folder


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("cafe", {"accents"}),
        ("CAFÉ", {"accents"}),
        ("cafe\u0301", {"accents"}),
        ("noel", {"accents"}),
        ("北京", {"chinese"}),
        ("中文", {"chinese"}),
        ("京北", set()),
        ("1.0.21", {"dotted"}),
        ("v1.0.21", {"dotted"}),
        ("foo_bar", {"underscore"}),
        ("bar", {"underscore"}),
        ("std::vector", {"underscore"}),
        ("vector<int>", {"underscore"}),
        ('"a-b"', {"underscore"}),
        ("office", {"ligature"}),
        ("o\u00adffice", {"ligature"}),
        ("organiz*", {"plain"}),
        ("universi*", {"plain"}),
        ('"quick brown"', {"fox"}),
        ("\u201cquick brown\u201d", {"fox"}),
        ("fox -sleeps", {"fox"}),
        ('fox -"quick brown"', {"other fox"}),
        ("jumping foxes", {"fox", "other fox"}),
        ("who is the fox", {"fox", "other fox"}),
        ("-fox", {"fox", "other fox"}),
        ("--committee", {"plain"}),
        ("NOT AND OR NEAR", set()),
    ],
)
def test_finds(home: Path, query: str, expected: set[str]) -> None:
    texts = found_texts(home, query, retriever="bm25")
    assert {name for name, text in CORPUS.items() if text in texts} == expected


@pytest.mark.parametrize("query", ["", " ", "\0", '"', '"" ""', "-", "*", "!!!", "🦊", "\ud800", "((("])
def test_a_query_without_a_word_finds_nothing(home: Path, query: str) -> None:
    assert find(home, query, HashEmbedder()).hits == ()


def test_excluded_words_are_not_in_dense_hits_and_required_ones_are(home: Path) -> None:
    embedder = HashEmbedder()
    assert CORPUS["other fox"] not in found_texts(home, "brown fox -sleeps", embedder, retriever="dense")
    assert found_texts(home, 'fox "quick brown"', embedder, retriever="dense") == [CORPUS["fox"]]


def test_hits_say_where_they_came_from(home: Path) -> None:
    [first, *_] = find(home, "quick brown fox jumps", HashEmbedder()).hits
    assert (first.text, first.rank) == (CORPUS["fox"], 1)
    assert first.why.bm25 is not None
    assert first.why.dense is not None
    assert (first.why.bm25.rank, first.why.dense.rank) == (1, 1)
    assert 0 < first.why.weight <= FusionWeights().most


def test_filters(tmp_path: Path) -> None:
    day = 1_700_000_000 * 10**9
    places = {
        "/d/one/a.txt": {"kind": "text", "mtime_ns": day},
        "/d/one/deep/b.md": {"kind": "markdown", "mtime_ns": day + DAY_NS},
        "/d/one-more/c.txt": {"kind": "text", "mtime_ns": day + 2 * DAY_NS},
        "/w/page": {"kind": "html", "path": None, "uri": "https://docs.example.org/x", "mtime_ns": day},
        "/w/other": {"kind": "html", "path": None, "uri": "https://badexample.org/x", "mtime_ns": day},
    }
    with Writer.open(tmp_path) as writer:
        for place, changes in places.items():
            put(writer, place, f"needle in {place}", **changes)
        german = make_document("needle deutsch")
        german = type(german)(german.text, german.blocks, "text", language="de")
        plan = writer.plan(make_entry("/g/d.txt", german.text), german, make_chunks(german))
        writer.commit([(plan, None)])

    def names(**filters: object) -> set[str]:
        return {text.split()[-1] for text in found_texts(tmp_path, "needle", **filters)}

    assert names(folder="/d/one") == {"/d/one/a.txt", "/d/one/deep/b.md"}
    assert names(folder=b"/d/one/") == {"/d/one/a.txt", "/d/one/deep/b.md"}
    assert names(folder="/d/one/a.txt") == {"/d/one/a.txt"}
    assert names(folder="/") >= {"/d/one/a.txt", "/d/one-more/c.txt"}
    assert names(kinds=("markdown", "html")) == {"/d/one/deep/b.md", "/w/page", "/w/other"}
    assert names(site="example.org") == {"/w/page"}
    assert names(site="docs.example.org") == {"/w/page"}
    assert names(language="de") == {"deutsch"}
    seconds = day / 1e9
    assert names(folder="/d", since=seconds + 86_400) == {"/d/one/deep/b.md", "/d/one-more/c.txt"}
    assert names(folder="/d", until=seconds) == {"/d/one/a.txt"}
    assert names(folder="/nowhere") == set()


@pytest.mark.parametrize("retriever", ["bm25", "dense", "hybrid"])
def test_a_filter_to_one_of_many_finds_it(tmp_path: Path, retriever: str) -> None:
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        text = "\n\n".join(f"common words number {number}" for number in range(2500))
        for name in range(2):
            put(writer, f"/d/{name}.txt", text, embedder)
        put(writer, "/e/rare.txt", "common words and a good deal more of other things", embedder)
    found = found_texts(tmp_path, "common words number 7", embedder, folder="/e", retriever=retriever)
    assert found == ["common words and a good deal more of other things"]


def test_costly_queries_are_ranked_as_cheap_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Writer.open(tmp_path) as writer:
        for name in range(60):
            lines = (f"{'apple ' * (n % 3)}{'pear ' * (n % 5)}plum {n}" for n in range(10))
            put(writer, f"/d{name % 2}/{name}.txt", "\n\n".join(lines))
    queries = [{}, {"folder": "/d0"}, {"folder": "/d1"}]
    exact = [_ids(tmp_path, "apple pear plum", **filters) for filters in queries]
    monkeypatch.setattr(keywordsearch, "DIRECT_ROWS", 0)
    monkeypatch.setattr(keywordsearch, "FEW_DOCUMENTS", 0)
    monkeypatch.setattr(keywordsearch, "EXACT_ROWS", 600)
    assert [_ids(tmp_path, "apple pear plum", **filters) for filters in queries] == exact
    monkeypatch.setattr(keywordsearch, "COMMON_ROWS", 10)
    assert len(_ids(tmp_path, "apple pear plum")) == len(exact[0])


def test_the_same_text_is_shown_once(tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer:
        for name in "abc":
            put(writer, f"/d/{name}.txt", f"The very same needle.\n\nOwn words of {name}: needle.")
    texts = found_texts(tmp_path, "needle")
    assert len(texts) == len(set(texts)) == 4


def test_several_windows_of_a_chunk_are_one_hit(tmp_path: Path) -> None:
    from capsa.chunkers.model import Chunk, Window

    text = "needle one two three four five six seven eight nine needle ten"
    windows = tuple(Window(start, start + 20) for start in range(0, 42, 20))
    chunk = Chunk(0, len(text), 0, windows=windows)
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        plan = writer.plan(make_entry("/d/a.txt", text), make_document(text), [chunk])
        assert len(plan.texts) == 3
        writer.commit([(plan, embedder.embed(plan.texts))])
    assert found_texts(tmp_path, "needle", embedder, retriever="dense") == [text]


def test_a_chunk_of_a_huge_document_is_read_across_parts(tmp_path: Path) -> None:
    text = "\n\n".join(f"paragraph {number} " + "filling é " * 2000 for number in range(12))
    with Writer.open(tmp_path) as writer:
        put(writer, "/d/a.txt", text)
    for hit in find(tmp_path, "paragraph", limit=12).hits:
        assert hit.text == text[hit.start : hit.end]


def test_one_reader_a_thread(home: Path) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            with Reader.open(home) as reader:
                for _ in range(20):
                    assert search(reader, Query("quick fox"), HashEmbedder()).hits
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_megabyte_of_query_is_answered(home: Path) -> None:
    assert find(home, "fox " * 250_000).hits
    assert find(home, " ".join(f"word{n}" for n in range(100_000)) + " fox").hits == ()
    assert find(home, "".join(chr(97 + n % 26) for n in range(1_000_000)), HashEmbedder()).hits


def _ids(home: Path, text: str, **filters: object) -> list[int]:
    return [hit.chunk_id for hit in find(home, text, limit=50, **filters).hits]
