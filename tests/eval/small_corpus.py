"""Three short documents and five questions about them, written where a test wants them; corpora in memory."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capsa.chunkers.model import Chunk, Document, Window
from capsa.eval.corpus import Corpus, Item, Source
from capsa.eval.matching import normalise

ROOT = Path("/corpus")
DOCUMENTS = {
    "tea.md": "# Tea\n\n## Water\n\nGreen tea wants water of seventy degrees.\n\n"
    "## Time\n\nSteep it for two minutes, not longer.\n",
    "coffee.md": "# Coffee\n\nGrind the beans just before brewing. Use water of ninety-four degrees.\n",
    "notes/cocoa.html": "<html><head><title>Cocoa</title></head><body><h1>Cocoa</h1>"
    "<p>Stir the powder into a little cold milk first.</p></body></html>",
}
QUESTIONS = [
    ("t1", "How hot should water for green tea be?", ["water of seventy degrees"], "tea.md"),
    ("t2", "How long does tea steep?", ["Steep it for two minutes", "not longer"], "tea.md"),
    ("c1", "When are coffee beans ground?", ["Grind the beans just before brewing"], "coffee.md"),
    ("k1", "What is cocoa powder stirred into?", ["a little cold milk"], "notes/cocoa.html"),
    ("k2", "Who invented cocoa?", ["nobody wrote this anywhere"], "notes/cocoa.html"),
]


def write_corpus(folder: Path, **more: Any) -> tuple[Path, Path]:
    """Write documents and questions (with ``more`` in each row); return the folder and the question file."""
    root = folder / "docs"
    for name, text in DOCUMENTS.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    return root, write_questions(folder / "questions.jsonl", *rows(**more))


def rows(**more: Any) -> list[dict[str, Any]]:
    """The questions as rows of a file."""
    return [
        {
            "id": i,
            "question": q,
            "required_evidence": e,
            "doc": d,
            "phrasing": "natural",
            "type": d[0],
            **more,
        }
        for i, q, e, d in QUESTIONS
    ]


def write_questions(path: Path, *questions: Mapping[str, Any]) -> Path:
    """Write a question file."""
    path.write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    return path


def item(name: str, *parts: str) -> Item:
    """A document of one part a page, each a chunk of its own."""
    text = "\n".join(parts)
    chunks, start = [], 0
    for page, part in enumerate(parts, 1):
        end = start + len(part)
        chunks.append(
            Chunk(start, end, start, page_first=page, page_last=page, windows=(Window(start, end),))
        )
        start += len(part) + 1
    source = Source(ROOT / name, b"", Document(text, (), "text", pages=len(parts)))
    texts = tuple(map(normalise, parts))
    return Item(source, tuple(chunks), texts, tuple(len(part.split()) for part in parts))


def corpus(*items: Item) -> Corpus:
    """A corpus of the documents."""
    return Corpus(ROOT, {each.path: each for each in items})
