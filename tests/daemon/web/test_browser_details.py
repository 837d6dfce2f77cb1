"""The page in a real browser: what is seldom there, and what is done with a passage."""

from pathlib import Path
from typing import Any

import pytest
from browsing import Tab, open_tab, rules_of_use
from page_client import Client

from capsa.chunkers.errors import UnavailableError
from capsa.daemon.cli import main
from capsa.daemon.tuning_record import keep_tuning
from capsa.store import models

FIGURE = """<html><head><title>The lock</title></head><body><article><h1>The lock</h1>
<p>Boats go up and down in it, and wait at its gates for as long as the water takes.</p>
<figure><img src="gate.png" alt="a gate"><figcaption>Figure 1: the lower gate from above</figcaption></figure>
<p>The keeper lives beside the lock in a house of brick, and knows all the boats by their names.</p>
</article></body></html>
"""
POINTS = [
    {"vectors": "pq96", "chunker": "structure-caption-overlap", "bytes": 4_000_000, "kept": 0.98},
    {"vectors": "pq48", "chunker": "structure-caption-overlap", "bytes": 2_000_000, "kept": 0.9},
    {"vectors": "pq48", "chunker": "fixed", "bytes": 2_500_000, "kept": 0.7},
]


def test_a_figure_is_shown_with_its_caption(indexed: Path, docs: Path, browser: Any, serve: Any) -> None:
    (docs / "lock.html").write_text(FIGURE)
    assert main(["index", "-q"]) == 0
    with open_tab(browser, serve(indexed)) as tab:
        tab.enter()
        tab.go("/?q=lower+gate+from+above")
        tab.settle()
        figure = tab.tab.locator(".hit", has_text="Figure 1: the lower gate from above").first
        assert "The lock" in (figure.text_content() or "")
        assert figure.locator("img").count() == 0


def test_pages_and_kinds_are_told(page: Tab) -> None:
    page.go("/")
    told = page.tab.evaluate(
        """async () => {
          const { showHit } = await import("/static/results.js");
          const document_ = { id: 1, title: "t", kind: "pdf", uri: "file:///d/t", path: "/d/t" };
          const show = (chunk) => {
            const found = { chunk: { id: 1, headings: [], ...chunk }, text: "x", snippet: "x" };
            const host = { sources: [{ path: "/d" }], href: "/", words: new Set() };
            return showHit({ document: document_, ...found }, host).textContent;
          };
          const pages = { page_first: 3, page_last: 4 };
          return [show({ kind: "text", page_first: 3, page_last: 3 }), show({ kind: "figure", ...pages })];
        }"""
    )
    assert told == ["td/t · page 3x", "td/t · pages 3–4Figurex"]


def test_the_passage_is_copied_and_the_next_one_shown(page: Tab) -> None:
    page.tab.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=page.origin)
    page.go("/?q=steer+boat")
    page.settle()
    page.tab.locator(".hit h3 a").first.click()
    page.tab.wait_for_selector(".part.found")
    page.tab.locator("button", has_text="Copy text").click()
    page.tab.wait_for_selector("text=The passage is copied.")
    chunk = page.tab.locator(".hit.picked").get_attribute("data-chunk")
    told = page.tab.evaluate(
        """async (chunk) => {
          const { ask } = await import("/static/api.js");
          const { hits } = await ask("search", { text: "steer boat" });
          const hit = hits.find((each) => String(each.chunk.id) === chunk);
          return [await navigator.clipboard.readText(), hit.text];
        }""",
        chunk,
    )
    assert told[0] == told[1] != ""
    assert page.tab.locator("button", has_text="Previous hit").is_disabled()
    page.tab.locator("button", has_text="Next hit").click()
    page.tab.wait_for_selector("text=2 of ")
    assert page.tab.locator(".hit.picked").get_attribute("data-chunk") != chunk
    page.tab.locator("button", has_text="Previous hit").click()
    page.tab.wait_for_selector("text=1 of ")
    assert page.tab.locator(".hit.picked").get_attribute("data-chunk") == chunk


def test_folders_and_sites_are_filters(page: Tab) -> None:
    page.go("/?q=zebu")
    page.settle()
    page.tab.locator("summary.chip", has_text="Folder").click()
    page.tab.locator(".panel input[name=folder]").fill("/nowhere/at/all")
    page.tab.locator(".panel button", has_text="Set").click()
    page.tab.wait_for_url("**/?q=zebu&in=*")
    page.tab.wait_for_selector("text=Nothing found")
    page.tab.locator(".chip.set").click()
    page.tab.wait_for_url("**/?q=zebu")
    page.settle()
    page.tab.locator("summary.chip", has_text="Folder").click()
    page.tab.locator(".panel .row").first.click()
    page.tab.wait_for_url("**/?q=zebu&in=*")
    page.settle()
    assert page.tab.locator(".hit").count() > 0
    page.go("/?q=zebu&site=example.org")
    page.tab.wait_for_selector("text=Nothing found")
    assert page.tab.locator(".chip.set").all_text_contents() == ["example.org"]


def test_without_a_model_it_says_so(
    indexed: Path, browser: Any, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_weights(_: object) -> Path:
        raise UnavailableError("the model's weights are missing")

    monkeypatch.setattr(models, "model_path", no_weights)
    with open_tab(browser, serve(indexed)) as tab:
        tab.enter()
        tab.search("wheel")
        tab.tab.locator(".note", has_text="Keyword search only: the model's weights are missing").wait_for()
        tab.go("/state")
        tab.tab.locator(".card", has_text="Passages are found by their words only.").wait_for()


def test_what_was_tuned_is_a_plot(indexed: Path, browser: Any, serve: Any) -> None:
    keep_tuning(indexed, {"points": POINTS, "choice": POINTS[0]})
    with open_tab(browser, serve(indexed)) as tab:
        tab.enter()
        tab.go("/state")
        plot = tab.tab.locator(".card", has_text="Storage against recall")
        plot.wait_for()
        assert plot.locator("circle").count() == len(POINTS)
        assert "pq96 with structure-caption-overlap, 4.0 MB, keeps 98 %" in (plot.text_content() or "")
        assert rules_of_use(tab.tab) == []


def test_before_the_first_document_is_read_it_says_so(
    home: Path, docs: Path, browser: Any, serve: Any
) -> None:
    assert main(["sources", "add", str(docs)]) == 0
    server = serve(home)
    with open_tab(browser, server) as tab:
        tab.enter()
        tab.tab.wait_for_selector("text=The first documents are still being read")
        assert main(["index", "-q"]) == 0
        # Who looks on sees what has come in.
        tab.tab.locator(".brief h3 a", has_text="The mill").wait_for()
        tab.tab.locator(".chip", has_text="Date").wait_for()


def test_what_the_newest_are_is_asked_of_the_same_gate(client: Client) -> None:
    status, _, _ = client.ask("POST", "/api/recent", {}, client.headers(x_capsa_token=None))
    assert status == 401
