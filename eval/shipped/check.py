"""What can be wrong with a collection's questions, each fault in one line."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from capsa.chunkers.parsers import parse

from ..matching import normalise, strict
from ..questions import Question, load_questions
from . import DOCUMENTS, ROOT

TYPES = frozenset(
    {
        "exact_fact",
        "table_lookup",
        "table_context",
        "negation",
        "negative_query",
        "procedural",
        "numerical",
        "comparison",
        "list_membership",
        "temporal",
        "conditional_exception",
        "paraphrase",
    }
)
PHRASINGS = frozenset({"keyword", "natural", "paraphrase"})


def problems(collection: str) -> list[str]:
    """The faults of a collection's question file, empty when it is sound or absent."""
    path = ROOT / f"questions_{collection}.jsonl"
    if not path.exists():
        return []
    questions = load_questions(path)
    found = [f"{path.name}: {line}" for question in questions for line in _faults(question, collection)]
    twins = Counter(question.text.casefold() for question in questions)
    return found + [f"{path.name}: asked twice: {text}" for text, times in twins.items() if times > 1]


def _faults(question: Question, collection: str) -> Iterator[str]:
    name = question.id
    if not name.startswith(f"{collection}-q"):
        yield f"{name}: does not begin with {collection}-q"
    if question.type not in TYPES:
        yield f"{name}: the type {question.type!r} is none of the twelve"
    if question.phrasing not in PHRASINGS:
        yield f"{name}: the phrasing {question.phrasing!r} is none of the three"
    if not question.doc.startswith(f"{collection}/") or not (DOCUMENTS / question.doc).is_file():
        yield f"{name}: its document {question.doc} is not in the collection"
        return
    if question.doc.endswith(".pdf") and not question.pages:
        yield f"{name}: no single page holds the evidence; give its pages"
    for evidence in question.evidence:
        yield from _evidence_faults(name, normalise(evidence), question.doc)


def _evidence_faults(name: str, evidence: str, document: str) -> Iterator[str]:
    if not strict(evidence, text_of(DOCUMENTS / document)):
        yield f"{name}: not in {document}: {evidence}"
    for path in sorted(DOCUMENTS.glob("c*/*.*")):
        if path != DOCUMENTS / document and strict(evidence, text_of(path)):
            yield f"{name}: also in {path.relative_to(DOCUMENTS).as_posix()}: {evidence}"


@cache
def text_of(path: Path) -> str:
    """The normalised text that the native parser reads from a document, layout budget apart."""
    return normalise(parse(path.read_bytes(), path.name, layout_budget_ms=1e6).text)
