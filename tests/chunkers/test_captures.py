"""Saved pages in every format: the address, the moment and the text come out, hostile files harm nobody."""

import gzip
import io
import json
import plistlib
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import quote

import pytest
import saved_pages as saved
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capsa.chunkers.captures import archivebox, wacz
from capsa.chunkers.captures import pages as captured_pages
from capsa.chunkers.captures.dates import read_date
from capsa.chunkers.captures.http_body import decode_body
from capsa.chunkers.captures.pages import Page, declared_page, read_pages
from capsa.chunkers.captures.saved_html import find_origin, is_named_after, refers_to_folder
from capsa.chunkers.errors import ParseError
from capsa.chunkers.formats import detect
from capsa.chunkers.parsers import parse

URL = "https://www.example.org/mills/?utm_source=a"
URI = "https://example.org/mills"
TEXT = "Neap tides give less water than spring tides, so the stones turn slowly."
NOON = 1_795_856_400_000_000
"""2026-11-28T09:00:00Z in microseconds."""


def only(data: bytes, name: str) -> Page:
    (page,) = read_pages(data, name)
    return page


def warc_of(*records: bytes, packed: bool = True) -> list[Page]:
    return read_pages(saved.warc(records, packed=packed), "a.warc.gz" if packed else "a.warc")


ONE_PAGE = {
    "SingleFile": (saved.single_file(URL, TEXT), "a.html"),
    "MHTML": (saved.mhtml(URL, TEXT), "a.mhtml"),
    "MHTML in base64": (saved.mhtml(URL, TEXT, encoding="base64"), "a.mht"),
    "WARC": (saved.warc([saved.response(URL, saved.page(TEXT))]), "a.warc.gz"),
    "WARC, not packed": (saved.warc([saved.response(URL, saved.page(TEXT))], packed=False), "a.warc"),
    "WACZ": (saved.wacz([saved.response(URL, saved.page(TEXT))]), "a.wacz"),
}
WITHOUT_DATE = {
    "save page as": (saved.saved_as(URL, TEXT), "a.htm"),
    "web archive": (saved.web_archive(URL, TEXT), "a.webarchive"),
    "web archive as XML": (saved.web_archive(URL, TEXT, binary=False), "a.webarchive"),
}


@pytest.mark.parametrize(
    ("data", "name"), [*ONE_PAGE.values(), *WITHOUT_DATE.values()], ids=[*ONE_PAGE, *WITHOUT_DATE]
)
def test_a_saved_page_knows_its_address(data: bytes, name: str) -> None:
    page = only(data, name)
    assert page.uri == URI
    assert page.document.metadata["url"] == URL
    assert page.document.title == "Tide mills"
    assert TEXT in page.document.text
    assert "p {" not in page.document.text


@pytest.mark.parametrize(("data", "name"), ONE_PAGE.values(), ids=ONE_PAGE)
def test_a_saved_page_knows_its_moment(data: bytes, name: str) -> None:
    assert only(data, name).captured == NOON


@pytest.mark.parametrize(("data", "name"), WITHOUT_DATE.values(), ids=WITHOUT_DATE)
def test_a_page_that_does_not_say_when_has_no_moment(data: bytes, name: str) -> None:
    assert only(data, name).captured is None


@pytest.mark.parametrize(
    ("data", "name"), [*ONE_PAGE.values(), *WITHOUT_DATE.values()], ids=[*ONE_PAGE, *WITHOUT_DATE]
)
def test_any_name_will_do(data: bytes, name: str) -> None:
    assert read_pages(data, "download") == read_pages(data, name)


@pytest.mark.parametrize("parser", ["native", "normal", "context_aware"])
def test_every_parser_reads_saved_pages(parser: str) -> None:
    data, name = ONE_PAGE["MHTML"]
    assert TEXT in parse(data, name, parser).text
    assert TEXT in read_pages(data, name, parser)[0].document.text


@pytest.mark.parametrize(
    ("head", "url", "date"),
    [
        ("<!-- saved from url=(0024)https://example.org/mill -->", "https://example.org/mill", None),
        ("<!-- saved from url=(0099)https://example.org/mill -->", "https://example.org/mill", None),
        ("<!-- saved from url=(0001)https://example.org/mill-->", "https://example.org/mill", None),
        ("<!-- saved from url=(0014)about:internet -->", None, None),
        ("<!-- saved from url=(0022)javascript:alert(1) -->", None, None),
        ("<!-- saved from url=(0014)file:///a/b.htm -->", None, None),
        (
            "<!--Page saved with SingleFile url: https://a.org/?b=1&amp;c saved date: x-->",
            "https://a.org/?b=1&c",
            None,
        ),
        ("<!--\n Archive processed by SingleFile \n url: https://a.org/ \n-->", "https://a.org/", None),
        (
            "<!-- Saved from https://a.org/ at 2026-11-28T09:00:00Z using monolith v2.8 -->",
            "https://a.org/",
            NOON,
        ),
        (
            "<meta name=\"savepage-url\" content=\"https://a.org/\"><meta name='savepage-title' content='A'>"
            '<meta name="savepage-date" content="Sat Nov 28 2026 09:00:00 GMT+0000 (UTC)">',
            "https://a.org/",
            NOON,
        ),
        (
            "<html data-scrapbook-source='https://a.org/' data-scrapbook-create='20261128090000000'>",
            "https://a.org/",
            NOON,
        ),
        (
            "<!-- Mirrored from a.org/b.html by HTTrack Website Copier/3.49 [XR&CO'2014],"
            " Sat, 28 Nov 2026 09:00:00 GMT -->",
            "http://a.org/b.html",
            NOON,
        ),
        ("<!-- Mirrored from our colleagues -->", None, None),
        ("<link rel=canonical href='https://a.org/'>", None, None),
        ("", None, None),
    ],
)
def test_what_savers_write_into_a_page(head: str, url: str | None, date: int | None) -> None:
    origin = find_origin(f"<!DOCTYPE html>{head}<p>x")
    assert (origin.url if origin else None) == url
    assert (origin.captured if origin else None) == date


def test_a_canonical_address_counts_with_a_folder_of_images() -> None:
    head = f'<link rel="canonical" href="{URL}">'
    plain = saved.page(TEXT, head=head).encode()
    complete = saved.page(TEXT + '<img src="Tide%20mills_files/a.png">', head=head).encode()
    for data, name, expected in [
        (plain, "mills.html", None),
        (complete, "Tide mills.html", URI),
        (complete, "mills.html", None),
    ]:
        assert read_pages(data, name) == []
        page = declared_page(parse(data, name), data, name)
        assert (page.uri if page else None) == expected


@pytest.mark.parametrize("stem", ["Tide mills", "Ébbe (1)", "a+b&c", "100%"])
def test_folders_of_images_are_known_by_any_name(stem: str) -> None:
    for name in (stem, quote(stem), stem.replace(" ", "%20"), stem.replace("&", "&amp;")):
        assert refers_to_folder(f"<img src='./{name}_files/a.png'>".encode(), f"{stem}.html")
        assert refers_to_folder(f"<img src='{name}-Dateien/a.png'>".encode(), f"{stem}.htm")
        assert not refers_to_folder(f"<img src='{name}x_files/a.png'>".encode(), f"{stem}.html")


@pytest.mark.parametrize(
    ("name", "title", "named"),
    [
        ("Tide mills of the estuary.html", "Tide mills of the estuary", True),
        ("Tide mills of the estuary (2).html", "Tide mills of the estuary", True),
        ("Tide mills of the estuary - Example.htm", "Tide mills of the estuary", True),
        ("Tide mills_ of the.html", "Tide mills: of the estuary", True),
        ("Gezeitenmu\u0308hlen.html", "Gezeitenm\u00fchlen", True),
        ("tide-mills-of-the-estuary.html", "Tide mills of the estuary", False),
        ("gezeitenmühlen.html", "Gezeitenmühlen", False),
        ("index.html", "Index", False),
        ("mills.html", "Tide mills of the estuary", False),
        ("Tide mills.html", "", False),
    ],
)
def test_files_that_browsers_name(name: str, title: str, named: bool) -> None:
    assert is_named_after(name, title) == named


def test_a_canonical_address_counts_in_a_file_named_after_the_page() -> None:
    data = saved.page(TEXT, "Tide mills of the estuary", f'<link rel="canonical" href="{URL}">').encode()
    for name, expected in [("Tide mills of the estuary.html", URI), ("mills.html", None)]:
        page = declared_page(parse(data, name), data, name)
        assert (page.uri if page else None) == expected


def test_a_page_in_frames_has_their_text() -> None:
    frames = ["<p>short", saved.page(TEXT)]
    shell = "<html><frameset><frame src=cid:frame-1></frameset></html>"
    assert TEXT in only(saved.mhtml(URL, "", html=shell, frames=frames), "a.mhtml").document.text
    assert TEXT not in only(saved.mhtml(URL, "mill", frames=frames), "a.mhtml").document.text


def test_the_title_of_a_message_stands_in() -> None:
    html = saved.page(TEXT).replace("<title>Tide mills</title>", "").replace("<h1>Tide mills</h1>", "")
    coded = saved.mhtml(URL, "", html=html, subject="=?utf-8?Q?Gezeitenm=C3=BChlen?=")
    assert only(coded, "a.mhtml").document.title == "Gezeitenmühlen"
    wrong = saved.mhtml(URL, "", html=html, subject="=?nonsense?Q?Mill?=")
    assert "Mill" in only(wrong, "a.mhtml").document.title


def test_a_message_without_an_address_is_a_document_like_any_other() -> None:
    data = saved.mhtml("", TEXT)
    assert read_pages(data, "a.mhtml") == []
    assert TEXT in parse(data, "a.mhtml").text
    assert (
        detect("a.eml", data.replace(b"Snapshot-Content-Location:", b"X:").replace(b"Blink", b"me"))
        == "mhtml"
    )


def test_bodies_come_as_servers_sent_them() -> None:
    html = saved.page(TEXT).encode()
    packed = gzip.compress(html)
    forms = [
        saved.response(URL, packed, headers={"Content-Encoding": "gzip"}),
        saved.response(URL, saved.chunked(html), headers={"Transfer-Encoding": "chunked"}),
        saved.response(
            URL, saved.chunked(packed), headers={"Transfer-Encoding": "chunked", "Content-Encoding": "gzip"}
        ),
        saved.response(URL, zlib.compress(html), headers={"Content-Encoding": "deflate"}),
        saved.response(URL, html, headers={"Transfer-Encoding": "chunked", "Content-Encoding": "gzip"}),
        saved.record("resource", f"<{URL}>", html, version="1.1", Content_Type="text/html"),
    ]
    for form in forms:
        (page,) = warc_of(form)
        assert TEXT in page.document.text


def test_what_a_server_says_of_the_encoding_counts() -> None:
    html = saved.page("Gezeitenmühlen mahlen " + TEXT).replace("utf-8", "koi8-r").encode("latin-1")
    (page,) = warc_of(saved.response(URL, html, content_type="text/html; charset=ISO-8859-1"))
    assert "Gezeitenmühlen" in page.document.text
    (other,) = warc_of(
        saved.response(URL, saved.page("Mühle " + TEXT), content_type="text/html; charset=zip")
    )
    assert "Mühle" in other.document.text


def test_of_several_captures_the_newest_counts() -> None:
    old = saved.response(URL, saved.page("Old. " + TEXT), date="2025-01-01T00:00:00Z")
    new = saved.response("http://example.org/mills", saved.page("New. " + TEXT))
    for records in ([old, new], [new, old]):
        (page,) = warc_of(*records)
        assert "New." in page.document.text
        assert page.captured == NOON


def test_a_revisit_is_the_earlier_text_at_a_later_moment() -> None:
    old = saved.response(URL, saved.page(TEXT), date="2025-01-01T00:00:00Z")
    again = saved.record("revisit", URL, b"HTTP/1.1 200 OK\r\n\r\n", Content_Type="application/http")
    other = saved.record("revisit", "https://example.org/copy", b"", WARC_Refers_To_Target_URI=URL)
    lost = saved.record("revisit", "https://example.org/lost", b"")
    pages = {page.uri: page for page in warc_of(old, again, other, lost)}
    assert set(pages) == {URI, "https://example.org/copy"}
    assert pages[URI].captured == NOON
    assert TEXT in pages["https://example.org/copy"].document.text


def test_an_archive_gives_its_pages_and_nothing_else() -> None:
    pages = warc_of(
        saved.response("https://example.org/a", saved.page("First. " + TEXT)),
        saved.response("https://example.org/b", "Plain words. " + TEXT, content_type="text/plain"),
        saved.response("https://example.org/c.png", b"\x89PNG", content_type="image/png"),
        saved.response("https://example.org/d", saved.page(TEXT), status="404 Not Found"),
        saved.response("https://example.org/e", "<html><script>x</script></html>"),
        saved.response("dns:example.org", "1.2.3.4", content_type="text/plain"),
        saved.record(
            "request", "https://example.org/f", b"GET / HTTP/1.1\r\n\r\n", Content_Type="application/http"
        ),
        saved.response("https://example.org/g", b"PK\x03\x04", content_type="text/html"),
        saved.response(
            "https://example.org/h",
            saved.warc([saved.response(URL, saved.page(TEXT))]),
            content_type="text/html",
        ),
    )
    assert [page.uri for page in pages] == ["https://example.org/a", "https://example.org/b"]
    assert [page.document.kind for page in pages] == ["html", "text"]


def test_an_archive_is_read_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured_pages, "MOST_PAGES", 2)
    records = [saved.response(f"https://example.org/{n}", saved.page(TEXT)) for n in range(4)]
    pages = warc_of(*records)
    assert [len(page.document.notes) for page in pages] == [0, 1]
    assert [page.document.notes for page in warc_of(*records[:2])] == [(), ()]


def test_the_archives_of_a_wacz_share_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [saved.response(f"https://example.org/{n}", saved.page(TEXT)) for n in range(3)]
    assert len(read_pages(saved.wacz(records), "a.wacz")) == 3
    monkeypatch.setattr(wacz, "LARGEST_FILE", len(saved.page(TEXT)) * 3 // 2)
    assert len(read_pages(saved.wacz(records), "a.wacz")) == 1


def test_a_wacz_keeps_to_its_list() -> None:
    records = [
        saved.response(URL, saved.page(TEXT)),
        saved.response("https://ads.example.org/", saved.page("Buy.")),
    ]
    listed = [
        {"url": URL, "title": "From the list", "ts": "2026-11-28T09:00:00Z"},
        {
            "url": "https://example.org/text",
            "title": "Only text",
            "ts": "2026-11-28T09:00:00.000Z",
            "text": TEXT,
        },
        {"url": "https://example.org/nothing"},
    ]
    pages = read_pages(saved.wacz(records, listed), "a.wacz")
    assert [page.uri for page in pages] == [URI, "https://example.org/text"]
    assert [page.captured for page in pages] == [NOON, NOON]
    assert pages[1].document.title == "Only text"
    assert len(read_pages(saved.wacz(records), "a.wacz")) == 2


def test_a_snapshot_of_archivebox() -> None:
    index = {"url": URL, "title": "Mills", "timestamp": "1795856400.0", "updated": None}
    for name, copy in [("singlefile.html", saved.page(TEXT)), ("htmltotext.txt", TEXT)]:
        page = only(archivebox.pack(json.dumps(index).encode(), name, copy.encode()), "index.json")
        assert (page.uri, page.captured) == (URI, NOON)
        assert TEXT in page.document.text
        assert page.document.title in ("Mills", "Tide mills")
    for broken in (b"", b"[]", b"{", b"[" * 100_000):
        with pytest.raises(ParseError):
            read_pages(archivebox.pack(broken, "singlefile.html", b"<p>x"), "index.json")


@pytest.mark.parametrize("name", [*ONE_PAGE, *WITHOUT_DATE])
@settings(max_examples=25, deadline=None)
@given(cut=st.floats(0.01, 0.99), flips=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=6))
@example(cut=0.5, flips=[(0.99609375, 1)])
def test_damaged_files_give_pages_or_one_error(name: str, cut: float, flips: list[tuple[float, int]]) -> None:
    data, file = {**ONE_PAGE, **WITHOUT_DATE}[name]
    damaged = bytearray(data if flips else data[: int(len(data) * cut)])
    for place, value in flips:
        damaged[min(int(place * len(damaged)), len(damaged) - 1)] = value
    # Nothing but a ParseError may come out.
    with suppress(ParseError):
        parse(bytes(damaged), file)
    with suppress(ParseError):
        assert all(page.uri.startswith("https://") for page in read_pages(bytes(damaged), file))


def bomb() -> bytes:
    return gzip.compress(b"0" * (40 << 20), 1)


MESSAGE = b"MIME-Version: 1.0\nContent-Location: http://a/\nContent-Type: multipart/related; boundary=a\n\n"
NESTED = b"".join(b"--a%d\nContent-Type: multipart/mixed; boundary=a%d\n\n" % (n, n + 1) for n in range(3000))
ENTITIES = (
    b'<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
    b"<plist><dict><key>WebMainResource</key><string>&b;</string></dict></plist>"
)


def warc_with_length(length: bytes) -> bytes:
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: %s\r\n\r\n" % length
    return saved.warc([], packed=False) + head


HOSTILE: dict[str, Callable[[], tuple[bytes, str]]] = {
    "body that unpacks without end": lambda: (
        saved.warc([saved.response(URL, bomb(), headers={"Content-Encoding": "gzip"})]),
        "a.warc.gz",
    ),
    "record longer than the file": lambda: (warc_with_length(b"99999999999"), "a.warc"),
    "length that is no number": lambda: (warc_with_length(b"-5"), "a.warc"),
    "length without end": lambda: (warc_with_length(b"9" * 5000), "a.warc"),
    "message inside a message": lambda: (MESSAGE.replace(b"=a", b"=a0") + NESTED, "a.mht"),
    "message without parts": lambda: (MESSAGE, "a.mht"),
    "many parts": lambda: (MESSAGE + b"--a\nContent-Type: text/html\n\n<p>x\n" * 5000, "a.mht"),
    "property list inside itself": lambda: (_nested_plist(), "a.webarchive"),
    "property list with entities": lambda: (ENTITIES, "a.webarchive"),
    "property list of nothing": lambda: (plistlib.dumps([]), "a.webarchive"),
    "list of pages that is none": lambda: (
        _wacz_with_list(b'[1]\n{"url": 5}\nnull\n' + b"[" * 10_000),
        "a.wacz",
    ),
    "zip without end": lambda: (saved.wacz([])[:-30], "a.wacz"),
}


def _nested_plist() -> bytes:
    inner: dict[str, object] = {"WebMainResource": {"WebResourceData": b"<p>x"}}
    for _ in range(300):
        inner = {"WebMainResource": {}, "WebSubframeArchives": [inner]}
    return plistlib.dumps(inner, fmt=plistlib.FMT_BINARY)


def _wacz_with_list(lines: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("datapackage.json", "{}")
        archive.writestr("pages/pages.jsonl", lines)
    return buffer.getvalue()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_told_of(name: str) -> None:
    data, file = HOSTILE[name]()
    with suppress(ParseError):
        assert all(len(page.document.text) < 33 << 20 for page in read_pages(data, file))


@settings(max_examples=100, deadline=None)
@given(
    st.binary(max_size=300),
    st.sampled_from(["", "chunked"]),
    st.sampled_from(["", "gzip", "br, gzip", "deflate", "zstd", "x"]),
)
def test_any_body_is_unpacked_or_left(body: bytes, transfer: str, encoding: str) -> None:
    assert isinstance(decode_body(body, transfer, encoding), bytes)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Sat Nov 28 2026 10:00:00 GMT+0100 (Central European Standard Time)", NOON),
        ("Sat Nov 28 2026 04:00:00 GMT-0500", NOON),
        ("Sat, 28 Nov 2026 09:00:00 -0000", NOON),
        ("2026-11-28T09:00:00Z", NOON),
        ("2026-11-28T10:00:00.000+01:00", NOON),
        ("20261128090000", NOON),
        ("2026-11-28", NOON - 9 * 3_600_000_000),
        ("yesterday", None),
        ("Sat Foo 28 2026 10:00:00 GMT", None),
        ("Sat Nov 99 2026 10:00:00 GMT", None),
        ("99999999999999", None),
        ("", None),
    ],
)
def test_dates_of_savers(text: str, moment: int | None) -> None:
    assert read_date(text) == moment


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_date_or_none(text: str) -> None:
    assert read_date(text) is None or isinstance(read_date(text), int)
