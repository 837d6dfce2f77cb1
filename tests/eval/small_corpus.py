"""Three short documents and five questions about them, written where a test wants them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
