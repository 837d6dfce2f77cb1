"""Results for people: safe, wrapped, with the words marked."""

import os
import re
from dataclasses import replace

import pytest

from capsa.daemon.output import results_to_json, results_to_text
from capsa.daemon.terminal import BOLD
from capsa.store.records import Arm, Hit, Results, Snippet, Why

HIT = Hit(
    rank=1,
    score=0.5,
    document_id=7,
    uri="file:///docs/pl%E4n.pdf",
    path=b"/docs/pl\xe4n.pdf",
    title="The\x1b[31m plan\u202e",
    kind="pdf",
    modified=1_700_000_000.0,
    chunk_id=9,
    start=10,
    end=60,
    page_first=2,
    page_last=3,
    headings=("Part\x07 1", "Storm"),
    chunk_kind="text",
    text="When a storm\x1b]52;c;x\x07 comes",
    snippet=Snippet(
        "When  a storm\x1b]52;c;x\x07 comes,\n the mayor " + "designates an officer " * 8, ((8, 13),)
    ),
    why=Why(Arm(1, 3.25), None, 0.6),
)


def lines(colour: bool, explain: bool = False, width: int = 80) -> list[str]:
    return list(results_to_text(Results((HIT,), (), 1.0), colour, explain, width))


def test_a_hit_for_people() -> None:
    shown = lines(colour=False, explain=True, width=60)
    assert shown[0].startswith(" 1. The\\x1b[31m plan\\u202e  pdf · 2023-11-1")
    assert shown[1] == "    /docs/pl\\xe4n.pdf, pages 2-3"
    assert shown[2] == "    Part\\x07 1 > Storm"
    assert shown[3].startswith("    … When a storm\\x1b]52;c;x\\x07 comes, the mayor")
    assert shown[-2] == "    score 0.5000, bm25 rank 1 (3.2500), dense -, keyword weight 0.60"
    assert max(map(len, shown[3:-2])) <= 60


def test_the_title_is_not_repeated_and_cuts_are_shown() -> None:
    hit = replace(HIT, title="Storm", headings=("Storm", "Boats"), text="a b c", snippet=Snippet("b"))
    shown = list(results_to_text(Results((hit,), (), 1.0), False, False, 80))
    assert shown[2:4] == ["    Boats", "    … b …"]
    whole = replace(hit, headings=("Storm",), snippet=Snippet("a b c"))
    assert list(results_to_text(Results((whole,), (), 1.0), False, False, 80))[2] == "    a b c"


def test_a_document_is_told_once() -> None:
    hits = (HIT, replace(HIT, rank=2, document_id=8), replace(HIT, rank=3, page_first=5, page_last=5))
    shown = list(results_to_text(Results(hits, (), 1.0), False, False, 80))
    assert sum("/docs/" in line for line in shown) == 2
    assert " 3. in the document of 1, page 5" in shown


def test_only_our_own_codes_are_active(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    shown = "\n".join(lines(colour=True))
    assert f"{BOLD}storm" in shown
    assert not re.sub(r"\x1b\[[012]m", "", shown).count("\x1b")


def test_a_hit_for_programs() -> None:
    record = results_to_json("storm", Results((HIT,), ("a note",), 1.23456))
    assert list(record) == ["schema", "query", "took_ms", "hits", "notes"]
    hit = record["hits"][0]
    assert list(hit) == [
        "rank",
        "score",
        "document",
        "chunk",
        "text",
        "snippet",
        "highlights",
        "why",
    ]
    assert list(hit["document"]) == ["id", "uri", "path", "title", "kind", "modified"]
    assert list(hit["chunk"]) == ["id", "start", "end", "page_first", "page_last", "headings", "kind"]
    assert hit["text"] == HIT.text
    assert [hit["snippet"][start:end] for start, end in hit["highlights"]] == ["storm"]
    assert hit["document"]["path"] == "/docs/pl\ufffdn.pdf"
    assert hit["document"]["modified"] == "2023-11-14T22:13:20Z"
    assert hit["why"] == {"bm25": {"rank": 1, "score": 3.25}, "dense": None}
    assert os.fsencode(hit["document"]["uri"]) == HIT.uri.encode()


def test_a_saved_page_shows_its_host_its_address_and_its_file() -> None:
    hit = replace(HIT, kind="page", uri="https://example.org/mills", page_first=None, page_last=None)
    shown = list(results_to_text(Results((hit,), (), 1.0), False, False, 80))
    assert "page · example.org · " in shown[0]
    assert shown[1:3] == ["    https://example.org/mills", "    /docs/pl\\xe4n.pdf"]
    record = results_to_json("q", Results((hit,), (), 1.0))["hits"][0]["document"]
    assert (record["url"], record["site"]) == ("https://example.org/mills", "example.org")
