"""Which format a file is in."""

import sys
from collections import Counter

import pytest

from capsa.chunkers.errors import ParseError, UsageError
from capsa.chunkers.formats import FORMATS, detect
from capsa.chunkers.parsers import PARSERS, parse


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a.md", b"# x", "markdown"),
        ("A.HTML", b"<p>x", "html"),
        ("a.txt", b"%PDF-1.7", "pdf"),
        ("a.pdf", b"junk before\n%PDF-1.4", "pdf"),
        ("a.pdf", b"no pdf at all", "text"),
        ("a.md", b"<!-- c --><!DOCTYPE html><html>", "html"),
        ("a.md", b"<div align=center>\n\n# x", "markdown"),
        ("a.md", b"<h1>x</h1>", "markdown"),
        ("page", b"\n<html lang=en>", "html"),
        ("page.php", b"<html><?php", "code"),
        ("a.rst.txt", b"x", "rst"),
        ("README", b"x", "text"),
        ("Makefile", b"all:", "code"),
        ("run", b"#!/bin/sh\n", "code"),
        ("a.unknown", b"words", "text"),
        ("dir.md/noext", b"words", "text"),
        ("a.tsv", b"a\tb", "csv"),
        ("a.org", b"* x", "org"),
        ("a.html", "<html>".encode("utf-16"), "html"),
    ],
)
def test_content_beats_name_and_name_beats_nothing(name: str, head: bytes, expected: str) -> None:
    assert detect(name, head) == expected


@pytest.mark.parametrize(
    ("head", "reason"),
    [(b"", "empty"), (b"PK\x03\x04", "unsupported"), (b"a\0b", "binary"), (b"\x7fELF", "unsupported")],
)
def test_what_is_no_text_is_refused(head: bytes, reason: str) -> None:
    with pytest.raises(ParseError) as caught:
        detect("blob", head)
    assert caught.value.reason == reason


def test_a_suffix_belongs_to_one_format() -> None:
    counts = Counter(suffix for each in FORMATS for suffix in each.suffixes | each.names)
    assert [suffix for suffix, count in counts.items() if count > 1] == []


def test_the_parsers_are_the_four_of_the_design() -> None:
    assert list(PARSERS) == ["native", "normal", "context_aware", "docling"]
    with pytest.raises(UsageError, match="context_aware"):
        parse(b"x", "a.txt", parser="magic")


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16", "koi8-r"])
def test_a_page_is_known_without_a_guess_at_its_encoding(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What tells formats runs where no limits are, and the guess takes 23 MB.
    monkeypatch.setitem(sys.modules, "chardet", None)
    page = "<!-- ж -->\n<!DOCTYPE html><title>x</title>" if encoding != "cp1252" else "<!-- é --><html>"
    assert detect("page.txt", page.encode(encoding)) == "html"
    assert detect("page.txt", f"{page[5]} {page}".encode(encoding)) == "text"
