"""HTML files that a browser, an extension or a mirror saved, known by what it wrote into them.

A canonical address alone says little: generators give all pages of a manual the same one. It counts when the
page keeps its images in a folder of its own, as browsers save "Web page, complete", or when the file is named
after the page's title, as they name what they save.
"""

import re
import unicodedata
from dataclasses import dataclass
from html import unescape
from pathlib import PurePosixPath

from ..model import Document
from ..urls import kind_of
from .beside import FOLDER_SUFFIXES
from .dates import read_date

HEAD = 1 << 16
# "index" and "overview" are names of files and titles of pages.
_SHORTEST_TITLE = 10
# Of a second download of the same name.
_NUMBERED = re.compile(r"\s?\(\d{1,3}\)$")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a saved file is from, and when it was saved (microseconds since 1970, None if unknown)."""

    url: str
    captured: int | None


@dataclass(frozen=True, slots=True)
class Sign:
    """What one saver writes: a pattern with the groups ``url`` and perhaps ``date``."""

    saver: str
    pattern: re.Pattern[str]


def _sign(saver: str, pattern: str) -> Sign:
    return Sign(saver, re.compile(pattern, re.IGNORECASE))


# The particular first: a page that was saved twice has the older sign deeper inside.
SIGNS: tuple[Sign, ...] = (
    _sign(
        "SingleFile",
        r"<!--\s{0,9}(?:Page saved with|Archive processed by) SingleFile\s{1,9}url:\s{0,9}(?P<url>\S{1,4000})"
        r"(?:\s{1,9}saved date:\s{0,9}(?P<date>[^\n<>]{1,100}))?",
    ),
    _sign("monolith", r"<!--\s{0,9}Saved from (?P<url>\S{1,4000}) at (?P<date>\S{1,40}) using monolith"),
    _sign(
        "Save Page WE",
        r"<meta name=[\"']?savepage-url[\"']? content=[\"'](?P<url>[^\"'<>]{1,4000})[\"']"
        r"(?:[\s\S]{0,2000}?<meta name=[\"']?savepage-date[\"']?"
        r" content=[\"'](?P<date>[^\"'<>]{1,100})[\"'])?",
    ),
    _sign(
        "WebScrapBook",
        r"<html\b[^>]{0,2000}?\sdata-scrapbook-source=[\"'](?P<url>[^\"'<>]{1,4000})[\"']"
        r"(?:[^>]{0,2000}?\sdata-scrapbook-create=[\"'](?P<date>\d{1,17})[\"'])?",
    ),
    _sign(
        "HTTrack",
        r"<!--\s{0,9}Mirrored from (?P<url>\S{1,4000}) by HTTrack Website Copier[^>,]{0,80}, "
        r"(?P<date>[^<>]{1,60}?)\s{0,9}-->",
    ),
    _sign("browser", r"<!--\s{0,9}saved from url=\(\d{1,9}\)(?P<url>\S{1,4000})"),
)


def find_origin(head: str) -> Origin | None:
    """Return where a page says that it was saved from; None when it does not, or names no web page."""
    head = head[:HEAD]
    for sign in SIGNS:
        match = sign.pattern.search(head)
        if match is None:
            continue
        groups = match.groupdict()
        url = unescape(match["url"].partition("-->")[0])
        if sign.saver == "HTTrack":
            url = f"http://{url}" if "://" not in url else url
        if kind_of(url) in ("web", "local"):
            return Origin(url, read_date(groups.get("date") or ""))
    return None


def find_declared_origin(data: bytes, name: str, document: Document) -> Origin | None:
    """Return the canonical address of a page that a browser has saved to all appearances."""
    url = document.metadata.get("canonical", "")
    if kind_of(url) == "web" and (is_named_after(name, document.title) or refers_to_folder(data, name)):
        return Origin(url, None)
    return None


def is_named_after(name: str, title: str) -> bool:
    """Say whether a file has a page's title for a name, as browsers give it: cut, and without some signs.

    Generators name files after titles, too, but without spaces and capitals.
    """
    stem = _NUMBERED.sub("", PurePosixPath(name.replace("\\", "/")).stem)
    one, other = sorted((_letters(stem), _letters(title)), key=len)
    spaced = " " in stem or " " not in title
    return spaced and len(one) >= _SHORTEST_TITLE and other.startswith(one)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text[:300])))


def refers_to_folder(data: bytes, name: str) -> bool:
    """Say whether the page takes something from the folder that a browser saves beside it."""
    stem = PurePosixPath(name.replace("\\", "/")).stem.encode("utf-8", "replace")
    folder = b"[\"'(/=]%s(?:%s)/" % (b"".join(map(_written, stem)), "|".join(FOLDER_SUFFIXES).encode())
    return re.search(folder, data, re.IGNORECASE) is not None


def _written(byte: int) -> bytes:
    """Return a pattern for a byte of a name, which one browser encodes in an address and another does not."""
    char = re.escape(bytes([byte]))
    return char if char.isalnum() else b"(?:%s|%%%02X%s)" % (char, byte, b"|&amp;" if char == b"\\&" else b"")
