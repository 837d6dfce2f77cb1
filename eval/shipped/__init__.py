"""The shipped evaluation set: invented documents and questions about them, half of them held out."""

import json
from pathlib import Path
from typing import Any, Literal

from ..questions import Question, load_questions

Slice = Literal["development", "heldout"]

ROOT = Path(__file__).parent
DOCUMENTS = ROOT / "documents"
MANIFEST = ROOT / "manifest.json"


def files() -> dict[str, dict[str, Any]]:
    """What the manifest says of every file, by its path below ``ROOT``: hash, size, collection, slice."""
    entries: dict[str, dict[str, Any]] = json.loads(MANIFEST.read_text(encoding="utf-8"))["files"]
    return entries


def documents(part: Slice) -> list[Path]:
    """The documents of one slice, sorted."""
    return [ROOT / name for name, entry in sorted(files().items()) if entry.get("slice") == part]


def question_files() -> list[Path]:
    """The question files, one a collection, sorted."""
    return sorted(ROOT.glob("questions_c[0-9][0-9].jsonl"))


def questions(part: Slice) -> list[Question]:
    """The questions about the documents of one slice, in the order of the collections."""
    names = {path.relative_to(DOCUMENTS).as_posix() for path in documents(part)}
    return [
        question for path in question_files() for question in load_questions(path) if question.doc in names
    ]
