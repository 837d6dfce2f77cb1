"""The representation ceiling (paper 000 section 5.5): how much evidence survives parsing and chunking."""

from collections.abc import Iterator, Sequence
from typing import Any

from .chunkset import ChunkSet
from .corpus import Chunking
from .judging import Judge
from .matching import Matcher
from .metrics import evidence_coverage
from .options import QuestionSet
from .questions import Question
from .run import MATCHERS
from .workshop import Workshop

Finding = dict[str, Any]


def audit(questions: QuestionSet, chunkings: Sequence[Chunking], workshop: Workshop) -> Iterator[Finding]:
    """Yield the coverage of each document by each chunking and matcher; no question is asked."""
    for chunking in chunkings:
        corpus = workshop.corpus(questions, chunking, whole=False, model=None)
        chunks = ChunkSet(corpus)
        judge = Judge(corpus, chunks, questions.questions)
        for document, asked in _by_document(questions.questions).items():
            item = judge.items[asked[0].id]
            for matcher in MATCHERS:
                coverages = list(_coverages(judge, asked, matcher))
                if coverages:
                    yield {
                        "set": questions.name,
                        "document": document,
                        "parser": chunking.parser,
                        "chunker": chunking.chunker,
                        "matcher": matcher,
                        "questions": len(coverages),
                        "chunks": len(item.chunks) if item else 0,
                        "coverage": sum(coverages) / len(coverages),
                        "full_coverage": sum(value == 1 for value in coverages) / len(coverages),
                    }


def ceilings(findings: Sequence[Finding]) -> list[Finding]:
    """Return the means over documents, each counting the same, as in the paper's table 5."""
    keys = ("set", "parser", "chunker", "matcher")
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(tuple(finding[key] for key in keys), []).append(finding)
    return [
        {
            **dict(zip(keys, group, strict=True)),
            "documents": len(members),
            "questions": sum(member["questions"] for member in members),
            "chunks": sum(member["chunks"] for member in members),
            "coverage": sum(member["coverage"] for member in members) / len(members),
            "full_coverage": sum(member["full_coverage"] for member in members) / len(members),
        }
        for group, members in groups.items()
    ]


def _by_document(questions: Sequence[Question]) -> dict[str, list[Question]]:
    found: dict[str, list[Question]] = {}
    for question in questions:
        found.setdefault(question.doc, []).append(question)
    return found


def _coverages(judge: Judge, questions: Sequence[Question], matcher: Matcher) -> Iterator[float]:
    for question in questions:
        held = judge.held(question, matcher)
        if held:
            found = {index for index, numbers in enumerate(held) if numbers}
            yield evidence_coverage(found, len(held))
