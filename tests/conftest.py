"""Fixtures for all tests: golden files, documents, the tokenizer, and checks for what is left open."""

import os
import sqlite3
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from capsa.chunkers.model import Block, BlockKind, Document
from capsa.chunkers.tokens import Tokenizer

Part = tuple[BlockKind, str] | tuple[BlockKind, str, dict[str, Any]]

# A slow machine is no error: no property test asserts a time.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


class _Connection(sqlite3.Connection):
    """A connection that warns when it is left open, as all do from Python 3.13 on."""

    def __del__(self) -> None:
        try:
            _ = self.total_changes
        except sqlite3.ProgrammingError:
            return
        warnings.warn(f"unclosed database in {self!r}", ResourceWarning, source=self, stacklevel=1)


if sys.version_info < (3, 13):
    sqlite3.connect = partial(sqlite3.connect, factory=_Connection)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures that tests recorded by ``record_property``, added up over tests of one name."""
    figures: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", ()):
        figures.update(dict(report.user_properties))
    for name, number in figures.items():
        terminalreporter.write_line(f"{name}: {number:,}")


DATA = Path(__file__).parents[1].parent / "shared" / "data"
# Seconds that a thread which was told to end may take on a busy machine.
PATIENCE = 20


@pytest.fixture
def data() -> Path:
    """The development documents; a test that asks for them is skipped where they are absent."""
    if not DATA.is_dir():
        pytest.skip("the development documents are not on this machine")
    return DATA


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare text with golden/NAME beside the test; CAPSA_ACCEPT=1 writes it anew."""

    def compare(name: str, actual: str) -> None:
        path = request.path.parent / "golden" / name
        if os.environ.get("CAPSA_ACCEPT") == "1":
            path.parent.mkdir(exist_ok=True)
            path.write_text(actual, encoding="utf-8")
        expected = path.read_text(encoding="utf-8")
        assert actual == expected, f"{path} differs; look, then accept with CAPSA_ACCEPT=1"

    return compare


# Only for codes that were not published.
TO_VERSION_3 = """
CREATE TABLE old (
    id INTEGER PRIMARY KEY AUTOINCREMENT, chunk_id INTEGER NOT NULL, key INTEGER NOT NULL, code BLOB NOT NULL
);
INSERT INTO old SELECT id, chunk_id, key, code FROM codes;
DROP TABLE codes;
DROP TABLE blocks;
ALTER TABLE old RENAME TO vectors;
CREATE INDEX vectors_by_chunk ON vectors (chunk_id);
"""


@pytest.fixture
def to_version_1() -> Callable[[Path], None]:
    """Take from a database what versions after the first have added."""

    def take(path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        of_version_3 = ("origins", "pages", "visits", "queries", "exports", "forgotten", "captures")
        for table in ("recognised", "attempts", *of_version_3):
            connection.execute(f"DROP TABLE {table}")
        connection.executescript(TO_VERSION_3)
        for column in ("layout_wall_ms", "scanned_pages", "ocr_pages"):
            connection.execute(f"ALTER TABLE documents DROP COLUMN {column}")
        connection.execute("DELETE FROM _sqlite_migrations WHERE name != 'm001_first_schema'")
        connection.execute("PRAGMA user_version = 1")
        connection.close()

    return take


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """The tokenizer of the shipped model."""
    return Tokenizer.from_file(
        str(files("capsa.store") / "model_data" / "all-MiniLM-L6-v2" / "tokenizer.json")
    )


@pytest.fixture(scope="session")
def build() -> Callable[..., Document]:
    """Build a document from (kind, text, further fields of Block), its blocks parted by an empty line."""

    def build_document(*parts: Part, **fields: Any) -> Document:
        text, blocks = "", []
        for part in parts:
            kind, body, more = (*part, {})[:3]
            more = dict(more)
            text += "\n\n" if text else ""
            if "header" in more:
                more["header_end"] = len(text) + more.pop("header")
            blocks.append(Block(kind, len(text), len(text) + len(body), **more))
            text += body
        return Document(text, tuple(blocks), **{"kind": "html", **fields})

    return build_document


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Fail a test that leaves a non-daemon thread running; one that is about to end may take its time."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
    for thread in left:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in left), f"threads left running: {left}"
