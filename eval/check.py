"""What can be wrong with somebody's question file: one line for each fault, with the line it is in."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from .corpus import Sources, find_document
from .matching import normalise
from .questions import Question, read_questions

_SHOWN = 80  # characters of an evidence string in a message


def check_questions(path: Path, sources: Sources) -> tuple[int, list[str]]:
    """Return the number of questions and the faults: rows, documents, evidence, repeats, leaks."""
    questions, broken = read_questions(path)
    faults = [str(fault) for fault in broken]
    if not questions and not broken:
        faults.append(f"{path}: holds no questions; expected one JSON object a line")
    for question in questions:
        faults += [f"{question.where}: {line}" for line in _faults(question, sources)]
    faults += [*_repeats(questions), *_leaks(questions)]
    return len(questions), faults


def _faults(question: Question, sources: Sources) -> Iterator[str]:
    if question.doc:
        yield from _document_faults(question, sources)
    elif question.pages:
        yield '"pages" without "doc" say nothing'
    for string in question.evidence:
        evidence = normalise(string)
        if evidence in normalise(question.text):
            yield f"the question holds its evidence: {_short(string)}"
        yield from _evidence_faults(question, evidence, string, sources)


def _document_faults(question: Question, sources: Sources) -> Iterator[str]:
    path = find_document(question, sources.by_path, sources.root)
    failed = find_document(question, sources.failures, sources.root)
    if path is None and failed is not None:
        yield f"its document {question.doc} cannot be read: {sources.failures[failed]}"
    elif path is None:
        yield f"its document {question.doc} is not in {sources.root}"
    elif question.pages and max(question.pages) > (pages := sources.by_path[path].document.pages):
        yield f"page {max(question.pages)}: {question.doc} has {pages}"


def _evidence_faults(question: Question, evidence: str, string: str, sources: Sources) -> Iterator[str]:
    if not question.verbatim:
        return
    own = find_document(question, sources.by_path, sources.root) if question.doc else None
    if question.doc and not own:
        return
    wanted = [sources.by_path[own]] if own else list(sources.by_path.values())
    if any(source.holds(evidence, "strict") for source in wanted):
        return
    elsewhere = [path for path, source in sources.by_path.items() if source.holds(evidence, "strict")]
    if elsewhere:
        yield f"evidence not in {question.doc} but in {elsewhere[0].name}: {_short(string)}"
    elif any(source.holds(evidence, "paper") for source in wanted):
        yield f"evidence found by 80 % of its words only: {_short(string)}"
    else:
        yield f"evidence found nowhere in the corpus: {_short(string)}"


def _repeats(questions: Sequence[Question]) -> Iterator[str]:
    """Yield a line for each question that is asked again."""
    seen: dict[str, Question] = {}
    for question in questions:
        first = seen.setdefault(normalise(question.text), question)
        if first is not question:
            yield f"{question.where}: asks what {first.id} (line {_line(first)}) asks"


def _leaks(questions: Sequence[Question]) -> Iterator[str]:
    """Yield a line for each document or evidence string of held-out questions that others have too."""
    users: dict[tuple[str, str], dict[bool, Question]] = defaultdict(dict)
    for question in questions:
        heldout = question.slice == "heldout"
        keys = [("document", question.doc), *(("evidence", normalise(text)) for text in question.evidence)]
        for key in keys:
            if key[1]:
                users[key].setdefault(heldout, question)
    for (what, value), sides in users.items():
        if len(sides) == 2:
            other = sides[False]
            yield (
                f"{sides[True].where}: leak between slices: its {what} {_short(value)} is also "
                f"that of {other.id} (line {_line(other)}), which is not held out"
            )


def _line(question: Question) -> str:
    return question.where.rpartition(":")[2]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN]}…"
