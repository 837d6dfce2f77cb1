"""Visited pages in the store: each visit once, pages found by title and address, and gone when forgotten."""

import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_kit import HashEmbedder, find, found_texts, put

from capsa.store import stubs
from capsa.store.history import Export, Forgotten, Span, waiting_count
from capsa.store.home import database_path
from capsa.store.reader import Reader
from capsa.store.visited import read_exports, read_forgotten, read_queries, read_summary, read_visited
from capsa.store.visits import Told, Typed, new_times
from capsa.store.writer import Writer

DAY = 86_400_000_000
START = 1_700_000_000_000_000
URI = "https://a.org/red-fox"
ALL = 1 << 62


def told(uri: str = URI, title: str = "Red foxes", *times: int, **more: object) -> Told:
    visits = tuple((time, "") for time in times)
    values = {"uri": uri, "url": uri, "title": title, "titled_at": max(times, default=0), "visits": visits}
    return Told(**(values | more))  # type: ignore[arg-type]


def visited(home: Path, uri: str = URI) -> tuple[int, int | None, int | None]:
    with Reader.open(home) as reader:
        (document_id,) = reader.connection.execute(
            "SELECT id FROM documents WHERE uri = ?", (uri,)
        ).fetchone()
        found = read_visited(reader.connection, document_id)
    assert found is not None
    return found.count, found.first, found.last


def test_a_page_is_found_by_title_and_address_and_tells_its_visits(tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer:
        added = writer.history.put("firefox", [told(URI, "Vulpes", START, START + DAY)])
    assert (added.new, added.known, added.new_pages) == (2, 0, 1)
    for query in ("vulpes", "fox", "site a.org"):
        (hit,) = find(tmp_path, query, kinds=("page",)).hits
        assert (hit.uri, hit.title, hit.kind, hit.modified) == (URI, "Vulpes", "page", (START + DAY) / 1e6)
        assert hit.visited is not None
        assert (hit.visited.count, hit.visited.first, hit.visited.last) == (2, START, START + DAY)
        assert (hit.visited.browsers, hit.visited.devices) == (("firefox",), ())


def test_telling_again_changes_nothing(tmp_path: Path) -> None:
    batch = [told(URI, "Vulpes", START, START + DAY), told("https://b.org/", "", START)]
    typed = [Typed("google.com", "fox", START, "")]
    with Writer.open(tmp_path) as writer:
        first = writer.history.put("firefox", batch, typed)
        before = list(writer.history.connection.iterdump())
        again = writer.history.put("firefox", batch, typed)
        after = list(writer.history.connection.iterdump())
    assert (first.new, first.queries) == (3, 1)
    assert (again.new, again.known, again.queries, again.new_pages, again.changed_pages) == (0, 3, 0, 0, 0)
    changed = [line for line in after if line not in before]
    assert all("'change'" in line for line in changed), changed


def test_a_newer_title_replaces_an_older_one_and_not_the_other_way_round(tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer:
        writer.history.put("firefox", [told(URI, "Old words", START)])
        writer.history.put("firefox", [told(URI, "New words", START + 5 * DAY)])
        writer.history.put("chrome", [told(URI, "Older still", START - 5 * DAY)])
        writer.history.put("chrome", [told(URI, "", START + 9 * DAY)])
    (hit,) = find(tmp_path, "words").hits
    assert hit.title == "New words"
    assert find(tmp_path, "older").hits == ()
    assert visited(tmp_path) == (4, START - 5 * DAY, START + 9 * DAY)
    with Writer.open(tmp_path) as writer:
        assert all(finding.ok for finding in writer.check())


def test_one_visit_told_in_coarser_units_is_the_same_one() -> None:
    exact = START + 123_456
    milli, second = exact // 1000 * 1000, exact // 1_000_000 * 1_000_000
    assert new_times([exact, milli, second], set()) == [exact]
    assert new_times([milli], {exact}) == []
    assert new_times([exact], {second}) == []
    assert new_times([second], {milli}) == []
    assert new_times([exact + 2000], {exact}) == [exact + 2000]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 3_000_000), max_size=8), st.lists(st.integers(0, 3_000_000), max_size=8))
def test_visits_told_again_are_never_new(first: list[int], second: list[int]) -> None:
    known = set(new_times(first, set()))
    known |= set(new_times(second, known))
    assert new_times([*first, *second], known) == []


def test_the_number_that_an_export_gives_counts_where_it_tells_no_visits(tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer:
        writer.history.put("safari", [told(URI, "Vulpes", START, told=7)])
        assert visited(tmp_path)[0] == 7
        writer.history.put("safari", [told(URI, "Vulpes", *range(START, START + 9 * DAY, DAY))])
        assert visited(tmp_path)[0] == 9


def test_filters_know_sites_dates_and_numbers_of_visits(tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer:
        put(writer, "/d/fox.txt", "A fox in a file.")
        writer.history.put(
            "firefox",
            [
                told("https://a.org/1", "fox one", START),
                told("https://sub.a.org/2", "fox two", START, START + DAY, START + 2 * DAY),
                told("https://ba.org/3", "fox three", START + 9 * DAY),
            ],
        )
    uris = lambda **filters: sorted(hit.uri for hit in find(tmp_path, "fox", **filters).hits)  # noqa: E731
    assert uris(site="a.org") == ["https://a.org/1", "https://sub.a.org/2"]
    assert uris(visited=2) == ["https://sub.a.org/2"]
    assert uris(kinds=("page",), since=(START + DAY) / 1e6, until=(START + 3 * DAY) / 1e6) == [
        "https://sub.a.org/2"
    ]
    assert len(uris()) == 4


def test_bookmarks_bring_tags_and_folders_to_be_found_by(tmp_path: Path) -> None:
    kept = told(kept_at=START, tags=("canids",), folders=("Biology / Mammals",), bookmarks=2)
    with Writer.open(tmp_path) as writer:
        added = writer.history.put("firefox", [kept])
        again = writer.history.put("firefox", [kept])
    assert (added.new, added.known, again.new, again.known) == (1, 1, 0, 2)
    for query in ("canids", "mammals"):
        (hit,) = find(tmp_path, query).hits
        assert hit.visited is not None
        assert (hit.visited.count, hit.visited.last, hit.visited.kept_at) == (0, None, START)
        assert (hit.visited.tags, hit.visited.folders) == (("canids",), ("Biology / Mammals",))


def test_vectors_are_given_later_in_batches(tmp_path: Path) -> None:
    long = " ".join(f"word{n}" for n in range(60))
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        writer.history.put("firefox", [told(URI, "Vulpes", START), told("https://b.org/", long, START)])
        assert waiting_count(writer.history.connection) == 2
        batch = writer.history.waiting(10)
        assert [len(stub.texts) for stub in batch] == [1, 2]
        assert all(len(text) <= stubs.WINDOW for stub in batch for text in stub.texts)
        texts = [text for stub in batch for text in stub.texts]
        writer.history.give_vectors(batch, embedder.embed(texts))
        assert waiting_count(writer.history.connection) == 0
        assert all(finding.ok for finding in writer.check())
        writer.history.put("firefox", [told(URI, "Vulpes vulpes", START + 1)])
        assert len(writer.history.waiting(10)) == 1
    assert find(tmp_path, "word59", embedder, retriever="dense").hits[0].uri == "https://b.org/"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=900))
def test_windows_cover_a_text_without_gaps(text: str) -> None:
    found = list(stubs.windows(text))
    assert (found[0].start, found[-1].end) == (0, len(text))
    assert all(a.end == b.start for a, b in pairwise(found))
    assert all(window.end - window.start <= stubs.WINDOW for window in found)


def history(home: Path) -> Writer:
    writer = Writer.open(home)
    writer.history.put(
        "firefox",
        [
            told("https://a.org/1", "alpha page", START, START + DAY, START + 5 * DAY),
            told("https://www2.a.org/2", "beta page", START),
            told("https://b.org/3", "gamma page", START, kept_at=START + 9 * DAY, tags=("t",), bookmarks=1),
        ],
        [Typed("google.com", "alpha", START, ""), Typed("bing.com", "beta", START + 5 * DAY, "")],
    )
    return writer


def test_a_site_is_forgotten_with_its_subdomains(tmp_path: Path) -> None:
    with history(tmp_path) as writer:
        forgot = writer.history.forget(Span("a.org", 0, ALL))
        writer.publish()
        assert (forgot.pages, forgot.visits, forgot.queries) == (2, 4, 0)
        assert all(finding.ok for finding in writer.check())
    assert found_texts(tmp_path, "alpha beta") == []
    assert len(found_texts(tmp_path, "gamma")) == 1


def test_a_span_of_time_takes_its_visits_and_leaves_the_others(tmp_path: Path) -> None:
    with history(tmp_path) as writer:
        forgot = writer.history.forget(Span("", START, START + 2 * DAY))
        assert (forgot.pages, forgot.visits, forgot.queries) == (1, 4, 1)
        assert visited(tmp_path, "https://a.org/1") == (1, START + 5 * DAY, START + 5 * DAY)
        assert visited(tmp_path, "https://b.org/3") == (0, None, None)
        summary = read_summary(writer.history.connection)
        assert (summary.pages, summary.visits, summary.kept, summary.queries) == (2, 1, 1, 1)
        assert [query.text for query in read_queries(writer.history.connection, 9)] == ["beta"]


def test_a_bookmark_that_is_forgotten_takes_its_tags_along(tmp_path: Path) -> None:
    with history(tmp_path) as writer:
        kept = told("https://b.org/3", "gamma page", START, kept_at=START + 9 * DAY, tags=("zyxtag",))
        writer.history.put("firefox", [kept])
        assert len(find(tmp_path, "zyxtag").hits) == 1
        writer.history.forget(Span("", START + 8 * DAY, ALL))
        assert find(tmp_path, "zyxtag").hits == ()
        assert visited(tmp_path, "https://b.org/3") == (1, START, START)
        assert all(finding.ok for finding in writer.check())


def test_what_was_forgotten_is_known_by_hash_and_time_only(tmp_path: Path) -> None:
    with history(tmp_path) as writer:
        writer.history.forget(Span("a.org", START, START + DAY))
        rows = read_forgotten(writer.history.connection)
        assert read_forgotten(writer.history.connection, nothing=True).covers("a.org", START) is False
    assert rows.covers("a.org", START)
    assert rows.covers("deep.sub.a.org", START + DAY)
    assert not rows.covers("a.org", START + DAY + 1)
    assert not rows.covers("ba.org", START)
    assert Forgotten([(b"", 5, 9)]).covers("any.org", 7)
    with closing(sqlite3.connect(database_path(tmp_path))) as connection:
        (host,) = connection.execute("SELECT host FROM forgotten").fetchone()
    assert b"a.org" not in host


def test_a_saved_copy_keeps_its_text_and_is_a_stub_again_without_it(tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer:
        writer.history.put("firefox", [told(URI, "Vulpes", START)])
        put(writer, "x", "A long text about dens.", path=None, uri=URI, kind="page", title="Saved")
        with writer._change() as committer:
            connection = writer.history.connection
            connection.execute("INSERT INTO captures VALUES (?, ?, 1, ?)", (b"/f", URI, b"h"))
        writer.history.put("firefox", [told(URI, "Another title", START + DAY)])
        (hit,) = find(tmp_path, "dens").hits
        assert (hit.title, hit.visited.count if hit.visited else 0) == ("Saved", 2)
        assert hit.modified == (START + DAY) / 1e6
        with writer._change() as committer:
            connection.execute("DELETE FROM captures")
            assert stubs.restore_stub(connection, committer, hit.document_id)
        assert find(tmp_path, "dens").hits == ()
        (stub,) = find(tmp_path, "fox").hits
        assert (stub.document_id, stub.path, stub.kind) == (hit.document_id, None, "page")
        assert visited(tmp_path) == (2, START, START + DAY)
        assert all(finding.ok for finding in writer.check())


def test_exports_are_remembered_with_what_was_read(tmp_path: Path) -> None:
    export = Export(b"/p/History", "Chromium", "brave", "", "1/2", 5.0, {"read": 3}, True)
    with Writer.open(tmp_path) as writer:
        writer.history.put_export(export)
        writer.history.put_export(Export(b"/p/History", "Chromium", "brave", "", "2/2", 6.0, {}, False))
        (kept,) = read_exports(writer.history.connection)
        assert (kept.state, kept.followed) == ("2/2", True)
        assert writer.history.follow(b"/p/History", False)
        assert not writer.history.follow(b"/other", True)
        assert not read_exports(writer.history.connection)[0].followed


@pytest.mark.parametrize("title", ["", "nul", "lone \ud800 surrogate", "x" * 5000, "漢字" * 200])
def test_any_title_can_be_kept_and_removed(title: str, tmp_path: Path) -> None:
    with Writer.open(tmp_path) as writer:
        writer.history.put("firefox", [told(URI, title, START)])
        assert all(finding.ok for finding in writer.check())
        writer.history.forget(Span("", 0, ALL))
        writer.publish()
        assert all(finding.ok for finding in writer.check())
        assert read_summary(writer.history.connection).pages == 0


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=3))
def test_rows_of_many_pages_are_those_of_one(title: str, tags: list[str]) -> None:
    page = stubs.Page(7, URI, title=title, url=URI, last=START, tags=tuple(tags))
    planned = stubs.stub_plan(page, 1).chunks[0]
    columns = stubs._columns(page, page.text)
    assert (columns.crumb, columns.body, columns.key) == (planned.crumb, planned.body, planned.key)


def test_a_page_written_with_many_has_the_rows_of_one_written_as_a_plan(tmp_path: Path) -> None:
    page = stubs.Page(1, URI, title="Vulpes", url=URI, last=START, visits=1, tags=("t",))
    tables = []
    for name in ("many", "plan"):
        with Writer.open(tmp_path / name) as writer:
            connection = writer.history.connection
            with writer.history._change() as committer:
                source = stubs.history_source(connection)
                if name == "many":
                    stubs.insert_stubs(connection, [page], source, 0)
                else:
                    committer.put(stubs.stub_plan(page, source), {})
            rows = connection.execute(
                "SELECT * FROM documents AS d JOIN files AS f ON f.document_id = d.id"
                " JOIN texts AS t ON t.document_id = d.id JOIN chunks AS c ON c.document_id = d.id"
            )
            names = [column[0] for column in rows.description]
            (row,) = rows.fetchall()
            tables.append(dict(zip(names, row, strict=True)) | {"indexed_at": 0})
    assert tables[0] == tables[1]
