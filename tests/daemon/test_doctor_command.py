"""``capsa doctor`` on homes whose files are damaged."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from capsa.daemon.cli import main
from capsa.store.home import database_path


@pytest.fixture
def indexed(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "mill.txt").write_text("The mill stands by the river.\n")
    assert main(["index", str(docs), "-q"]) == 0
    capsys.readouterr()
    return home


def test_a_damaged_header_is_put_aside(indexed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with database_path(indexed).open("r+b") as file:
        file.write(b"no database at all")
    assert main(["search", "mill"]) == 1
    assert "`capsa doctor`" in capsys.readouterr().err
    assert main(["doctor"]) == 1
    assert "--repair" in capsys.readouterr().err
    assert main(["doctor", "--repair"]) == 0
    assert "`capsa index FOLDER`" in capsys.readouterr().err
    assert [path.read_bytes()[:2] for path in indexed.glob("damaged-*-capsa.sqlite")] == [b"no"]
    assert main(["search", "mill", "--fail-on-empty"]) == 1


def test_sources_survive_damage_elsewhere(indexed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = database_path(indexed)
    with closing(sqlite3.connect(path)) as connection:
        [page] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'chunks'").fetchone()
        [size] = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    assert main(["doctor", "--repair"]) == 0
    capsys.readouterr()
    assert main(["sources"]) == 0
    assert capsys.readouterr().out.strip().endswith("docs")
    assert main(["index", "-q"]) == 0
    assert "1 indexed" in capsys.readouterr().out


def test_a_truncated_vector_file_is_made_anew(indexed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [file] = indexed.glob("*.faiss")
    file.write_bytes(file.read_bytes()[:100])
    assert main(["doctor"]) == 1
    assert main(["doctor", "--repair"]) == 0
    assert main(["search", "river", "--retriever", "dense", "--fail-on-empty"]) == 0
    assert "mill.txt" in capsys.readouterr().out


def test_damaged_codes_are_told_and_made_anew_by_the_next_run(
    indexed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(database_path(indexed))) as connection, connection:
        connection.execute("UPDATE blocks SET codes = substr(codes, 2)")
    assert main(["search", "river"]) == 1
    assert "`capsa doctor --repair`" in capsys.readouterr().err
    assert main(["doctor"]) == 1
    assert main(["doctor", "--repair"]) == 0
    assert main(["index"]) == 0
    assert main(["doctor"]) == 0
    capsys.readouterr()
    assert main(["search", "river", "--retriever", "dense", "--fail-on-empty"]) == 0
    assert "mill.txt" in capsys.readouterr().out
