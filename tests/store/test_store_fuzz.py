"""Any query has an answer; any history of a home leaves the same index as a fresh one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_kit import HashEmbedder, make_entry, put

from capsa.store.reader import Reader
from capsa.store.records import Query
from capsa.store.search import search
from capsa.store.writer import Writer

SYNTAX = st.text(alphabet='ab é北_-"*:()^{}+.~\0\ud800 ANDORNEAR', max_size=40)
WORDS = ["alpha", "beta", "gamma", "running", "runs", "naïve", "東京", "foo_bar", "1.0.2", "\ud800lone"]
PARAGRAPHS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
TEXTS = st.lists(PARAGRAPHS, min_size=1, max_size=4).map("\n\n".join)
NAMES = st.sampled_from(["/d/a", "/d/b", "/d/c"])
TITLES = st.sampled_from(["", "Title one", "Ünïcode 題"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NAMES, TEXTS, TITLES),
        st.tuples(st.just("rename"), NAMES, NAMES, TITLES),
        st.tuples(st.just("remove"), NAMES, TEXTS, TITLES),
        st.tuples(st.just("fail"), NAMES, TEXTS, TITLES),
        st.tuples(st.just("publish"), NAMES, TEXTS, TITLES),
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    home = tmp_path_factory.mktemp("fuzz")
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        put(writer, "/d/a.txt", "a b ab é 北 AND OR NEAR\n\naa bb a_b a-b a.b", embedder)
    with Reader.open(home) as reader:
        # Its helper's thread is started here, since no test may leave one.
        search(reader, Query("a"), embedder)
        yield reader


@given(st.one_of(SYNTAX, st.text(max_size=60)))
def test_any_query_is_answered(reader: Reader, text: str) -> None:
    for retriever in ("bm25", "hybrid"):
        results = search(reader, Query(text, retriever=retriever), HashEmbedder())
        for hit in results.hits:
            assert all(0 <= start < end <= len(hit.snippet.text) for start, end in hit.snippet.highlights)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS)
def test_any_history_leaves_the_index_that_a_fresh_one_has(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str, str]]
) -> None:
    embedder = HashEmbedder()
    lived, fresh = tmp_path_factory.mktemp("lived"), tmp_path_factory.mktemp("fresh")
    model: dict[str, tuple[str, str]] = {}
    with Writer.open(lived, embedder.model) as writer:
        for step in steps:
            _do(writer, model, step, embedder)
        assert [finding for finding in writer.check() if not finding.ok] == []
        with Writer.open(fresh, embedder.model) as other:
            for name, (text, title) in model.items():
                put(other, name, text, embedder, title=title)
    for words in ("alpha gamma running", "title naïve", '"beta gamma"', "東京 foo_bar 1.0.2 lone"):
        for retriever in ("bm25", "dense"):
            assert _answers(lived, words, retriever) == _answers(fresh, words, retriever)


def _do(
    writer: Writer, model: dict[str, tuple[str, str]], step: tuple[str, str, str, str], embedder: HashEmbedder
) -> None:
    action, name, text, title = step
    if action == "put":
        put(writer, name, text, embedder, title=title)
        model[name] = (text, title)
    elif action == "rename" and name in model:
        writer.rename(name.encode(), make_entry(text, model[name][0]))
        model[text] = model.pop(name)
    elif action == "remove":
        writer.remove([name.encode()])
        model.pop(name, None)
    elif action == "fail":
        writer.record_failure(make_entry(name, text), "failed", "damaged", "", "1")
        model.pop(name, None)
    elif action == "publish":
        writer.publish()


def _answers(home: Path, words: str, retriever: str) -> set[tuple[str, float]]:
    with Reader.open(home) as reader:
        hits = search(reader, Query(words, limit=50, retriever=retriever), HashEmbedder()).hits
        arms = [(hit.text, hit.why.bm25 or hit.why.dense) for hit in hits]
        return {(text, round(arm.score, 4)) for text, arm in arms}
