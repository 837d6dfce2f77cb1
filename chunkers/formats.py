"""Which format a file is in: by its first bytes where they are plain, else by its name."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from .captures.detecting import find_kind
from .charset import glance, wide_encoding
from .errors import ParseError

HEAD = 8192


@dataclass(frozen=True, slots=True)
class Format:
    """A format that capsa reads: its name and the suffixes and whole file names it goes by."""

    name: str
    suffixes: frozenset[str]
    names: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The order is that of the message for an unknown format; suffixes are disjoint (tested).
FORMATS: tuple[Format, ...] = (
    Format("pdf", _words(".pdf")),
    Format("html", _words(".html .htm .xhtml .xht .shtml")),
    # A saved page, and archives of them; which one it is decides captures/detecting.py.
    Format("mhtml", _words(".mhtml .mht")),
    Format("webarchive", _words(".webarchive")),
    Format("warc", _words(".warc .warc.gz .warc.zst")),
    Format("wacz", _words(".wacz")),
    Format("markdown", _words(".md .markdown .mdown .mkd .mkdn .mdx .qmd .rmd")),
    Format("rst", _words(".rst .rest")),
    Format("org", _words(".org")),
    Format("csv", _words(".csv .tsv")),
    Format(
        "code",
        _words(
            ".py .pyi .js .mjs .cjs .ts .jsx .tsx .c .h .cc .cpp .cxx .hh .hpp .hxx .java .kt .kts "
            ".scala .go .rs .rb .php .pl .pm .swift .m .mm .cs .fs .vb .lua .r .jl .hs .ml .mli .ex "
            ".exs .erl .clj .el .lisp .scm .sh .bash .zsh .fish .ps1 .bat .cmd .sql .vim .dart .zig "
            ".nim .groovy .gradle .cmake .mk .tf .proto .awk .tcl .f .f90 .pas .asm .s .css .scss "
            ".less .vue .svelte .json .jsonl .ndjson .yaml .yml .toml .ini .cfg .conf .properties "
            ".xml .xsd .xsl .xslt .svg .desktop .service .diff .patch"
        ),
        _words(
            "makefile gnumakefile dockerfile containerfile cmakelists.txt rakefile gemfile "
            "jenkinsfile vagrantfile"
        ),
    ),
    Format(
        "text",
        _words(".txt .text .log .tex .ltx .bib .adoc .asciidoc .textile .srt .vtt .nfo .asc"),
        _words(
            "readme license licence copying authors changelog changes news todo install notice contributors"
        ),
    ),
)
# A name alone does not make one of these.
_BY_CONTENT = ("pdf", "mhtml", "webarchive", "warc", "wacz")
_BY_SUFFIX = {suffix: each.name for each in FORMATS for suffix in each.suffixes}
_BY_NAME = {name: each.name for each in FORMATS for name in each.names}

# First bytes of what is surely no text, and the word for it in the message.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a zip archive or an office document"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "PostScript"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\0", "an xz file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"(\xb5/\xfd", "a zstandard file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"\x89PNG\r\n", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF87a", "an image"),
    (b"GIF89a", "an image"),
    (b"OggS", "audio or video"),
    (b"ID3", "audio"),
)
_HTML = re.compile(
    r"(?:\s{0,999}<!--[^>]{0,2000}-->|\s{0,999}<\?xml[^>]{0,200}>){0,5}\s{0,999}<(?:!doctype\s{1,99}html|html|head|body)[\s>]",
    re.IGNORECASE,
)
_NOT_TEXT = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b\x1a\x1c\x1d\x1e\x1f"))


def detect(name: str, head: bytes) -> str:
    """Return the name of the format; content beats suffix where they contradict.

    Raises ParseError with reason "empty", "unsupported" (a known format without a parser) or "binary".
    """
    if not head:
        raise ParseError("empty", f"{name} is empty")
    head = head[:HEAD]
    if (capture := find_kind(name, head)) is not None:
        return capture
    if b"%PDF-" in head[:1024]:
        return "pdf"
    _refuse_magic(name, head)
    claimed = _claimed(name)
    _refuse_binary(name, head, claimed)
    if claimed != "code" and _HTML.match(glance(head)):
        return "html"
    if claimed in (None, *_BY_CONTENT):
        return "code" if head.startswith(b"#!") else "text"
    return claimed


def _claimed(name: str) -> str | None:
    """Return what the file's name says; documentation is often served as source, ``x.rst.txt``."""
    path = PurePosixPath(name.replace("\\", "/").lower())
    if path.suffix == ".txt" and path.with_suffix("").suffix in (".rst", ".md", ".org"):
        path = path.with_suffix("")
    return _BY_NAME.get(path.name) or _BY_SUFFIX.get(path.suffix)


def _refuse_magic(name: str, head: bytes) -> None:
    for magic, what in _MAGIC:
        if head.startswith(magic):
            raise ParseError("unsupported", f"{name} is {what}, which capsa does not read")


def _refuse_binary(name: str, head: bytes, claimed: str | None) -> None:
    """A text may hold a stray control character; a name without a known suffix is believed less."""
    if wide_encoding(head) or head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        return
    odd = len(head) - len(head.translate(None, _NOT_TEXT))
    if odd > len(head) * (0.1 if claimed else 0.0):
        raise ParseError(
            "binary", f"{name} is not text ({odd} control characters in the first {len(head)} bytes)"
        )
