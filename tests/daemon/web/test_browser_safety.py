"""The page in a real browser: documents that are more than text, and pages that are not ours."""

import http.server
import threading
from pathlib import Path
from typing import Any

import pytest
from browsing import PATIENCE_MS, Tab
from hostile_documents import TRICKS

from capsa.daemon.web.server import PageServer
from capsa.store.run_list import remember_run

ATTACKS = """async (page) => {
  const told = {};
  const attack = async (name, work) => {
    try { told[name] = (await work()) ? "done" : "refused"; } catch { told[name] = "refused"; }
  };
  const ask = (path, options) => fetch(page + path, { credentials: "include", ...options });
  const body = JSON.stringify({ text: "boats" });
  const headers = { "Content-Type": "application/json" };
  await attack("read", async () => (await ask("/")).ok);
  await attack("ask", async () => (await ask("/api/search", { method: "POST", headers, body })).ok);
  await attack("plain", async () => (await ask("/api/pause", { method: "POST", body, mode: "no-cors" })).ok);
  await attack("script", () => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, { src: page + "/static/api.js", onload: () => resolve(true), onerror: reject });
    document.head.append(script);
  }));
  await attack("frame", () => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.src = page + "/";
    frame.onload = () => resolve(frame.contentDocument !== null);
    document.body.append(frame);
  }));
  return told;
}"""


class Quiet(http.server.BaseHTTPRequestHandler):
    """Answers with an empty page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize("query", ["zebu", "script mark forged", "unfinished javascript"])
def test_documents_are_only_text(page: Tab, query: str) -> None:
    page.go(f"/?q={query.replace(' ', '+')}")
    page.tab.wait_for_selector(".hit")
    chunks = page.tab.locator(".hit").evaluate_all("hits => hits.map(hit => hit.dataset.chunk)")
    for chunk in chunks[:6]:
        page.go(f"/?q={query.replace(' ', '+')}&hit={chunk}")
        page.tab.wait_for_selector(".part.found")
        assert page.tab.evaluate("window.hit") is None
    assert page.tab.locator("main script, main iframe, main style, main base, main img").count() == 0
    assert page.tab.locator("main a[href^='javascript']").count() == 0
    assert "forged" not in page.tab.locator("h1").all_text_contents()


def test_every_trick_is_shown_as_it_is(page: Tab) -> None:
    page.go("/?q=zebu+grazes")
    page.settle()
    shown = page.tab.text_content("main") or ""
    assert sum(trick in shown for trick in TRICKS) > len(TRICKS) // 2


def test_without_the_key_it_says_what_to_do(browser: Any, library: PageServer) -> None:
    context = browser.new_context()
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE_MS)
    tab.goto(f"http://127.0.0.1:{library.port}/")
    assert "capsa open" in (tab.text_content("main") or "")
    tab.goto(f"http://127.0.0.1:{library.port}/enter#wrong")
    tab.wait_for_selector("text=does not open the page")
    context.close()


def test_another_page_can_neither_read_nor_do(browser: Any, library: PageServer, entered: Any) -> None:
    """A page of another port of this host: the browser sends it our cookie, and its requests to us too."""
    hostile = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    thread = threading.Thread(target=hostile.serve_forever)
    thread.start()
    try:
        context = browser.new_context(storage_state=entered)
        tab = context.new_page()
        tab.set_default_timeout(PATIENCE_MS)
        tab.goto(f"http://127.0.0.1:{hostile.server_port}/")
        told = tab.evaluate(ATTACKS, f"http://127.0.0.1:{library.port}")
        assert set(told.values()) == {"refused"}, told
        context.close()
    finally:
        hostile.shutdown()
        hostile.server_close()
        thread.join()


def test_only_web_addresses_become_links(page: Tab) -> None:
    page.go("/")
    told = page.tab.evaluate(
        """async (addresses) => {
          const { webAddress } = await import("/static/results.js");
          return addresses.map((uri) => webAddress({ uri }));
        }""",
        ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", " https://x", "https://x.example/"],
    )
    assert told == [None, None, None, None, "https://x.example/"]


def test_names_turn_no_letters_around(page: Tab) -> None:
    page.go("/?q=zebu+gnp.exe")
    page.tab.wait_for_selector(".hit")
    shown = page.tab.locator("h3, .place, .headings").all_text_contents()
    assert not any(mark in text for text in shown for mark in "\u202e\u2066")


def test_a_report_runs_nothing_in_its_frame(page: Tab, tmp_path: Path) -> None:
    home, run = page.home, tmp_path / "run"
    run.mkdir()
    (run / "run.json").write_text('{"command": "grid"}')
    remember_run(home, run)
    page.go("/evaluation")
    page.tab.wait_for_selector(".runs a")
    run_id = (page.tab.get_attribute(".runs a", "href") or "").partition("run=")[2]
    (home / "eval" / "reports").mkdir()
    (home / "eval" / "reports" / f"{run_id}.html").write_text(
        "<h1>report</h1><script>parent.hit = 1; document.body.textContent = 'ran'</script>"
        "<img src=http://evil.example/x.png>"
    )
    page.tab.click(".runs a")
    frame = page.tab.frame_locator("iframe")
    assert frame.locator("h1").text_content() == "report"
    assert page.tab.evaluate("window.hit") is None
    # The browser says what it did not let happen, and does so from another process.
    page.wait_until(lambda: len(page.log) == 2 and not page.foreign)
    page.log.clear()
