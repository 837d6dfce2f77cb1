"""The page in a real browser: what people do to find something."""

import re

import pytest
from browsing import Tab, rules_of_use


def titles(page: Tab) -> list[str]:
    return page.tab.locator(".hit h3 a").all_text_contents()


def test_typing_finds_and_the_address_tells(page: Tab) -> None:
    page.go("/")
    page.search("boats")
    assert "A guide to boats" in titles(page)
    page.tab.wait_for_url("**/?q=boats")
    assert {mark.lower() for mark in page.tab.locator(".hit mark").all_text_contents()} <= {"boat", "boats"}
    page.tab.locator("#q").press_sequentially(" river ")
    page.tab.wait_for_url("**/?q=boats+river")
    page.settle()
    assert page.tab.input_value("#q") == "boats river "
    page.tab.locator("#q").fill("zebu")
    page.settle()
    page.tab.locator(".hit mark", has_text="zebu").first.wait_for()
    page.tab.locator(".hit h3 a").first.click()
    page.tab.wait_for_selector(".preview:not([hidden])")
    page.tab.go_back()
    page.tab.wait_for_selector(".preview[hidden]", state="attached")
    assert page.tab.input_value("#q") == "zebu"


def test_an_address_shows_the_same_again(page: Tab) -> None:
    page.go("/?q=boats&kind=markdown")
    page.tab.wait_for_selector(".hit")
    assert page.tab.input_value("#q") == "boats"
    assert page.tab.locator(".chip.set").all_text_contents() == ["markdown"]
    page.tab.locator(".hit h3 a").first.click()
    page.tab.wait_for_selector(".part.found")
    address = page.tab.url.removeprefix(page.origin)
    page.go(address)
    page.tab.wait_for_selector(".part.found")
    page.tab.wait_for_selector(".hit.picked")


def test_filters_are_chips(page: Tab) -> None:
    page.go("/?q=steer+boat")
    page.tab.wait_for_selector(".hit")
    page.tab.locator("summary.chip", has_text="Kind").click()
    page.tab.locator(".panel label", has_text="code").click()
    page.tab.wait_for_url("**/?q=steer+boat&kind=code")
    page.tab.wait_for_function("() => document.querySelectorAll('.hit').length === 1")
    assert titles(page) == ["steer.py"]
    assert page.tab.evaluate("document.activeElement.checked") is True
    page.tab.locator(".chip.set").click()
    page.tab.wait_for_url("**/?q=steer+boat")
    page.tab.locator("summary.chip", has_text="Date").click()
    page.tab.locator(".panel button", has_text="Last 7 days").click()
    page.tab.wait_for_url("**/?q=steer+boat&since=7d")
    page.tab.wait_for_selector(".hit")


def test_nothing_found_says_what_to_do(page: Tab) -> None:
    page.go('/?q="no+such+phrase"&kind=code')
    page.tab.wait_for_selector("text=Nothing found")
    page.tab.locator("button", has_text="Search everything").click()
    page.tab.wait_for_function("() => location.search.indexOf('kind') < 0")
    page.tab.locator("button", has_text="Search without quotes").click()
    page.tab.wait_for_selector(".hit")


def test_a_misspelt_word_is_corrected(page: Tab) -> None:
    page.go("/?q=almanca")
    page.tab.locator(".note button", has_text="almanac").click()
    page.tab.wait_for_url("**/?q=almanac")
    page.tab.wait_for_selector(".hit")


def test_tables_and_code_are_shown_as_such(page: Tab) -> None:
    page.go("/?q=barge+load+coal")
    page.tab.wait_for_selector(".hit table")
    assert page.tab.locator(".hit th").first.text_content() == "boat"
    page.go("/?q=steer+helm+angle")
    page.tab.wait_for_selector(".hit figure.code")
    assert "Python" in page.tab.locator(".hit figure.code figcaption").all_text_contents()


def test_the_keyboard_is_enough(page: Tab) -> None:
    page.go("/")
    page.tab.wait_for_selector(".brief")
    page.tab.keyboard.press("/")
    assert page.tab.input_value("#q") == ""
    page.tab.keyboard.type("steer boat")
    page.settle()
    page.tab.keyboard.press("ArrowDown")
    assert page.tab.evaluate("document.activeElement.closest('.hit') !== null")
    page.tab.keyboard.press("Enter")
    page.tab.wait_for_selector(".part.found")
    first = page.tab.evaluate("location.search")
    page.tab.keyboard.press("ArrowDown")
    page.tab.wait_for_function("before => location.search !== before", arg=first)
    page.tab.keyboard.press("Escape")
    page.tab.wait_for_selector(".preview[hidden]", state="attached")
    assert page.tab.evaluate("document.activeElement.closest('.hit') !== null")
    page.tab.keyboard.press("/")
    assert page.tab.evaluate("document.activeElement.id") == "q"
    page.tab.keyboard.press("Escape")
    page.tab.locator(".hit h3 a").first.focus()
    page.tab.keyboard.press("?")
    page.tab.wait_for_selector("dialog[open]")
    page.tab.keyboard.press("Escape")
    page.tab.wait_for_selector("dialog[open]", state="detached")


def test_passages_of_one_document_in_a_row_are_one_card(page: Tab) -> None:
    page.go("/?q=sentence+of+the+almanac")
    page.tab.wait_for_selector(".hit + .more-of-it")
    assert page.tab.locator(".more-of-it .place[title]").count() == 0
    heading = page.tab.locator(".more-of-it h3 a").first.text_content() or ""
    assert heading.startswith("Part ")
    page.tab.locator(".more-of-it h3 a").first.click()
    page.tab.wait_for_selector(".part.found")
    assert heading in (page.tab.text_content(".part.found") or "")


def test_snippets_are_without_the_marks_of_markdown(page: Tab) -> None:
    page.go("/?q=steering+call+helm&kind=markdown")
    page.tab.wait_for_selector(".hit")
    shown = " ".join(page.tab.locator(".hit .piece > p").all_text_contents())
    assert "#" not in shown
    told = page.tab.evaluate(
        """async (snippet) => {
          const { showHit } = await import("/static/results.js");
          const document_ = { id: 1, title: "t", kind: "markdown", uri: "file:///t", path: "/t" };
          const chunk = { id: 1, kind: "text", headings: ["A 🦔 head"] };
          const hit = { document: document_, chunk, text: snippet, snippet, highlights: [[46, 50]] };
          const piece = showHit(hit, { sources: [], href: "/", words: new Set() }).querySelector(".piece");
          return [piece.textContent.trim(), piece.querySelector("mark").textContent];
        }""",
        "## A 🦔 head Some **bold** [![alt](u)](v) and [link](w) # text that goes on for a while.",
    )
    assert told == ["Some bold alt and link text that goes on for a while.", "link"]


def test_the_preview_shows_the_surroundings(page: Tab) -> None:
    page.go("/?q=steer+call+the+helm&kind=markdown")
    page.tab.locator(".hit h3 a").first.click()
    page.tab.wait_for_selector(".part.found")
    assert "Boats float" in (page.tab.text_content(".preview .text") or "")
    assert page.tab.locator(".outline button").all_text_contents() == [
        "A guide to boats",
        "Kinds of boats",
        "Steering a boat",
    ]
    page.tab.locator(".why summary").click()
    assert "1st" in (page.tab.text_content(".why") or "")
    page.tab.locator("button", has_text="More like this").click()
    page.tab.wait_for_url("**/?like=*")
    page.settle()
    assert page.tab.locator(".hit").count() > 0
    assert page.tab.locator(".hit mark").count() == 0
    page.tab.locator(".count a", has_text="a passage of A guide to boats").click()
    page.tab.wait_for_selector(".part.found")


def test_a_long_document_is_read_on_and_back(page: Tab) -> None:
    page.go('/?q="sentence+9"+almanac')
    page.tab.locator(".hit h3 a").first.click()
    page.tab.wait_for_selector(".part.found")
    before = len(page.tab.text_content(".preview .text") or "")
    page.tab.locator("button", has_text="Later text").click()
    page.tab.wait_for_function(
        "n => document.querySelector('.preview .text').textContent.length > n + 3000", arg=before
    )
    page.tab.locator("button", has_text="Earlier text").click()
    page.tab.wait_for_function(
        "n => document.querySelector('.preview .text').textContent.length > n + 6000", arg=before
    )
    text = page.tab.text_content(".preview .text") or ""
    parts = [int(word) for word in re.findall(r"Sentence (\d+)", text)]
    assert parts == sorted(parts)


def test_without_a_query_the_newest_documents_are_there(page: Tab) -> None:
    page.go("/")
    page.settle()
    assert "documents: " in (page.tab.text_content(".count") or "")
    assert page.tab.locator(".hints").is_visible()
    assert len(titles(page)) == 12
    page.tab.locator("summary.chip", has_text="Kind").click()
    page.tab.locator(".panel label", has_text="code").click()
    page.tab.wait_for_url("**/?kind=code")
    page.settle()
    assert titles(page) == ["steer.py"]
    page.tab.keyboard.press("Escape")
    page.tab.locator(".brief h3 a").click()
    page.tab.wait_for_selector(".part.found")
    assert page.tab.locator(".why").count() == 0
    page.tab.keyboard.press("Escape")
    page.tab.wait_for_selector(".preview[hidden]", state="attached")
    page.search("boats")
    assert not page.tab.locator(".hints").is_visible()
    page.tab.fill("#q", "")
    page.settle()
    assert titles(page) == ["steer.py"]
    page.go("/?kind=pdf")
    page.tab.locator("button", has_text="Show all documents").click()
    page.settle()
    assert len(titles(page)) == 12


@pytest.mark.parametrize(
    "path", ["/", "/?q=barge+load+coal&since=7d", '/?q="no+such"', "/state", "/evaluation", "/?q=boats&hit=1"]
)
def test_nothing_keeps_people_from_using_it(page: Tab, path: str) -> None:
    page.go(path)
    page.tab.wait_for_load_state("networkidle")
    assert rules_of_use(page.tab) == []
    page.tab.emulate_media(color_scheme="dark")
    assert rules_of_use(page.tab) == []


def test_nothing_keeps_people_from_using_what_opens(page: Tab) -> None:
    page.go("/?q=boats")
    page.tab.wait_for_selector(".hit")
    page.tab.locator("summary.chip", has_text="Kind").click()
    page.tab.wait_for_selector(".panel label")
    assert rules_of_use(page.tab) == []
    page.tab.locator("button[aria-label='Keys and syntax']").click()
    page.tab.wait_for_selector("dialog[open]")
    assert rules_of_use(page.tab) == []
    page.go("/state")
    page.tab.locator("button", has_text="Add a folder").click()
    page.tab.wait_for_selector("dialog .path:not(:empty)")
    assert rules_of_use(page.tab) == []


@pytest.mark.parametrize(
    "path", ["/?q=barge+load+coal", "/state", "/evaluation", "/?q=steer+helm+angle&hit=1"]
)
def test_it_fits_a_telephone(page: Tab, path: str) -> None:
    page.tab.set_viewport_size({"width": 360, "height": 740})
    page.go(path)
    page.tab.wait_for_load_state("networkidle")
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 360
    assert rules_of_use(page.tab) == []
