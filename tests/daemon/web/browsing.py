"""A page in a real Chromium: how it is found, started and entered, and what its log must not show."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from capsa.daemon.web.server import PageServer

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# Far more than anything here takes on a machine that has nothing else to do.
PATIENCE_MS = 120_000


def find_browser() -> str:
    """The system's Chromium; the test is skipped where there is none."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser is installed: none of {', '.join(NAMES)}")
    return found


class Tab:
    """A tab of the page, with what it asked of whom and what its log says."""

    def __init__(self, tab: Any, server: PageServer) -> None:
        self.tab = tab
        self.server = server
        self.home = server.home
        self.origin = f"http://127.0.0.1:{server.port}"
        self.foreign: list[str] = []
        self.log: list[str] = []
        tab.set_default_timeout(PATIENCE_MS)
        tab.on("request", self._note)
        tab.on("requestfailed", self._take_back)
        tab.on("console", self._hear)
        tab.on("pageerror", lambda error: self.log.append(f"error: {error}"))
        tab.on("dialog", lambda dialog: self.log.append(f"dialog: {dialog.message}"))

    def go(self, path: str) -> None:
        """Open an address of the page."""
        self.tab.goto(self.origin + path)

    def enter(self) -> None:
        """Open the printed address."""
        self.tab.goto(self.server.address)
        self.tab.wait_for_url(f"{self.origin}/")

    def search(self, text: str) -> None:
        """Type a query and wait for its hits."""
        self.tab.fill("#q", "")
        self.tab.locator("#q").press_sequentially(text)
        self.settle()
        self.tab.wait_for_selector(".hit")

    def settle(self) -> None:
        """Wait until all is shown that answers what is in the field."""
        self.tab.wait_for_selector(".results[aria-busy=false]")

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until what the browser tells makes it so."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while not is_so() and time.monotonic() < end:
            self.tab.wait_for_timeout(50)
        assert is_so(), (self.log, self.foreign)

    def _hear(self, message: Any) -> None:
        # What is not indexed is no error of the page; Chromium tells of each such answer.
        if "the server responded with a status of 404" not in message.text:
            self.log.append(f"{message.type}: {message.text}")

    def _take_back(self, request: Any) -> None:
        # What the policy stops is asked of nobody.
        if request.failure in ("csp", "net::ERR_BLOCKED_BY_CSP") and request.url in self.foreign:
            self.foreign.remove(request.url)

    def _note(self, request: Any) -> None:
        if not request.url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.foreign.append(request.url)


@contextmanager
def open_tab(browser: Any, server: PageServer, **settings: Any) -> Iterator[Tab]:
    """A tab in a context of its own; afterwards its log must be clean."""
    context = browser.new_context(**settings)
    opened = Tab(context.new_page(), server)
    try:
        yield opened
    finally:
        context.close()
    assert opened.foreign == [], opened.foreign
    assert opened.log == [], opened.log


def rules_of_use(tab: Any) -> list[tuple[str, str]]:
    """What axe-core finds that keeps people from using the page: (rule, where), serious or worse."""
    import axe_playwright_python

    # Through the tools' own door: the page's policy lets in no script that is not its own.
    script = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    tab.evaluate(script)
    found = tab.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (violation["id"], str(node["target"]))
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
