"""A page over a home, served by a thread of this process."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_client import Client

from capsa.daemon.cli import main
from capsa.daemon.web.server import PageServer

MILL = "# The mill\n\nThe mill stands by the river.\n\n## The wheel\n\nThe water turns its wheel all day.\n"


@pytest.fixture(scope="session")
def shared_home(tmp_path_factory: pytest.TempPathFactory, warm_cache: Path) -> Path:
    """An indexed home that no test changes."""
    docs = tmp_path_factory.mktemp("shared") / "docs"
    docs.mkdir()
    (docs / "mill.md").write_text(MILL)
    home = docs.parent / "home"
    home.mkdir(mode=0o700)
    shutil.copytree(warm_cache, home / "cache", copy_function=os.link)
    assert main(["--home", str(home), "index", str(docs), "-q"]) == 0
    return home


@pytest.fixture(scope="session")
def client(shared_home: Path) -> Iterator[Client]:
    """A client of a page over the shared home."""
    server = PageServer(shared_home)
    thread = threading.Thread(target=server.run)
    thread.start()
    client = Client(server)
    client.enter()
    # Threads that work for the page begin with the first work they get.
    client.do("status")
    client.ask("GET", "/report?none", headers=client.headers(origin=None))
    yield client
    server.stop()
    thread.join()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder that a test may change."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "mill.md").write_text(MILL)
    return folder


@pytest.fixture
def indexed(home: Path, docs: Path) -> Path:
    """A home that a test may change, with the folder indexed."""
    assert main(["index", str(docs), "-q"]) == 0
    return home


@pytest.fixture
def serve() -> Iterator[Any]:
    """Start pages, and end them."""
    started: list[tuple[PageServer, threading.Thread]] = []

    def start(home: Path) -> PageServer:
        server = PageServer(home)
        thread = threading.Thread(target=server.run)
        thread.start()
        started.append((server, thread))
        return server

    yield start
    for server, thread in started:
        server.stop()
        thread.join()
