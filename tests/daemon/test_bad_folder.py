"""A folder of nothing but trouble is indexed to the end, and its report adds up."""

import gzip
import json
import os
import socket
import zlib
from pathlib import Path

import pytest

from capsa.daemon.cli import main

DEEP = 20_000
BAD: dict[str, bytes] = {
    "empty.md": b"",
    "one-byte.txt": b"x",
    "only-space.md": b" \n\t\n" * 1000,
    "nul.txt": b"a\0b\0c storm\0" * 50,
    "binary.txt": bytes(range(256)) * 100,
    "utf16.txt": "storm warning".encode("utf-16"),
    "broken-utf8.md": b"# caf\xe9 \xff\xfe storm\n\n\xc3\x28",
    "surrogate.md": b"# x\n\n\xed\xa0\x80 lone surrogate",
    "wrong-bom.txt": b"\xff\xfeodd",
    "one-token.txt": b"a" * 300_000,
    "no-space.md": "風".encode() * 20_000,
    "zero-width.txt": "\u200b".encode() * 100_000,
    "deep.html": b"<div>" * DEEP + b"storm" + b"</div>" * DEEP,
    "unclosed.html": b"<table><tr><td>storm" * 2000,
    "entities.html": b"<p>" + b"&amp;" * 100_000,
    "comment.html": b"<!--" * 50_000,
    "script.html": b"<script>" + b"x" * 100_000,
    "deep-quote.md": b">" * DEEP + b" storm",
    "deep-list.md": b"".join(b" " * 2 * n + b"- x\n" for n in range(500)),
    "brackets.md": b"[" * 50_000,
    "stars.md": b"*a_" * 30_000,
    "backticks.md": b"`" * 50_001 + b"x",
    "front-matter.md": b"---\n" + b"a: &a [*a]\n" * 100 + b"storm",
    "pipes.md": b"|" * 20_000 + b"\n" + b"|-" * 10_000 + b"|\n",
    "truncated.pdf": b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog",
    "no-pdf.pdf": b"this is plain text about a storm",
    "pdf-named.txt": b"%PDF-1.4\nnothing",
    "bomb.pdf": b"%PDF-1.4\n1 0 obj<</Filter/FlateDecode/Length 9>>stream\n"
    + zlib.compress(bytes(20_000_000))
    + b"\nendstream endobj\n",
    "html-named.md": b"<!doctype html><html><body><p>storm</p></body></html>",
    "zip-named.txt": b"PK\x03\x04" + bytes(100),
    "gzip-named.md": gzip.compress(b"storm"),
    "picture.html": b"\x89PNG\r\n\x1a\n" + bytes(50),
    "deep.json": b"[" * DEEP,
    "deep.rst": b"".join(b" " * n + b"* x\n" for n in range(300)),
    "stars.org": b"*" * 50_000 + b" storm",
    "quotes.csv": b'"' * 50_001,
    "long-line.py": b"x = '" + b"y" * 100_000 + b"'",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, data in BAD.items():
        (docs / name).write_bytes(data)
    os.mkfifo(docs / "fifo.md")
    (docs / "loop").symlink_to(docs)
    (docs / "link.md").symlink_to("/etc/passwd")
    (docs / "good.md").write_text("# Lighthouse\n\nThe lighthouse stands after all this.\n")
    return docs


def test_the_report_adds_up(
    folder: Path, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(folder)  # a socket's path must be short
        server.bind("socket.md")
        assert main(["index", "--json", str(folder)]) == 0
    first = json.loads(capsys.readouterr().out)
    refused = sum(first["skipped"].values()) + sum(first["failed"].values())
    assert first["found"] == len(BAD) + 5 == first["indexed"] + refused
    assert first["skipped"]["special"] == 2
    assert first["skipped"]["symlink"] == 2
    assert "crash" not in first["failed"]
    assert main(["index", "--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert (second["unchanged"], second["failed"]) == (first["indexed"], first["failed"])
    assert second["skipped"] == first["skipped"]
    assert main(["search", "lighthouse", "--json", "-n", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["document"]["title"] == "Lighthouse"
    assert main(["doctor"]) == 0
