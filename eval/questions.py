"""Question files: JSON Lines of a question and the verbatim evidence that answers it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UsageError


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the evidence strings that answer it; ``doc`` is the file that holds them, or empty."""

    id: str
    text: str
    evidence: tuple[str, ...]
    doc: str = ""
    type: str = ""
    phrasing: str = ""
    difficulty: str = ""
    pages: tuple[int, ...] = ()
    verbatim: bool = True


def load_questions(path: Path) -> list[Question]:
    """Read a question file; raises UsageError naming the line of the first row that is not a question."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a question file: {error}") from error
    questions = [_question(f"{path}:{number}", line) for number, line in enumerate(lines, 1) if line.strip()]
    if not questions:
        raise UsageError(f"{path}: holds no questions; expected one JSON object a line")
    _refuse_twins(path, questions)
    return questions


def _question(where: str, line: str) -> Question:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{where}: not JSON ({error})") from error
    if not isinstance(row, dict):
        raise UsageError(f"{where}: expected a JSON object")
    return Question(
        id=_text(where, row, "id"),
        text=_text(where, row, "question"),
        evidence=_evidence(where, row),
        doc=str(row.get("doc") or ""),
        type=str(row.get("type") or ""),
        phrasing=str(row.get("phrasing") or ""),
        difficulty=str(row.get("difficulty") or ""),
        pages=tuple(int(page) for page in row.get("pages") or ()),
        verbatim=row.get("verbatim") is not False,
    )


def _text(where: str, row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if not _is_text(value):
        raise UsageError(f'{where}: "{name}" is missing or not text')
    return str(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _evidence(where: str, row: dict[str, Any]) -> tuple[str, ...]:
    value = row.get("required_evidence")
    strings = [value] if isinstance(value, str) else value
    if not isinstance(strings, list) or not strings or not all(map(_is_text, strings)):
        raise UsageError(f'{where}: "required_evidence" must be a list of strings that are not empty')
    return tuple(strings)


def _refuse_twins(path: Path, questions: Iterable[Question]) -> None:
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise UsageError(f'{path}: the id "{question.id}" is used twice')
        seen.add(question.id)
