"""The page in a real browser: entering, adding a folder and seeing it indexed, failures, forgetting."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import PATIENCE_MS, Tab, open_tab
from page_client import BOOKMARKS, Client

from capsa.daemon.changing import known_sources
from capsa.daemon.cli import main
from capsa.daemon.running import Daemon
from capsa.daemon.serving.channel import ask


@pytest.fixture
def daemon(home: Path) -> Iterator[Daemon]:
    """A daemon over the home."""
    daemon = Daemon(home)
    ready = threading.Event()
    thread = threading.Thread(target=daemon.run, args=(ready.set,))
    thread.start()
    assert ready.wait(240)
    yield daemon
    daemon.stop()
    thread.join()


@pytest.fixture
def tab(browser: Any, home: Path, daemon: Daemon, serve: Any) -> Iterator[Tab]:
    """A tab that enters a page over the home, which is empty."""
    with open_tab(browser, serve(home)) as tab:
        tab.enter()
        yield tab


def test_a_folder_is_added_indexed_searched_and_forgotten(
    tab: Tab, docs: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(docs.parent))
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    page = tab.tab
    page.locator("a", has_text="Add a folder").click()
    page.locator("dialog button", has_text="docs").click()
    page.locator("dialog .path", has_text=str(docs)).wait_for()
    page.locator("dialog button", has_text="Add this folder").click()
    page.wait_for_selector("text=1 document, ")
    page.wait_for_selector("text=1 file could not be read.")
    assert "broken.pdf" in (page.text_content(".rows li:has-text('Retry')") or "")

    page.locator("button", has_text="Retry all").click()
    page.wait_for_selector("text=1 file: being read again.")

    page.locator("nav a", has_text="Search").click()
    tab.search("wheel")
    page.locator(".hit h3 a").first.click()
    page.locator("button", has_text="Forget …").click()
    page.locator("dialog button", has_text="Cancel").click()
    page.wait_for_selector("dialog", state="detached")
    # While it is paused nobody finds the file again, which is still there.
    ask(home, {"do": "pause"})
    page.locator("button", has_text="Forget …").click()
    page.locator("dialog button", has_text="Forget it").click()
    page.wait_for_selector("text=Nothing found")
    assert (docs / "mill.md").exists()


def test_the_background_is_paused_and_goes_on(tab: Tab) -> None:
    page = tab.tab
    page.locator("nav a", has_text="State").click()
    page.locator("button", has_text="Pause").click()
    page.locator("button", has_text="Go on").click()
    page.locator("button", has_text="Pause").wait_for()


def test_a_source_is_removed(tab: Tab, docs: Path) -> None:
    page = tab.tab
    token = page.evaluate("localStorage.getItem('token')")
    cookie = next(each["value"] for each in page.context.cookies())
    assert Client(tab.server, cookie, token).do("add", path=str(docs))["status"] == 200
    page.locator("nav a", has_text="State").click()
    page.locator(".rows button", has_text="Remove …").click()
    page.locator("dialog button", has_text="Remove it").click()
    page.wait_for_selector("text=No folder is watched.")


def test_a_source_is_paused_and_goes_on(tab: Tab, docs: Path, home: Path) -> None:
    assert main(["sources", "add", str(docs)]) == 0
    page = tab.tab
    page.locator("nav a", has_text="State").click()
    page.locator(".rows button", has_text="Pause").click()
    page.locator(".rows button", has_text="Go on").wait_for()
    assert [source.paused for source in known_sources(home)] == [True]
    (docs / "new.md").write_text("Nobody reads this.\n")
    tab.go("/state")
    page.locator(".rows li", has_text=re.compile("paused: searched, [12] files? not read")).wait_for()
    page.locator(".status", has_text="but for 1 paused source").wait_for()
    page.locator(".pulse", has_text="but for 1 paused source").wait_for()
    page.locator(".rows button", has_text="Go on").click()
    page.locator(".rows button", has_text="Pause").wait_for()
    assert [source.paused for source in known_sources(home)] == [False]


def test_visited_pages_are_filtered_and_forgotten(tab: Tab, tmp_path: Path) -> None:
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS)
    assert main(["history", "import", "-q", str(tmp_path / "bookmarks.html")]) == 0
    page = tab.tab
    tab.go("/?q=float")
    page.locator("summary.chip", has_text="Visits").click()
    page.locator(".panel button", has_text="Bookmarks only").click()
    page.wait_for_url("**/?q=float&bookmarked=1")
    page.locator(".hit h3 a", has_text="punts").click()
    page.locator("button", has_text="Forget …").click()
    page.locator("dialog button", has_text="Forget this page").click()
    page.locator(".hit h3 a", has_text="punts").wait_for(state="detached")
    page.locator(".hit h3 a", has_text="barges").click()
    page.locator("button", has_text="Forget …").click()
    page.locator("dialog button", has_text="Forget all of boats.example.org").click()
    page.wait_for_selector("text=1 page of boats.example.org forgotten.")
    page.locator("nav a", has_text="State").click()
    page.fill("input[name=path]", "example.net")
    page.locator("form.line button").click()
    page.locator("dialog button", has_text="Forget it").click()
    page.wait_for_selector("text=1 page forgotten.")


def test_a_page_whose_server_ended_says_so(browser: Any, shared_home: Path, serve: Any) -> None:
    server = serve(shared_home)
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(server.address)
    page.wait_for_selector(".brief")
    server.stop()
    page.wait_for_selector(".pulse[data-state=gone]")
    page.locator("#q").press_sequentially("mill")
    page.wait_for_selector("text=That did not work")
    context.close()


def test_answers_wait_until_the_pointer_is_released(page: Tab) -> None:
    """What they draw anew would have no click."""
    page.go("/")
    page.tab.wait_for_selector(".brief")
    page.tab.clock.pause_at(page.tab.evaluate("Date.now() + 1000"))
    page.tab.mouse.down()
    asked = """async () => {
      const { ask } = await import("/static/api.js");
      ask("sources").then(() => (window.answered = true));
      const headers = { "Content-Type": "application/json", "X-Capsa-Token": localStorage.getItem("token") };
      for (let times = 0; times < 3; times++)
        await (await fetch("/api/sources", { method: "POST", headers, body: "{}" })).json();
      return window.answered;
    }"""
    assert page.tab.evaluate(asked) is None
    page.tab.mouse.up()
    page.tab.clock.run_for(1)
    page.tab.wait_for_function("() => window.answered")
