"""Broken files of the text family, each with the outcome it must have."""

from dataclasses import dataclass

import pytest

from capsa.chunkers.errors import ParseError
from capsa.chunkers.parsers import parse

CELLS = b"<table><tr><th>n</th></tr>" + b"".join(
    b"<tr>" + b"<td>7</td>" * 10 + b"</tr>" for _ in range(10_000)
)


@dataclass(frozen=True)
class Bad:
    """A named broken file: its text must hold ``holds``, or parsing must fail with ``reason``."""

    title: str
    name: str
    data: bytes
    holds: str = ""
    reason: str = ""
    outcome: str = "ok"
    lacks: str = "\0"


BAD = [
    Bad("zero bytes", "a.txt", b"", reason="empty"),
    Bad("white space only", "a.txt", b" \n\t\r\n ", outcome="empty"),
    Bad("white space only in Markdown", "a.md", b"\n\n  \n", outcome="empty"),
    Bad("HTML without any text", "a.html", b"<html><body><div></div></body></html>", outcome="empty"),
    Bad("HTML of a comment only", "a.html", b"<!-- nothing -->", outcome="empty"),
    Bad("byte order mark only", "a.txt", b"\xef\xbb\xbf", outcome="empty"),
    Bad(
        "HTML truncated in a tag",
        "a.html",
        b"<p>The dam holds.</p><p>Gate <a href='x",
        holds="The dam holds.",
    ),
    Bad("HTML truncated in a script", "a.html", b"<p>Seen.</p><script>var x = '", holds="Seen.", lacks="var"),
    Bad("HTML truncated in a comment", "a.html", b"<p>Seen.</p><!-- half", holds="Seen."),
    Bad(
        "HTML in a .txt",
        "page.txt",
        b"<!DOCTYPE html><html><body><p>Low tide</p>",
        holds="Low tide",
        lacks="<p>",
    ),
    Bad("HTML in a .md", "page.md", b"<html><body><h1>Low</h1><p>tide</p>", holds="Low", lacks="<h1>"),
    Bad("zip named .txt", "a.txt", b"PK\x03\x04\x14\0\0\0", reason="unsupported"),
    Bad("image named .html", "a.html", b"\x89PNG\r\n\x1a\n\0\0", reason="unsupported"),
    Bad(
        "old office document named .md", "a.md", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", reason="unsupported"
    ),
    Bad("random bytes without a suffix", "blob", bytes(range(256)) * 8, reason="binary"),
    Bad("zeros named .txt", "a.txt", b"\0" * 4096, reason="binary"),
    Bad("UTF-8 with a mark", "a.txt", b"\xef\xbb\xbfWasserm\xc3\xbchle", holds="Wassermühle", lacks="\ufeff"),
    Bad("UTF-16 with a mark", "a.md", "# Mühle".encode("utf-16"), holds="# Mühle"),
    Bad("UTF-16 cut at an odd byte", "a.txt", "Mühle am Bach".encode("utf-16")[:-1], holds="Mühle am Bac"),
    Bad("UTF-16 without a mark", "a.txt", "The mill by the brook".encode("utf-16-le"), holds="mill by the"),
    Bad("UTF-16 big-endian HTML", "a.html", b"\xfe\xff" + "<p>ebb</p>".encode("utf-16-be"), holds="ebb"),
    Bad("UTF-32 with a mark", "a.txt", "ebb and flood".encode("utf-32"), holds="ebb and flood"),
    Bad("a NUL amid text", "a.txt", b"The mill\0 by the brook stands still.", holds="mill\ufffd by"),
    Bad("lone surrogates as bytes", "a.txt", b"wheel \xed\xa0\x80 turns \xed\xbf\xbf on", holds="turns"),
    Bad("a surrogate as a character reference", "a.html", b"<p>mill &#xD800; stone</p>", holds="stone"),
    Bad("a NUL as a character reference", "a.html", b"<p>mill &#0; stone</p>", holds="stone"),
    Bad(
        "windows-1252 quotes",
        "a.txt",
        b"He said \x93the mill\x94 na\xefvely \x96 twice",
        holds="“the mill” naïvely",
    ),
    Bad("Latin-1 amid UTF-8", "a.txt", "Mühle, Müller, Tür, Öl, ".encode() + b"Stra\xdfe", holds="Straße"),
    Bad("unknown meta charset", "a.html", b'<meta charset="klingon"><p>M\xc3\xbchle', holds="Mühle"),
    Bad("meta charset UTF-7", "a.html", b'<meta charset="utf-7"><p>+ADw-b+AD4- M\xc3\xbchle', holds="+ADw-b"),
    Bad("meta charset UTF-16 in ASCII", "a.html", b'<meta charset="utf-16"><p>M\xc3\xbchle', holds="Mühle"),
    Bad("meta charset is no codec of text", "a.html", b'<meta charset="zip"><p>mill', holds="mill"),
    Bad("declared UTF-8, is Latin-1", "a.html", b'<meta charset="utf-8"><p>M\xfchle am Bach', holds="Mühle"),
    Bad("wrong XML declaration", "a.xhtml", b'<?xml version="1.0" encoding="x"?><html><p>mill', holds="mill"),
    Bad(
        "200,000 nested divs",
        "a.html",
        b"<div>" * 200_000 + b"deep words" + b"</div>" * 200_000,
        holds="deep words",
    ),
    Bad("50,000 open quotes", "a.html", b"<blockquote>" * 50_000 + b"deep words", holds="deep words"),
    Bad("20,000 nested tables", "a.html", b"<table><tr><td>x" * 20_000 + b" deep words", holds="deep words"),
    Bad("20,000 nested lists", "a.html", b"<ul><li>x" * 20_000 + b" deep words", holds="deep words"),
    Bad("nested inline tags", "a.html", b"<b><i><span>" * 50_000 + b"deep words", holds="deep words"),
    Bad(
        "unclosed everything",
        "a.html",
        b"<h1>One<p>two<ul><li>three<table><tr><td>four<pre>five",
        holds="five",
    ),
    Bad("a table of 100,000 cells", "a.html", CELLS, holds="\n".join(["\t".join("7" * 10)] * 10_000)),
    Bad(
        "hostile spans",
        "a.html",
        b"<table><tr><th>a<th>b<tr><td colspan=99999999 rowspan=-1>c<td>d",
        holds="d",
    ),
    Bad("5 MB of one token", "a.txt", b"x" * 5_000_000, holds="x" * 5_000_000),
    Bad("5 MB of one token in HTML", "a.html", b"<p>" + b"x" * 5_000_000, holds="x" * 5_000_000),
    Bad("12 MB of one text node", "a.html", b"<p>" + b"x " * 6_000_000 + b"last", holds="last"),
    Bad("5 MB of one line of Markdown", "a.md", b"x " * 2_500_000 + b"last", holds="last"),
    Bad("17 MB of Markdown", "a.md", b"# a\n\n" + b"line of text\n" * 1_310_000, holds="line of text"),
    Bad("100,000 quote marks", "a.md", b">" * 100_000 + b"x", holds=">x"),
    Bad("100,000 open brackets", "a.md", b"[" * 100_000, holds="[["),
    Bad("only link definitions", "a.md", b"[a]: b\n" * 1000, holds="[a]: b"),
    Bad(
        "control characters in HTML",
        "a.html",
        b"<p>a\x01<span hidden>b</span>\x02 &#3;<br>\x04end",
        holds="end",
    ),
    Bad("control characters in code", "a.html", b"<pre>some code here\x01<br>\x02end", holds="end"),
    Bad("an unclosed svg", "a.html", b"<svg>" + b"<p>" + b"words of the page " * 20 + b"end", holds="end"),
    Bad("an unclosed fence", "a.md", b"```py\nx = 1\n\n# no heading", holds="# no heading"),
    Bad("front matter without an end", "a.md", b"---\ntitle: x\n\nwords", holds="words"),
    Bad("front matter that is no YAML", "a.md", b"---\n\t: ][\n---\nwords", holds="words"),
    Bad("an endless Org block", "a.org", b"#+begin_src\n" * 10_000, holds="#+begin_src"),
    Bad("10,000 Org drawers", "a.org", b":a:\n" * 10_000, holds=":a:"),
    Bad(
        "nested reStructuredText notes",
        "a.rst",
        b"".join(b" " * n + b".. note::\n" for n in range(999)),
        holds="note",
    ),
    Bad("a table rule without a table", "a.rst", b"== ==\n\n" * 5_000, holds="== =="),
    Bad("an unclosed comment in code", "a.c", b"/*" * 50_000, holds="/*"),
    Bad("an unclosed quote in CSV", "a.csv", b'"\n' * 50_000, holds='"'),
    Bad("minified JSON", "a.json", b'{"a":' * 50_000, holds='{"a":'),
    Bad("carriage returns only", "a.txt", b"one\rtwo\r\rthree", holds="one\ntwo\n\nthree"),
    Bad("form feeds", "a.txt", b"one\x0c\x0c\x0ctwo", holds="two"),
    Bad("a name of path separators", "..\\..//", b"words", holds="words"),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.title)
def test_a_bad_file_has_its_outcome(bad: Bad) -> None:
    if bad.reason:
        with pytest.raises(ParseError) as caught:
            parse(bad.data, bad.name)
        assert caught.value.reason == bad.reason
        return
    document = parse(bad.data, bad.name)
    assert document.outcome == bad.outcome
    assert bad.holds in document.text
    assert bad.lacks not in document.text
    assert "\0" not in document.text
    document.text.encode("utf-8")
