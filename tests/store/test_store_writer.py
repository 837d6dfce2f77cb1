from pathlib import Path

import numpy as np
import pytest
from store_kit import HashEmbedder, HashModel, find, found_texts, make_chunks, make_document, make_entry, put

from capsa.chunkers.errors import StoreError
from capsa.store.reader import Reader
from capsa.store.records import Stat
from capsa.store.writer import Writer

TEXT = "Alpha beta gamma.\n\nDelta epsilon zeta.\n\nEta theta iota."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def rows(home: Path, sql: str) -> list[tuple[object, ...]]:
    with Reader.open(home) as reader:
        return reader.connection.execute(sql).fetchall()


def test_a_document_comes_back_verbatim(home: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        assert put(writer, "/d/a.txt", TEXT, embedder, headings=("Part", "Chapter")) == 3
    [hit] = find(home, "epsilon", embedder, retriever="bm25").hits
    assert (hit.text, TEXT[hit.start : hit.end]) == ("Delta epsilon zeta.",) * 2
    assert (hit.headings, hit.path, hit.title) == (("Part", "Chapter"), b"/d/a.txt", "Notes")


def test_the_same_document_again_embeds_nothing_and_keeps_every_id(home: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        put(writer, "/d/a.txt", TEXT, embedder)
        before = rows(home, "SELECT * FROM chunks"), rows(home, "SELECT * FROM codes")
        assert put(writer, "/d/a.txt", TEXT, embedder) == 0
    assert (rows(home, "SELECT * FROM chunks"), rows(home, "SELECT * FROM codes")) == before
    assert rows(home, "SELECT count(*) FROM keywords_docsize") == [(3,)]


def test_an_edit_embeds_only_what_changed(home: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        put(writer, "/d/a.txt", TEXT, embedder)
        before = dict(rows(home, "SELECT start, id FROM chunks"))
        edited = TEXT.replace("Delta epsilon", "A whole new sentence")
        assert put(writer, "/d/a.txt", edited, embedder) == 1
    after = dict(rows(home, "SELECT start, id FROM chunks"))
    assert after[0] == before[0]
    assert after[edited.index("Eta")] == before[TEXT.index("Eta")]
    assert after[19] not in before.values()
    assert found_texts(home, "epsilon") == []
    assert found_texts(home, "iota") == ["Eta theta iota."]


def test_a_rename_keeps_the_document_and_embeds_nothing(home: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        put(writer, "/d/a.txt", TEXT, embedder)
        before = rows(home, "SELECT id FROM documents"), rows(home, "SELECT * FROM chunks")
        writer.rename(b"/d/a.txt", make_entry("/d/b.txt", TEXT))
    assert (rows(home, "SELECT id FROM documents"), rows(home, "SELECT * FROM chunks")) == before
    assert [hit.path for hit in find(home, "epsilon").hits] == [b"/d/b.txt"]
    with Reader.open(home) as reader:
        assert list(reader.known(1)) == [b"/d/b.txt"]


def test_a_rename_over_another_document_replaces_it(home: Path) -> None:
    with Writer.open(home) as writer:
        put(writer, "/d/a.txt", TEXT)
        put(writer, "/d/b.txt", "Something else entirely.")
        writer.rename(b"/d/a.txt", make_entry("/d/b.txt", TEXT))
    assert rows(home, "SELECT uri FROM documents") == [("file:///d/b.txt",)]
    assert found_texts(home, "entirely") == []


def test_a_copy_under_another_name_embeds_nothing(home: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        put(writer, "/d/a.txt", TEXT, embedder)
        assert put(writer, "/d/copy.txt", TEXT, embedder) == 0
    assert rows(home, "SELECT count(*) FROM codes") == [(6,)]


def test_a_removed_document_leaves_every_table(home: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        put(writer, "/d/a.txt", TEXT, embedder)
        put(writer, "/d/b.txt", "Kappa lambda.", embedder)
        assert writer.remove([b"/d/a.txt", b"/d/unknown"]) == 1
        assert all(finding.ok for finding in writer.check())
    assert rows(home, "SELECT count(*) FROM documents") == [(1,)]
    for table in ("chunks", "codes", "texts", "keywords_docsize", "files"):
        assert rows(home, f"SELECT count(*) FROM {table}") == [(1,)], table
    assert found_texts(home, "epsilon", embedder) == ["Kappa lambda."]


def test_ids_are_never_given_again(home: Path) -> None:
    embedder = HashEmbedder()
    seen: dict[str, set[int]] = {"documents": set(), "chunks": set(), "codes": set()}
    with Writer.open(home, embedder.model) as writer:
        for turn in range(3):
            put(writer, "/d/a.txt", f"Turn {turn}.", embedder)
            for table, ids in seen.items():
                new = {row[0] for row in rows(home, f"SELECT id FROM {table}")}
                assert not new & ids
                ids |= new
            writer.remove([b"/d/a.txt"])
            writer.publish()


def test_a_failure_is_remembered_and_the_old_version_is_gone(home: Path) -> None:
    with Writer.open(home) as writer:
        put(writer, "/d/a.txt", TEXT)
        writer.record_failure(make_entry("/d/a.txt", "x"), "failed", "damaged", "broken at byte 3", "1")
        writer.record_failure(make_entry("/d/b.bin", "y"), "skipped", "binary", "", "1")
    with Reader.open(home) as reader:
        known = reader.known(1)
        assert (known[b"/d/a.txt"].status, known[b"/d/a.txt"].reason) == ("failed", "damaged")
        counts = reader.counts()
        assert (counts.documents, counts.failed, counts.skipped) == (0, {"damaged": 1}, {"binary": 1})


def test_touch_changes_the_stat_alone(home: Path) -> None:
    with Writer.open(home) as writer:
        put(writer, "/d/a.txt", TEXT)
        writer.touch(b"/d/a.txt", Stat(1, 2 * 10**9, 3, 4))
    with Reader.open(home) as reader:
        assert reader.known(1)[b"/d/a.txt"].stat == Stat(1, 2 * 10**9, 3, 4)
    assert [hit.modified for hit in find(home, "epsilon").hits] == [2.0]


def test_names_that_are_no_text(home: Path) -> None:
    name = b"/d/caf\xe9\xff.txt"
    document = make_document(TEXT)
    with Writer.open(home) as writer:
        entry = make_entry("/d/x", TEXT, path=name, uri="file:///d/caf%E9%FF.txt")
        writer.commit([(writer.plan(entry, document, make_chunks(document)), None)])
    assert [hit.path for hit in find(home, "epsilon", folder=b"/d").hits] == [name]


def test_without_a_model_keywords_work_and_vectors_come_later(home: Path) -> None:
    with Writer.open(home) as writer:
        put(writer, "/d/a.txt", TEXT)
    with Reader.open(home) as reader:
        assert reader.pending(1) == [b"/d/a.txt"]
        assert reader.known(1)[b"/d/a.txt"].pending
    results = find(home, "epsilon")
    assert results.hits[0].text == "Delta epsilon zeta."
    assert results.notes == ("no model: keyword search only",)
    embedder = HashEmbedder()
    with Writer.open(home, embedder.model) as writer:
        assert put(writer, "/d/a.txt", TEXT, embedder) == 3
    with Reader.open(home) as reader:
        assert reader.pending(1) == []
    assert find(home, "epsilon", embedder, retriever="dense").hits[0].text == "Delta epsilon zeta."


def test_vectors_of_two_models_never_mix(home: Path) -> None:
    first, second = HashEmbedder(), HashEmbedder(HashModel("other", "f2", 96))
    with Writer.open(home, first.model) as writer:
        put(writer, "/d/a.txt", TEXT, first)
        writer.publish()
    with pytest.raises(StoreError, match="never mix"):
        Writer.open(home, second.model)
    notes = find(home, "epsilon", second).notes
    assert len(notes) == 1
    assert "not those of other" in notes[0]
    with Writer.open(home) as writer:
        writer.change_model(second.model)
        assert put(writer, "/d/a.txt", TEXT, second) == 3
        writer.publish()
    results = find(home, "epsilon", second, retriever="dense")
    assert (results.notes, results.hits[0].text) == ((), "Delta epsilon zeta.")


def test_vectors_must_fit_the_plan(home: Path) -> None:
    document = make_document(TEXT)
    with Writer.open(home, HashModel()) as writer:
        plan = writer.plan(make_entry("/d/a.txt", TEXT), document, make_chunks(document))
        with pytest.raises(ValueError, match="shape"):
            writer.commit([(plan, np.zeros((2, 384), dtype=np.float32))])
    assert rows(home, "SELECT count(*) FROM documents") == [(0,)]


def test_sources_come_and_go_with_their_documents(home: Path) -> None:
    with Writer.open(home) as writer:
        source, other = writer.add_source(b"/d"), writer.add_source(b"/e")
        assert writer.add_source(b"/d") == source
        put(writer, "/d/a.txt", TEXT, source_id=source.id)
        put(writer, "/e/a.txt", "Kappa.", source_id=other.id)
        assert writer.remove_source(source.id) == 1
    with Reader.open(home) as reader:
        assert [found.path for found in reader.sources()] == [b"/e"]
    assert found_texts(home, "epsilon kappa") == ["Kappa."]


def test_a_failed_commit_leaves_nothing(home: Path) -> None:
    document = make_document(TEXT)
    with Writer.open(home) as writer:
        plan = writer.plan(make_entry("/d/a.txt", TEXT), document, make_chunks(document))
        broken = writer.plan(make_entry("/d/b.txt", TEXT, kind=object()), document, make_chunks(document))
        with pytest.raises(Exception, match="type"):
            writer.commit([(plan, None), (broken, None)])
        assert all(finding.ok for finding in writer.check())
    assert rows(home, "SELECT count(*) FROM documents") == [(0,)]


def test_what_is_known_below_a_path(home: Path) -> None:
    names = ("/d", "/d/a.txt", "/d/a/b.txt", "/d/a/c/d.txt", "/d/a.b/e.txt", "/d/a0", "/e/a.txt")
    with Writer.open(home) as writer:
        writer.add_source(b"/d")
        for name in names:
            put(writer, name, name)
    with Reader.open(home) as reader:
        assert set(reader.known(1, b"/d/a")) == {b"/d/a/b.txt", b"/d/a/c/d.txt"}
        assert set(reader.known(1, b"/d/a.txt")) == {b"/d/a.txt"}
        assert set(reader.known(1, b"/d")) == {name.encode() for name in names[:-1]}
        assert set(reader.known(1, b"/")) == {name.encode() for name in names}
