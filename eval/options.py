"""What the commands of ``capsa eval`` share: question sets, output, the bar that shows progress."""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import UnavailableError, UsageError
from capsa.store.models import current_name

from .gaps import Gap, split_models
from .questions import Question, load_questions, without_heldout


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A folder of documents with the questions about them; ``sha256`` is of the questions."""

    name: str
    root: Path
    questions: tuple[Question, ...]
    source: str
    sha256: str


def add_sets(parser: argparse.ArgumentParser) -> None:
    """Add the positional arguments that ``read_sets`` reads."""
    parser.add_argument(
        "sets",
        nargs="*",
        type=Path,
        metavar="CORPUS QUESTIONS",
        help="a folder of documents and a question file, any number of pairs (default: the shipped set)",
    )


def read_sets(paths: Sequence[Path]) -> list[QuestionSet]:
    """Read pairs of folder and question file, or the shipped set; held-out questions are left out."""
    if len(paths) % 2:
        raise UsageError(f"{paths[-1]}: each folder of documents needs a question file after it")
    if not paths:
        return [shipped_set()]
    pairs = [(paths[place], paths[place + 1]) for place in range(0, len(paths), 2)]
    names = _names([questions for _, questions in pairs])
    return [_read_set(name, root, file) for name, (root, file) in zip(names, pairs, strict=True)]


def shipped_set() -> QuestionSet:
    """Return the shipped documents with the development questions about them."""
    from . import shipped

    return make_shipped_set("shipped", shipped.questions("development"))


def make_shipped_set(name: str, questions: Sequence[Question]) -> QuestionSet:
    """Return questions about the shipped documents as a set; UnavailableError when there are none."""
    from . import shipped

    if not questions:
        raise UnavailableError("the shipped questions are not installed; name CORPUS and QUESTIONS")
    digest = hashlib.sha256(shipped.MANIFEST.read_bytes()).hexdigest()
    return QuestionSet(name, shipped.DOCUMENTS, tuple(questions), "shipped", digest)


def check_names(parsers: Iterable[str], chunkers: Iterable[str]) -> None:
    """Raise UsageError for a parser or a chunker that there is not."""
    from capsa.chunkers.parsers import PARSERS
    from capsa.chunkers.strategies import CHUNKERS

    check_choices("parser", parsers, tuple(PARSERS))
    check_choices("chunker", chunkers, tuple(CHUNKERS))


def names(text: str) -> tuple[str, ...]:
    """Read an option's list of names."""
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} names nothing")
    return found


def check_choices(what: str, chosen: Iterable[str], table: Sequence[str]) -> None:
    """Raise UsageError for a name that the table does not have."""
    for name in chosen:
        if name not in table:
            raise UsageError(f"there is no {what} {name!r}; choose from {', '.join(table)}")


def pick_model(home: Path, named: str | None, papers: str) -> tuple[str, list[Gap]]:
    """Return the model named, else the paper's, else the one in use with the paper's as a gap."""
    here, gaps = split_models(home, [named or papers])
    if here:
        return here[0], []
    if named:
        raise UnavailableError(gaps[0].reason)
    return current_name(home), gaps


def write_json(record: Mapping[str, Any]) -> None:
    """Print one record on stdout."""
    sys.stdout.write(json.dumps(record) + "\n")


def write_lines(lines: Iterable[str]) -> None:
    """Print lines on stdout; what the output's encoding lacks is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def note(text: str) -> None:
    """Tell something on stderr."""
    sys.stderr.write(f"capsa: {text}\n")


def threads() -> int:
    """Return how many threads an embedder gets: one a core."""
    return os.cpu_count() or 1


@contextmanager
def progress(*tasks: tuple[str, int]) -> Iterator[tuple[Callable[[int], None], ...]]:
    """Bars with the time left on stderr, on a terminal only; yields what advances each."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        numbers = [bars.add_task(description, total=total) for description, total in tasks]
        yield tuple(_advancing(bars.advance, number) for number in numbers)


def _advancing(advance: Callable[..., None], task: int) -> Callable[[int], None]:
    return lambda steps: advance(task, steps)


def _read_set(name: str, root: Path, file: Path) -> QuestionSet:
    return make_set(name, root, file, without_heldout(load_questions(file), file))


def make_set(name: str, root: Path, file: Path, questions: Iterable[Question]) -> QuestionSet:
    """Return the questions with verbatim evidence as a set; UsageError without any, or without documents."""
    if not root.exists():
        raise UsageError(f"{root}: no such file or folder")
    kept = tuple(question for question in questions if question.verbatim)
    if not kept:
        raise UsageError(
            f'{file}: all its questions say "verbatim": false, so their evidence cannot be matched'
        )
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return QuestionSet(name, root.resolve(), kept, str(file), digest)


def _names(files: Sequence[Path]) -> list[str]:
    """Name each set after its file, or the folder of one called questions; number those that are the same."""
    names: list[str] = []
    for file in files:
        stem = file.resolve().parent.name if file.stem == "questions" else file.stem
        twins = sum(name == stem or name.startswith(f"{stem}-") for name in names)
        names.append(f"{stem}-{twins + 1}" if twins else stem)
    return names
