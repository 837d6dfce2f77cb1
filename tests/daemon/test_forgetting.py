"""What is forgotten is in no file that capsa keeps, in no form it was kept in."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from capsa.daemon.cli import main
from capsa.store import wiping
from capsa.store.coding import known_codes
from capsa.store.home import database_path
from capsa.store.wiping import wipe

WORDS = ("zyxcanarium", "quolbrandt", "vexiltorb", "murqwen", "plimsoggar")
SECRET = f"""# {WORDS[0]} report

The {WORDS[1]} was seen near the {WORDS[2]}.

| {WORDS[3]} | yield |
|---|---|
| {WORDS[4]} | 3 |
"""


@pytest.fixture
def docs(home: Path, tmp_path: Path) -> Path:
    """A folder with a secret among other documents, indexed twice: an edit leaves an older text behind."""
    folder = tmp_path / "docs"
    (folder / "private").mkdir(parents=True)
    for number in range(40):
        (folder / f"{number}.md").write_text(
            f"# Paper {number}\n\n" + f"Common words of paper {number}. " * 60
        )
    (folder / "private" / "secret.md").write_text(SECRET.replace("seen", "heard"))
    assert main(["index", "-q", str(folder)]) == 0
    (folder / "private" / "secret.md").write_text(SECRET)
    assert main(["index", "-q", str(folder)]) == 0
    return folder


def traces(home: Path) -> set[bytes]:
    """Every form that the secret is kept in: its words, which are their own stems, packed texts and codes."""
    with closing(sqlite3.connect(database_path(home))) as connection:
        rows = connection.execute(
            "SELECT blob FROM texts JOIN documents AS d ON d.id = document_id WHERE uri LIKE '%secret.md'"
        ).fetchall()
        [(document_id,)] = connection.execute(
            "SELECT id FROM documents WHERE uri LIKE '%secret.md'"
        ).fetchall()
        codes = known_codes(connection, [document_id]).values()
    assert rows
    assert codes
    # The keyword index leaves out what a word has in common with the one before it.
    return {word[3:].encode() for word in WORDS} | {row[0][8:40] for row in rows} | {*codes}


def found(home: Path, wanted: set[bytes]) -> set[tuple[str, bytes]]:
    files = {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    return {(name, trace) for name, data in files.items() for trace in wanted if trace in data}


def test_the_canary_is_seen_while_it_is_there(home: Path, docs: Path) -> None:
    wanted = traces(home)
    assert {trace for _, trace in found(home, wanted)} >= {trace for trace in wanted if trace.isalpha()}


def forget(docs: Path) -> None:
    assert main(["forget", str(docs / "private")]) == 0


def remove_source(docs: Path) -> None:
    assert main(["sources", "remove", str(docs)]) == 0


def exclude(docs: Path) -> None:
    (docs / ".capsaignore").write_text("private/\n")
    assert main(["index", "-q"]) == 0


@pytest.mark.parametrize("way", [forget, remove_source, exclude])
def test_nothing_of_it_is_left(home: Path, docs: Path, way, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    wanted = traces(home)
    way(docs)
    assert found(home, wanted) == set()
    assert main(["doctor"]) == 0
    capsys.readouterr()
    assert main(["search", f'"{WORDS[1]}"', "--retriever", "bm25", "--fail-on-empty"]) == 1


def test_what_a_kill_left_undone_is_done_by_the_next_run(
    home: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = traces(home)

    def die(connection: sqlite3.Connection) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("capsa.store.writer.wipe", die)
        assert main(["forget", str(docs / "private")]) == 130
    assert found(home, wanted)
    (docs / ".capsaignore").write_text("private/\n")
    (docs / "new.md").write_text("Something new.\n")
    assert main(["index", "-q"]) == 0
    assert found(home, wanted) == set()


def test_a_reader_in_the_way_is_told_of(home: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiping, "PATIENCE_SECONDS", 0.2)
    with closing(sqlite3.connect(database_path(home), isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM chunks").fetchone()
        assert main(["forget", str(docs / "private")]) == 1
    with closing(sqlite3.connect(database_path(home), isolation_level=None)) as connection:
        wipe(connection)
