"""Exports in HTML: bookmarks in Netscape's format, lists of Pocket and Instapaper, Google's activity."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import parse_qs, urlsplit

from lxml import etree

from .model import Bad, Bookmark, Meter, Record, Records, Visit, begin
from .streams import PIECE
from .times import from_1970, parse_time

Attributes = Mapping[str, str]
# Of a title or a folder.
_LONGEST = 10_000


class Target:
    """What lxml tells of a page as it reads it; subclasses collect records."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._text: list[str] = []
        self._length = 0

    def start(self, tag: str, attributes: Attributes) -> None:
        """Take the beginning of an element."""

    def end(self, tag: str) -> None:
        """Take the end of an element."""

    def data(self, text: str) -> None:
        """Take text."""
        if self._length < _LONGEST:
            self._text.append(text)
            self._length += len(text)

    def close(self) -> None:
        """Take the end of the page."""

    def take_text(self) -> str:
        """Return the text since the last call."""
        text, self._text, self._length = "".join(self._text), [], 0
        return " ".join(text.split())


class Bookmarks(Target):
    """``<DT><H3>folder</H3><DL>…<DT><A HREF ADD_DATE TAGS>title</A>…</DL>``; flat lists are the same."""

    def __init__(self) -> None:
        super().__init__()
        self._folders: list[str] = []
        self._heading = ""
        self._link: Attributes | None = None

    def start(self, tag: str, attributes: Attributes) -> None:
        """Enter a folder, or begin a heading or a link."""
        if tag == "dl":
            self._folders.append(self._heading)
            self._heading = ""
        elif tag in ("h1", "h3", "a"):
            self.take_text()
            self._link = dict(attributes) if tag == "a" else None

    def end(self, tag: str) -> None:
        """Leave a folder, or take a heading or a link with its text."""
        if tag == "dl" and self._folders:
            self._folders.pop()
        elif tag == "h3":
            self._heading = self.take_text()
        elif tag == "h1":
            # In the lists of reading services the headings are the states: unread, archive.
            self.take_text()
        elif tag == "a" and self._link is not None:
            self._keep(self._link)
            self._link = None

    def _keep(self, link: Attributes) -> None:
        url = link.get("href", "")
        tags = tuple(tag.strip() for tag in link.get("tags", "").split(",") if tag.strip())
        folder = " / ".join(name for name in self._folders if name)
        when = _date(link.get("add_date") or link.get("time_added") or "")
        if url:
            self.records.append(Bookmark(url, self.take_text(), when, tags, folder))


class Activity(Target):
    """Google's activity. The first link of a cell is the page, the last line of its text the date."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0
        self._cell = 0
        self._link: str | None = None
        self._url = self._title = self._line = ""

    def start(self, tag: str, attributes: Attributes) -> None:
        """Enter a cell, or begin its first link."""
        if tag == "div":
            self._depth += 1
            classes = attributes.get("class", "")
            if "content-cell" in classes and "body-1" in classes and "text-right" not in classes:
                self._cell, self._url, self._title, self._line = self._depth, "", "", ""
                self.take_text()
        elif tag == "a" and self._cell and not self._url:
            self._link = attributes.get("href", "")
            self.take_text()
        elif tag == "br" and self._cell:
            self._line = self.take_text() or self._line

    def end(self, tag: str) -> None:
        """End the link, or take the cell."""
        if tag == "a" and self._link is not None:
            self._url, self._title, self._link = _unwrapped(self._link), self.take_text(), None
        elif tag == "div":
            if self._cell == self._depth and self._url:
                self._keep(self.take_text() or self._line)
            self._cell = 0 if self._cell == self._depth else self._cell
            self._depth -= 1

    def _keep(self, date: str) -> None:
        when = parse_time(date)
        if when is None:
            self.records.append(
                Bad("date", f"not a date that can be read: {date[:60]!r} for {self._url[:200]}")
            )
            return
        title = "" if "://" in self._title else self._title
        self.records.append(Visit(self._url, title, when))


@dataclass(frozen=True, slots=True)
class Page:
    """An HTML file with these words, in lower case, within so many of its first bytes."""

    name: str
    browser: str
    words: tuple[bytes, ...]
    target: Callable[[], Target]
    within: int = 1000

    def fits(self, head: bytes) -> bool:
        """Whether a file that begins so is one of them."""
        if begin(head)[:1] != b"<":
            return False
        lower = head[: self.within].lower()
        return all(word in lower for word in self.words)

    def read(self, source: BinaryIO, meter: Meter) -> Records:
        """Yield its records."""
        target = self.target()
        parser = etree.HTMLParser(target=target, encoding="utf-8", recover=True, no_network=True)
        while piece := source.read(PIECE):
            meter.done += len(piece)
            parser.feed(piece)
            yield from target.records
            target.records.clear()
        if meter.done:
            parser.close()
        yield from target.records


PAGES = (
    Page("Bookmarks", "bookmarks", (b"<!doctype netscape-bookmark-file",), Bookmarks),
    Page("Pocket", "pocket", (b"<title>pocket export</title>",), Bookmarks),
    Page("Instapaper", "instapaper", (b"<title>instapaper: export</title>",), Bookmarks),
    Page("Google activity", "google", (b"<title>my activity history</title>",), Activity),
    # Its style sheet comes first.
    Page("Google activity", "google", (b'class="outer-cell mdl-cell',), Activity, within=1 << 20),
)


def _date(text: str) -> int | None:
    return from_1970(int(text)) if text.isascii() and text.isdigit() and 0 < len(text) < 18 else None


def _unwrapped(url: str) -> str:
    """Return the page that a link of Google leads to."""
    if not url.startswith(("https://www.google.com/url?", "http://www.google.com/url?")):
        return url
    try:
        found = parse_qs(urlsplit(url).query)
    except ValueError:
        return url
    return next((values[0] for name in ("q", "url") if (values := found.get(name))), url)
