"""Fixtures for all tests: golden files, the development documents, and a check for threads left running."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1].parent / "shared" / "data"


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


@pytest.fixture
def to_version_1() -> Callable[[Path], None]:
    """Take from a database what versions after the first have added."""

    def take(path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for table in ("recognised", "attempts"):
            connection.execute(f"DROP TABLE {table}")
        for column in ("layout_wall_ms", "scanned_pages", "ocr_pages"):
            connection.execute(f"ALTER TABLE documents DROP COLUMN {column}")
        connection.execute("DELETE FROM _sqlite_migrations WHERE name != 'm001_first_schema'")
        connection.execute("PRAGMA user_version = 1")
        connection.close()

    return take


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Fail a test that leaves a non-daemon thread running."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
    assert not left, f"threads left running: {left}"
