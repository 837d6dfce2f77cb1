"""Runs read together: do they fit, and what each configuration reached on each question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from capsa.chunkers.errors import UsageError

from .runs import CELL_COLUMNS, Cell, Row, Value, read_rows, read_sidecar

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
METRICS = ("er@1", "er@3", "er@5", "er@10")
SCOPES = ("document", "corpus")


class Setup(NamedTuple):
    """A configuration by the names that tables show; ``embedding`` is "" for BM25."""

    parser: str
    chunker: str
    retriever: str
    embedding: str

    def __str__(self) -> str:
        return " / ".join(filter(None, self))


@dataclass(frozen=True)
class Loaded:
    """Runs that fit together: their records, their rows by cell and matcher, and what to know of them."""

    folders: tuple[Path, ...]
    records: tuple[Mapping[str, Any], ...]
    rows: Mapping[tuple[Cell, str], Sequence[Row]]
    notes: tuple[str, ...]

    @property
    def cells(self) -> list[Mapping[str, Any]]:
        """What the records say of the cells, each once."""
        cells = (cell for record in self.records for cell in record["cells"])
        return list({tuple(cell[name] for name in CELL_COLUMNS): cell for cell in cells}.values())

    def cells_with(self, **wanted: str) -> dict[Cell, Sequence[Row]]:
        """Return cells with their rows, those of one matcher and of the wanted values."""
        matcher = wanted.pop("matcher")
        return {
            cell: rows
            for (cell, by), rows in self.rows.items()
            if by == matcher and all(getattr(cell, name) == value for name, value in wanted.items())
        }

    def pick_scope(self, wanted: str | None, preferred: str) -> str:
        """Return the scope to look at: the wanted one, the preferred one, or the only one there is."""
        there = [scope for scope in SCOPES if any(cell.scope == scope for cell, _ in self.rows)]
        if wanted and wanted not in there:
            raise UsageError(f"the runs were not made with the scope {wanted}, only {' and '.join(there)}")
        return wanted or (preferred if preferred in there else there[0])


@dataclass(frozen=True, slots=True)
class Matrix:
    """A metric by setup and question, float64 [setups, questions], NaN where a setup did not get it.

    A question is its set and its id; ``documents`` numbers each one's document, ``names`` are these.
    """

    setups: tuple[Setup, ...]
    questions: tuple[tuple[str, str], ...]
    documents: Whole
    names: tuple[str, ...]
    values: Floats

    def of(self, setup: Setup) -> Floats:
        """Return the values of one setup, float64 [questions]."""
        row: Floats = self.values[self.setups.index(setup)]
        return row


def load_runs(folders: Sequence[Path]) -> Loaded:
    """Read runs; UsageError for a folder that holds none, and for runs that do not fit together."""
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise UsageError("the same run is named twice")
    records = [read_sidecar(folder) for folder in folders]
    for (left, one), (right, other) in combinations(zip(folders, records, strict=True), 2):
        _refuse_misfits(f"{left} and {right}", one, other)
    rows: dict[tuple[Cell, str], list[Row]] = {}
    for folder in folders:
        for (cell, matcher), found in _read_cells(folder).items():
            if _reached(rows.setdefault((cell, matcher), found)) != _reached(found):
                where = " and ".join(map(str, folders))
                raise UsageError(
                    f"{where} do not fit together: they differ in {_told(cell)}, {matcher} match"
                )
    if not rows:
        raise UsageError(f"{' and '.join(map(str, folders))}: no question was asked in there")
    return Loaded(tuple(folders), tuple(records), rows, tuple(_notes(folders, records)))


def make_matrix(loaded: Loaded, scope: str, matcher: str, metric: str) -> Matrix:
    """Return what every setup reached on every question."""
    cells = loaded.cells_with(matcher=matcher, scope=scope)
    if not cells:
        raise UsageError(f"the runs have no {matcher} rows of the scope {scope}")
    names = setup_names(cells)
    asked = {_key(row): _document(row) for rows in cells.values() for row in rows}
    documents = {name: number for number, name in enumerate(dict.fromkeys(asked.values()))}
    places = {key: place for place, key in enumerate(asked)}
    setups = {setup: number for number, setup in enumerate(dict.fromkeys(names.values()))}
    values = np.full((len(setups), len(places)), np.nan)
    for cell, rows in cells.items():
        for row in rows:
            value = row[metric]
            values[setups[names[cell]], places[_key(row)]] = np.nan if value is None else value
    numbers = np.array([documents[name] for name in asked.values()], dtype=np.int64)
    return Matrix(tuple(setups), tuple(places), numbers, tuple(documents), values)


def setup_names(cells: Iterable[Cell]) -> dict[Cell, Setup]:
    """Name cells: sizes where they are not the chunker's own, dimensions where a model has several."""
    cells = list(cells)
    widest: dict[str, int] = {}
    for cell in cells:
        widest[cell.model] = max(widest.get(cell.model, 0), cell.dimension or 0)
    return {cell: _setup(cell, widest[cell.model]) for cell in cells}


def _setup(cell: Cell, widest: int) -> Setup:
    sizes = [f"{value:g}" for value in (cell.size, cell.overlap) if value is not None]
    chunker = f"{cell.chunker} {'+'.join(sizes)}" if sizes else cell.chunker
    retriever = f"{cell.retriever} {cell.vectors}" if cell.vectors not in ("", "flat") else cell.retriever
    cut = cell.dimension is not None and cell.dimension < widest
    return Setup(cell.parser, chunker, retriever, f"{cell.model} [{cell.dimension}]" if cut else cell.model)


def _cell(row: Row) -> Cell:
    return Cell(**{name: row[name] for name in CELL_COLUMNS})  # type: ignore[arg-type]


def _read_cells(folder: Path) -> dict[tuple[Cell, str], list[Row]]:
    found: dict[tuple[Cell, str], list[Row]] = {}
    for row in read_rows(folder):
        found.setdefault((_cell(row), str(row["matcher"])), []).append(row)
    return found


def _reached(rows: Iterable[Row]) -> dict[Value, Value]:
    return {row["question_id"]: row["er@10"] for row in rows}


def _told(cell: Cell) -> str:
    return " / ".join(str(part) for part in astuple(cell) if part not in (None, ""))


def _key(row: Row) -> tuple[str, str]:
    return str(row["set"]), str(row["question_id"])


def _document(row: Row) -> str:
    return f"{row['set']}: {row['document'] or 'no document named'}"


def _refuse_misfits(where: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Raise UsageError when a name means two things in the records."""
    sets = [{each["name"]: each for each in record["sets"]} for record in (one, other)]
    for name in sets[0].keys() & sets[1].keys():
        for part in ("questions_sha256", "corpus_sha256"):
            if sets[0][name][part] != sets[1][name][part]:
                data = part.removesuffix("_sha256")
                raise UsageError(f"{where} do not fit together: their sets {name} differ in the {data}")
    for model in one["models"].keys() & other["models"].keys():
        if one["models"][model] != other["models"][model]:
            raise UsageError(f"{where} do not fit together: they call different models {model}")


def _notes(folders: Sequence[Path], records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for folder, record in zip(folders, records, strict=True):
        if not record.get("complete"):
            yield f"{folder} was stopped before it was complete"
    if len({record["code_sha256"] for record in records}) > 1:
        yield "the runs were made by different versions of the code"
