"""Evidence coverage: is every evidence string of the question sets whole in a chunk of its document?"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import Literal

from capsa.chunkers.parsers import parse
from capsa.chunkers.strategies import chunk

from .matching import normalise
from .questions import Question, load_questions
from .structure_library import Library, Work, ratio

Fate = Literal["held", "cut", "not parsed"]


@dataclass(frozen=True, slots=True)
class EvidenceScore:
    """One evidence string: held by a chunk, cut by a chunk's edge, or not in the parsed text."""

    document: str
    questions: str
    id: str
    fate: Fate


def prepare(library: Library) -> Work:
    """Measure every document that a question set below the folder names."""
    asked: dict[str, list[tuple[str, Question]]] = {}
    gaps: list[str] = []
    for path in find_sets(library.folder):
        absent: list[str] = []
        for question in load_questions(path):
            document = _locate(library.folder, path, question)
            if not question.verbatim:
                continue
            if document is None:
                absent.append(question.doc or "no document")
            elif library.wants(document):
                asked.setdefault(document, []).append(
                    (path.stem if path.stem != "questions" else path.parent.name, question)
                )
        if absent:
            gaps.append(
                f"{path.name}: {len(absent)} questions on {len(set(absent))} documents that are not there"
            )
    steps = [(name, partial(measure, library, name, some)) for name, some in sorted(asked.items())]
    return Work(steps, summarise, _misses, gaps)


def find_sets(folder: Path) -> Iterator[Path]:
    """Yield the question files below the folder: JSON Lines whose first row has evidence."""
    for path in sorted(folder.rglob("*.jsonl")):
        with path.open(encoding="utf-8", errors="replace") as lines:
            first = lines.readline()
        try:
            row = json.loads(first)
        except ValueError:
            continue
        if isinstance(row, dict) and "required_evidence" in row:
            yield path


def _locate(folder: Path, questions: Path, question: Question) -> str | None:
    """Return the document's path below the folder; it is given from the question file or a folder above."""
    for base in questions.parents:
        if question.doc and (base / question.doc).is_file():
            return (base / question.doc).relative_to(folder).as_posix()
        if base == folder:
            return None
    return None


def measure(library: Library, document: str, asked: Sequence[tuple[str, Question]]) -> list[EvidenceScore]:
    """Parse a document as indexing does, cut it by the default strategy, and look for the evidence."""
    parsed = parse(library.data(document), PurePath(document).name)
    text = normalise(parsed.text)
    texts = [normalise(parsed.text[part.start : part.end]) for part in chunk(parsed, library.tokenizer)]
    return [
        EvidenceScore(document, name, question.id, fate(normalise(evidence), texts, text))
        for name, question in asked
        for evidence in question.evidence
    ]


def fate(evidence: str, chunks: Sequence[str], text: str) -> Fate:
    """Say where normalised evidence is: whole in a chunk, only in the text, or nowhere."""
    if any(evidence in chunk for chunk in chunks):
        return "held"
    return "cut" if evidence in text else "not parsed"


def summarise(scores: Sequence[EvidenceScore]) -> Mapping[str, float | None]:
    """Return the share that is held, over all sets, for each, and for the PDF documents of "het"."""
    summary: dict[str, float | None] = {"evidence": len(scores), "held": _held(scores)}
    for name in sorted({score.questions for score in scores}):
        mine = [score for score in scores if score.questions == name]
        summary[f"held {name}"] = _held(mine)
        pdf = [score for score in mine if score.document.endswith(".pdf")]
        if pdf:
            summary[f"held {name}, PDF"] = _held(pdf)
    return summary


def _held(scores: Sequence[EvidenceScore]) -> float | None:
    return ratio(sum(score.fate == "held" for score in scores), len(scores))


def _misses(score: EvidenceScore) -> list[str]:
    return [] if score.fate == "held" else [f"{score.questions} {score.id}: {score.fate}"]
