"""Question files: JSON Lines of a question and the verbatim evidence, or the pages, that answer it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError

SLICES = ("", "development", "heldout")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the evidence strings that answer it; ``doc`` is the file that holds them, or empty.

    One that names a document and ``pages`` may be without evidence. ``where`` is its file and line.
    """

    id: str
    text: str
    evidence: tuple[str, ...]
    doc: str = ""
    type: str = ""
    phrasing: str = ""
    difficulty: str = ""
    pages: tuple[int, ...] = ()
    verbatim: bool = True
    slice: str = ""
    where: str = ""


def load_questions(path: Path) -> list[Question]:
    """Read a question file; raises UsageError naming the line of the first row that is not a question."""
    questions, faults = read_questions(path)
    if faults:
        raise faults[0]
    if not questions:
        raise UsageError(f"{path}: holds no questions; expected one JSON object a line")
    return questions


def read_questions(path: Path) -> tuple[list[Question], list[UsageError]]:
    """Return the questions of a file and an error for each row that is none; UsageError for no such file."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a question file: {error}") from error
    questions: dict[str, Question] = {}
    faults: list[UsageError] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                question = _question(f"{path}:{number}", line)
                _refuse_twin(question, questions)
                questions[question.id] = question
            except UsageError as fault:
                faults.append(fault)
    return list(questions.values()), faults


def without_heldout(questions: Sequence[Question], source: Path) -> list[Question]:
    """Leave out the held-out questions, on which nothing may be tuned: only ``capsa eval heldout`` asks them.

    Every other command reads its questions through here. UsageError when none are left.
    """
    kept = [question for question in questions if question.slice != "heldout"]
    if not kept:
        raise UsageError(f"{source}: all its questions are held out; only `capsa eval heldout` asks those")
    return kept


def _question(where: str, line: str) -> Question:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON ({error})") from error
    if not isinstance(row, dict):
        raise UsageError(f"{where}: expected a JSON object")
    pages = _pages(where, row)
    return Question(
        id=_text(where, row, "id"),
        text=_text(where, row, "question"),
        evidence=_evidence(where, row, optional=bool(pages and row.get("doc"))),
        doc=str(row.get("doc") or ""),
        type=str(row.get("type") or ""),
        phrasing=str(row.get("phrasing") or ""),
        difficulty=str(row.get("difficulty") or ""),
        pages=pages,
        verbatim=row.get("verbatim") is not False,
        slice=_slice(where, row),
        where=where,
    )


def _text(where: str, row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if not _is_text(value):
        raise UsageError(f'{where}: "{name}" is missing or not text')
    return str(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _evidence(where: str, row: dict[str, Any], optional: bool) -> tuple[str, ...]:
    value = row.get("required_evidence")
    if optional and value in (None, []):
        return ()
    strings = [value] if isinstance(value, str) else value
    if not isinstance(strings, list) or not strings or not all(map(_is_text, strings)):
        raise UsageError(f'{where}: "required_evidence" must be a list of strings that are not empty')
    return tuple(strings)


def _pages(where: str, row: dict[str, Any]) -> tuple[int, ...]:
    value = row.get("pages") or []
    if not isinstance(value, list) or not all(type(page) is int and page > 0 for page in value):
        raise UsageError(f'{where}: "pages" must be a list of page numbers, the first page being 1')
    return tuple(sorted(set(value)))


def _slice(where: str, row: dict[str, Any]) -> str:
    value = row.get("slice") or ""
    if value not in SLICES:
        raise UsageError(f'{where}: "slice" must be "development" or "heldout", not {value!r}')
    return str(value)


def _refuse_twin(question: Question, known: Mapping[str, Question]) -> None:
    if question.id in known:
        line = known[question.id].where.rpartition(":")[2]
        raise UsageError(f'{question.where}: the id "{question.id}" is used twice, first in line {line}')
