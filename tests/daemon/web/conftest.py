"""A page over a home, served by a thread of this process."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import PATIENCE_MS, Tab, find_browser, open_tab
from hostile_documents import write_hostile
from page_client import Client

from capsa.daemon.cli import main
from capsa.daemon.web.server import PageServer

MILL = "# The mill\n\nThe mill stands by the river.\n\n## The wheel\n\nThe water turns its wheel all day.\n"

GUIDE = """# A guide to boats

Boats float on the river.

## Kinds of boats

Table 1: boats and what they carry

| boat | load |
|---|---|
| punt | people and picnics |
| barge | coal and gravel |

## Steering a boat

To steer, call the helm:

```python
def steer(boat, angle):
    boat.helm.turn(angle)
```
"""


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
    client.begin()
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


# Of a module: while it is open, nothing else can run an event loop in this thread.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium; without one the test is skipped."""
    path = find_browser()
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        # Its own sandbox needs what containers for root do not give.
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=PATIENCE_MS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, warm_cache: Path) -> Iterator[PageServer]:
    """A page over some documents, good ones and hostile ones, that no test changes."""
    base = tmp_path_factory.mktemp("library")
    (base / "docs" / "hostile").mkdir(parents=True)
    (base / "docs" / "guide.md").write_text(GUIDE)
    (base / "docs" / "steer.py").write_text("def steer(boat):\n    return boat.helm  # steer\n")
    parts = (f"# Part {n}\n\n" + f"Sentence {n} of the almanac tells. " * 60 for n in range(20))
    (base / "docs" / "long.md").write_text("\n\n".join(parts))
    write_hostile(base / "docs" / "hostile")
    (base / "home").mkdir(mode=0o700)
    shutil.copytree(warm_cache, base / "home" / "cache", copy_function=os.link)
    assert main(["--home", str(base / "home"), "index", str(base / "docs"), "-q"]) == 0
    server = PageServer(base / "home")
    thread = threading.Thread(target=server.run)
    thread.start()
    yield server
    server.stop()
    thread.join()


@pytest.fixture(scope="session")
def entered(library: PageServer) -> Any:
    """What a browser keeps after it has entered: the address works once."""
    client = Client(library)
    client.enter()
    client.begin()
    return client.storage_state()


@pytest.fixture
def page(browser: Any, library: PageServer, entered: Any) -> Iterator[Tab]:
    """A tab of the library's page, let in."""
    with open_tab(browser, library, storage_state=entered) as tab:
        yield tab
