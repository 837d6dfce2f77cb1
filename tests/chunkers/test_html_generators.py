"""Pages as generators of documentation write them: all of the content, and none of what is around it."""

from pathlib import Path

import pytest

from capsa.chunkers.model import Document
from capsa.chunkers.parsers import parse

PROSE = "The miller opens the gate when the tide has turned, and the wheel begins to move. " * 3
P = f"<p>{PROSE}</p>"
CODE = "def ebb():\n    return 1"

PARAGRAPH = ("paragraph", PROSE.strip())
TABS = [("paragraph", "Linux\nUse apt."), ("paragraph", "macOS\nUse brew.")]
PAGES = {
    "sphinx": [
        ("heading", "Mills"),
        PARAGRAPH,
        ("paragraph", "Warning\nNeap tides give less."),
        ("caption", "Listing 1 The loop"),
        ("code", CODE),
        ("caption", "Table 1 Sacks"),
        ("table", "Tide\tNorth\tSouth\nspring\t12\t14\nspring\t13"),
        ("caption", "Fig. 1 The wheel"),
        *TABS,
        ("definition", "mills.grind (sacks)\nGrind the sacks."),
    ],
    "mkdocs": [
        ("heading", "Mills"),
        PARAGRAPH,
        ("paragraph", "Note\nNeap tides give less."),
        ("paragraph", "More of it\nSpring tides give more."),
        *TABS,
        ("heading", "Gates"),
        ("paragraph", "Open them like this:"),
        ("caption", "tide.py"),
        ("code", CODE),
        ("table", "Tide\tSacks\nspring\t12"),
        ("definition", "Ebb\nThe tide that goes out."),
        ("footnote", "Of the gate."),
    ],
    "docusaurus": [
        ("heading", "Mills"),
        PARAGRAPH,
        ("paragraph", "note\nNeap tides give less."),
        ("heading", "Gates"),
        *TABS,
        ("paragraph", "Open them like this:"),
        ("caption", "tide.py"),
        ("code", CODE),
        ("paragraph", "More of it\nSpring tides give more."),
    ],
    "javadoc": [
        ("heading", "Class Mill"),
        ("code", "public class Mill"),
        PARAGRAPH,
        ("heading", "Method Summary"),
        (
            "table",
            "Modifier and Type\tMethod\tDescription\nint\tgrind(int sacks)\tGrinds sacks.\n"
            "void\tstop()\tCloses the gate.",
        ),
        ("heading", "Method Details"),
        ("heading", "grind"),
        ("code", "public int grind(int sacks)"),
        ("paragraph", "Grinds while the tide lasts."),
        ("definition", "Parameters:\nsacks - how many there are"),
    ],
    "vitepress": [
        ("heading", "Mills"),
        PARAGRAPH,
        ("paragraph", "TIP\nOpen it."),
        ("paragraph", "npm"),
        ("code", "npm i mill"),
        ("paragraph", "yarn"),
        ("code", "yarn add mill"),
        ("code", CODE),
    ],
    "rustdoc": [
        ("heading", "Struct Mill"),
        ("code", "pub struct Mill { }"),
        PARAGRAPH,
        ("heading", "Implementations"),
        ("heading", "pub fn grind(&self)"),
        ("paragraph", "Grinds."),
    ],
    "mandoc": [
        ("heading", "NAME"),
        ("paragraph", "mill - grind by the tide"),
        ("heading", "SYNOPSIS"),
        ("paragraph", "mill [-e] [gate]"),
        ("heading", "DESCRIPTION"),
        PARAGRAPH,
        ("definition", "-e\nWait for the ebb."),
        ("heading", "Tides"),
        ("code", "mill -e north"),
        ("heading", "SEE ALSO"),
        ("paragraph", "gate(1)"),
    ],
    "man2html": [
        ("heading", "MILL"),
        ("heading", "NAME"),
        ("paragraph", "mill - grind by the tide"),
        ("heading", "DESCRIPTION"),
        PARAGRAPH,
        ("definition", "-e\nWait for the ebb."),
        ("code", "mill -e north"),
    ],
}


def page(generator: str) -> Document:
    return parse((Path(__file__).parent / f"generators/{generator}.html").read_bytes(), "mills.html")


@pytest.mark.parametrize("generator", PAGES)
def test_a_page_has_its_content_and_nothing_else(generator: str) -> None:
    document = page(generator)
    found = [(block.kind, document.text[block.start : block.end]) for block in document.blocks]
    assert found == PAGES[generator]


@pytest.mark.parametrize("generator", ["sphinx", "mkdocs", "javadoc"])
def test_the_header_of_a_table_is_known(generator: str) -> None:
    document = page(generator)
    table = next(block for block in document.blocks if block.kind == "table")
    assert table.header_end is not None
    assert document.text[table.start : table.header_end] == document.text[table.start :].split("\n")[0]


def test_what_doxygen_declares_is_a_line_and_its_listings_are_code() -> None:
    declared = "<tr><td class=memname>int grind </td><td>(</td><td>int&#160;</td><td>sacks<td>)</tr>"
    numbers = [f"<div class=line><span class=lineno>    {n}</span>&#160;a({n});</div>" for n in (1, 2)]
    body = f"{P}<table class=memname>{declared}</table><div class=fragment>{''.join(numbers)}</div>"
    document = parse(f"<html><body>{body}</body></html>".encode(), "a.html")
    assert [(block.kind, document.text[block.start : block.end]) for block in document.blocks[1:]] == [
        ("paragraph", "int grind ( int sacks )"),
        ("code", "a(1);\na(2);"),
    ]


NOTICE = "<p>We value your privacy. We and our partners store cookies on a device. Click to accept.</p>"


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    "banner",
    [
        f"<div id=onetrust-consent-sdk><div id=onetrust-banner-sdk class=otFlat>{NOTICE}</div></div>",
        f"<div id=CybotCookiebotDialog role=dialog>{NOTICE}</div>",
        f"<div class='cc-window cc-banner' role=dialog aria-label=cookieconsent>{NOTICE}</div>",
        f"<div id=didomi-host><div class=didomi-popup-notice role=dialog>{NOTICE}</div></div>",
        f"<div class=qc-cmp2-container><div id=qc-cmp2-ui role=dialog>{NOTICE}</div></div>",
        f"<div id=sp_message_container_1 class=sp_message>{NOTICE}</div>",
        f"<div id=cookie-notice class=cn-position-bottom>{NOTICE}</div>",
        f"<div id=cookie-law-info-bar>{NOTICE}</div>",
        f"<div id=BorlabsCookieBox>{NOTICE}</div>",
        f"<div id=usercentrics-root>{NOTICE}</div>",
        f"<div id=tarteaucitronRoot><div id=tarteaucitronAlertBig>{NOTICE}</div></div>",
        f"<div class=eu-cookie-compliance-banner>{NOTICE}</div>",
    ],
)
def test_cookie_banners_go(banner: str, first: bool) -> None:
    article = f"<div class=page><h1>Mills</h1>{P * 2}</div>"
    body = f"{banner}{article}" if first else f"{article}{banner}"
    text = parse(f"<html><head><title>Mills</title></head><body>{body}</body></html>".encode(), "a.html").text
    assert "privacy" not in text
    assert text.startswith("Mills")
