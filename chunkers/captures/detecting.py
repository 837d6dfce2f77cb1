"""Which kind of saved page or archive a file is: by its first bytes and, if these may mislead, its name."""

import re
import zlib

# How a snapshot folder of ArchiveBox begins when it is read as one file.
ARCHIVEBOX_INDEX = "archivebox/index.json"


_MAIL_HEAD = re.compile(rb"\s{0,99}[A-Za-z-]{1,40}:[ \t]")
_RELATED = re.compile(rb"^content-type:\s{1,99}(?:multipart/related|text/html)", re.IGNORECASE | re.MULTILINE)
_SAVER = re.compile(
    rb"^(?:snapshot-content-location|content-location|from:\s{1,9}[\"']?<saved by|x-maf)",
    re.IGNORECASE | re.MULTILINE,
)
_WACZ_FIRST = b"datapackage.json"
_WARC = b"WARC/"
_GZIP = b"\x1f\x8b"
_ZSTD = b"(\xb5/\xfd"


def find_kind(name: str, head: bytes) -> str | None:
    """Return the name of a capture format, None for any other file."""
    lower = name.lower()
    for kind, fits in _TESTS:
        if fits(lower, head):
            return kind
    return None


def _is_warc(name: str, head: bytes) -> bool:
    if head.startswith(_GZIP):
        return _unpacked(head).startswith(_WARC)
    return head.startswith(_WARC) or (head.startswith(_ZSTD) and name.endswith((".warc.zst", ".warc.zstd")))


def _unpacked(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, len(_WARC))
    except zlib.error:
        return b""


def _is_wacz(name: str, head: bytes) -> bool:
    # The name of the first member stands behind the 30 bytes of its header.
    return head.startswith(b"PK\x03\x04") and (name.endswith(".wacz") or head[30:].startswith(_WACZ_FIRST))


def _is_webarchive(name: str, head: bytes) -> bool:
    binary = head.startswith(b"bplist00")
    markup = head.lstrip()[:5] in (b"<?xml", b"<!DOC", b"<plis") and b"<plist" in head
    return (binary or markup) and (name.endswith(".webarchive") or b"WebMainResource" in head)


def _is_mhtml(name: str, head: bytes) -> bool:
    if not _MAIL_HEAD.match(head) or not _RELATED.search(head):
        return False
    return name.endswith((".mht", ".mhtml")) or _SAVER.search(head) is not None


def _is_archivebox(name: str, head: bytes) -> bool:
    return head.startswith(ARCHIVEBOX_INDEX.encode()) and head[257:262] == b"ustar"


# Disjoint; the cheap ones come first.
_TESTS = (
    ("warc", _is_warc),
    ("wacz", _is_wacz),
    ("webarchive", _is_webarchive),
    ("archivebox", _is_archivebox),
    ("mhtml", _is_mhtml),
)
