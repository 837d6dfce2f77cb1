"""A run on disk: one tidy table ``results.csv``, and ``run.json`` that says how it was made.

``results.csv`` has a row for each question, cell and matcher. A *cell* is one configuration over one question
set; its columns are CELL_COLUMNS. The other columns are

    question_id, document, type, phrasing, slice     from the question file ("" where it does not say)
    matcher        strict, paper, or pages (a page of the question is found when a chunk from it is)
    evidence       how many evidence strings (or pages) the question has
    coverage       the share of them that some chunk of the searched documents holds, retrieved or not
    er@1 .. er@10, hit@k, full@k, rr, ndcg@5, ndcg@10    as in metrics.py; ndcg can pass 1, as in the paper
    er@500t, er@1000t, er@2000t    evidence recall over the first chunks of so many tokens together
    span_recall, span_precision    of the evidence's characters in the first ten chunks; "" where unknown
    tokens         in the first ten chunks together
    latency_ms     from the question's text to its ranking, the query's embedding included
    miss           the step that lost evidence missing from the first ten (see misses.py), "" when none is

``run.json`` has ``schema``, ``command``, ``configuration``, ``versions``, ``seed``, ``sets`` (paths, SHA-256
and counts of questions and corpora), ``models`` (name to fingerprint), ``gaps`` (what was asked for and is
not here: axis, name, reason), ``complete``, and ``cells``: for each its CELL_COLUMNS with documents, chunks,
vector_count, index_bytes, seconds, questions, full_coverage, latency_p50_ms, latency_p95_ms, and the means of
coverage, er@5, er@10, er@1000t, rr and ndcg@10 (strict match; by matcher under ``means``).
"""

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from capsa.chunkers.errors import CapsaError, UsageError

SCHEMA = "capsa.run/1"
TABLE, SIDECAR = "results.csv", "run.json"

DEPTH = 10
KS = (1, 3, 5, 10)
TOKEN_BUDGETS = (500, 1000, 2000)

Value = str | int | float | None
Row = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Cell:
    """One configuration over one question set; "" or None is what does not apply to its retriever.

    ``size`` and ``overlap`` are None for the chunker's own; ``dimension`` is of the vectors searched.
    """

    set: str
    scope: str
    parser: str
    chunker: str
    size: int | None
    overlap: float | None
    retriever: str
    model: str
    vectors: str
    dimension: int | None


CELL_COLUMNS = tuple(field.name for field in fields(Cell))
_TEXT = ("question_id", "document", "type", "phrasing", "slice", "matcher")
METRIC_COLUMNS = (
    "coverage",
    *(f"er@{k}" for k in range(1, DEPTH + 1)),
    *(f"hit@{k}" for k in KS),
    *(f"full@{k}" for k in KS),
    "rr",
    "ndcg@5",
    "ndcg@10",
    *(f"er@{budget}t" for budget in TOKEN_BUDGETS),
    "span_recall",
    "span_precision",
    "tokens",
    "latency_ms",
)
COLUMNS = (*_TEXT[:5], *CELL_COLUMNS, "matcher", "evidence", *METRIC_COLUMNS, "miss")
_WHOLE = frozenset({"size", "dimension", "evidence", "tokens"})
_NUMBERS = frozenset({*METRIC_COLUMNS, "overlap"}) - _WHOLE


class RunFolder:
    """A run that is being made: whole groups of rows are added, and what is there already is known.

    Each group's rows are on disk before ``run.json`` names it; what an interrupted group left behind is cut
    off when the run is opened again.
    """

    def __init__(self, folder: Path, description: Mapping[str, Any]) -> None:
        self._folder = folder
        made = {"gaps": [*description.get("gaps", ())], "groups": {}, "cells": []}
        self._record: dict[str, Any] = {"schema": SCHEMA, **description, **made}

    @classmethod
    def open(cls, folder: Path, description: Mapping[str, Any], fresh: bool = False) -> "RunFolder":
        """Begin a run, or go on with one; UsageError when the folder holds a run of something else.

        ``description["fingerprint"]`` says what the rows depend on.
        """
        run = cls(folder, description)
        if fresh or not (folder / SIDECAR).is_file():
            _refuse_foreign(folder)
            run._begin()
            return run
        record = read_sidecar(folder)
        if record.get("fingerprint") != description["fingerprint"]:
            raise UsageError(
                f"{folder} holds a run of other data, options or code; choose another --out, or --fresh"
            )
        run._record.update(groups=record["groups"], cells=record["cells"])
        # A parser that failed is tried again; a model's gap belongs to groups that are done.
        run._add_gaps(gap for gap in record["gaps"] if gap["axis"] == "model")
        with (folder / TABLE).open("r+b") as file:
            file.truncate(max(record["groups"].values(), default=_header_length()))
        return run

    @property
    def record(self) -> Mapping[str, Any]:
        """What ``run.json`` says."""
        return self._record

    @property
    def done(self) -> frozenset[str]:
        """The names of the groups that are complete."""
        return frozenset(self._record["groups"])

    def add(
        self,
        group: str,
        rows: str,
        cells: Iterable[Mapping[str, Any]],
        gaps: Sequence[Mapping[str, str]] = (),
    ) -> None:
        """Add a group: its rows from ``to_csv``, the records of its cells, the gaps that are known by now."""
        self._add_gaps(gaps)
        self.add_all([(group, rows, cells)])

    def add_all(self, groups: Iterable[tuple[str, str, Iterable[Mapping[str, Any]]]]) -> None:
        """Add groups, each with its rows and the records of its cells, all or none of them."""
        with (self._folder / TABLE).open("ab") as file:
            for name, rows, cells in groups:
                file.write(rows.encode())
                self._record["groups"][name] = file.tell()
                self._record["cells"] += cells
            file.flush()
            os.fsync(file.fileno())
        self._save()

    def finish(self, **facts: Any) -> dict[str, Any]:
        """Say that the run is complete, add the facts to its record, and return that."""
        self._record.update(facts, complete=True)
        self._save(indent=1)
        return self._record

    def _add_gaps(self, gaps: Iterable[Mapping[str, str]]) -> None:
        self._record["gaps"] += [gap for gap in gaps if gap not in self._record["gaps"]]

    def _begin(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / TABLE).write_bytes(_header().encode())
        self._save()

    def _save(self, indent: int | None = None) -> None:
        path = self._folder / SIDECAR
        temporary = path.with_suffix(".new")
        # Every group saves the record: without line breaks, the encoder is the fast one.
        temporary.write_text(json.dumps(self._record, indent=indent), encoding="utf-8")
        temporary.replace(path)


def read_rows(folder: Path) -> Iterator[dict[str, Value]]:
    """Yield the rows of a run: numbers as int or float, None for an empty number, else text."""
    path = folder / TABLE
    if not path.is_file():
        raise UsageError(f"{folder} holds no run: it has no {TABLE}")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise CapsaError(f"{path} is no table of a run: it has no column {missing[0]}")
        for number, row in enumerate(reader, 2):
            yield _typed(row, f"{path}:{number}")


def read_sidecar(folder: Path) -> dict[str, Any]:
    """Return what ``run.json`` says."""
    path = folder / SIDECAR
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{folder} holds no run: {path.name} cannot be read") from error
    except ValueError as error:
        raise CapsaError(f"{path} is damaged: {error}") from error
    if record.get("schema") != SCHEMA:
        raise CapsaError(f"{path} is not of the schema {SCHEMA}")
    return record


def _refuse_foreign(folder: Path) -> None:
    if (folder / TABLE).exists() and not (folder / SIDECAR).exists():
        raise UsageError(f"{folder / TABLE} exists and belongs to no run; choose another --out")


def _typed(row: Mapping[str, str], where: str) -> dict[str, Value]:
    try:
        return {name: _value(name, row[name]) for name in COLUMNS}
    except (ValueError, TypeError) as error:
        raise CapsaError(f"{where}: {error}") from error


def _value(name: str, text: str) -> Value:
    if name in _WHOLE:
        return int(text) if text else None
    if name in _NUMBERS:
        return float(text) if text else None
    if text is None:
        raise ValueError("the row is cut off")
    return text


def to_csv(rows: Iterable[Row]) -> str:
    """Return the rows as lines of ``results.csv``."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows(map(_cell_text, map(row.__getitem__, COLUMNS)) for row in rows)
    return buffer.getvalue()


def _cell_text(value: Value) -> str | int | None:
    """Return what the table has for a value: None is written as nothing."""
    return f"{value:.6g}" if isinstance(value, float) else value


def _header() -> str:
    return ",".join(COLUMNS) + "\n"


def _header_length() -> int:
    return len(_header().encode())
