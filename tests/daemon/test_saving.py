"""Whatever files with saved pages come, change and go: a page has the text of its newest copy, or is gone."""

import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.chunkers.captures.model import Page
from capsa.chunkers.model import Block, Chunk, Document
from capsa.daemon.saved import Saving, load_answer
from capsa.store.home import database_path
from capsa.store.records import Entry, Recipe
from capsa.store.texts import TextReader
from capsa.store.writer import Writer

RECIPE = Recipe("native", "native/1", "structure")
PATHS = (b"/d/a.warc", b"/d/b.warc", b"/d/c.html")
# The pages of a file: for each address when it was saved, in days.
Saved = Mapping[str, int]
DAY = 86_400_000_000
FIRST = 20_000 * DAY

names = st.sampled_from(["a", "b", "c"])
steps = st.lists(
    st.tuples(
        st.sampled_from(PATHS),
        st.one_of(st.none(), st.dictionaries(names, st.integers(1, 3), min_size=1)),
        st.booleans(),
    ),
    min_size=1,
    max_size=7,
)


def text_of(path: bytes, name: str, day: int) -> str:
    return f"Copy of {name} in {path.decode()} of day {day}."


def save(writer: Writer, path: bytes, saved: Saved, again: bool = False) -> None:
    """Do what a run does with a file's pages."""
    entry = Entry(path, f"file://{path.decode()}", 1, "warc", 9, 9, 9, 9, repr((path, saved)).encode())
    pages = []
    for name, day in saved.items():
        text = text_of(path, name, day)
        document = Document(text, (Block("paragraph", 0, len(text)),), "html", title=name)
        page = Page(document, f"https://example.org/{name}", FIRST + day * DAY)
        pages.append((page, [Chunk(0, len(text), 0)]))
    saving = Saving(writer, RECIPE)
    plans = saving.plan(entry, pages, again)
    writer.commit([(plan, None) for plan in plans])
    assert saving.settle(plans) == 1


def texts(home: Path) -> dict[str, str]:
    """The indexed text of every page, by the last part of its address."""
    with closing(sqlite3.connect(database_path(home))) as connection:
        rows = connection.execute("SELECT uri, id FROM documents").fetchall()
        return {uri[-1]: TextReader(connection).whole(document_id) for uri, document_id in rows}


@settings(max_examples=25, deadline=None)
@given(steps)
def test_a_page_has_the_text_of_its_newest_copy(
    changes: list[tuple[bytes, dict[str, int] | None, bool]],
) -> None:
    files: dict[bytes, Saved] = {}
    with tempfile.TemporaryDirectory() as folder, Writer.open(Path(folder) / "home") as writer:
        for path, saved, again in changes:
            files.pop(path, None)
            if saved is None:
                writer.remove([path])
            else:
                files[path] = saved
                save(writer, path, saved, again)
            for outdated in writer.captures.outdated():
                save(writer, outdated, files[outdated], again=True)
            assert not writer.captures.outdated()
            newest = {
                name: max((saved[name], path) for path, saved in files.items() if name in saved)
                for saved in files.values()
                for name in saved
            }
            assert texts(Path(folder) / "home") == {
                name: text_of(path, name, day) for name, (day, path) in newest.items()
            }
        assert all(finding.ok for finding in writer.check())


def test_the_same_pages_again_are_not_written(tmp_path: Path) -> None:
    with Writer.open(tmp_path / "home") as writer:
        save(writer, PATHS[0], {"a": 1, "b": 2})
        entry = Entry(PATHS[0], "file:///d/a.warc", 1, "warc", 9, 9, 9, 9, b"other bytes")
        text = text_of(PATHS[0], "a", 1)
        document = Document(text, (Block("paragraph", 0, len(text)),), "html", title="a")
        same = [(Page(document, "https://example.org/a", FIRST + DAY), [Chunk(0, len(text), 0)])]
        assert Saving(writer, RECIPE).plan(entry, same, again=False) == []
        assert len(Saving(writer, RECIPE).plan(entry, same, again=True)) == 1


def test_an_answer_without_sense_is_a_failure() -> None:
    for answer in (
        b'{"pages": 1}',
        b'{"pages": [[1, 2]]}',
        b'{"pages": [["u", 1, {}, []]]}',
        b"{}",
        b"[",
        b"\xff",
    ):
        assert getattr(load_answer(answer), "reason", None) == "crash", answer
