"""What a report looks at: the rows of one scope and matcher, and means of them by anything."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from .grid import CHUNKERS
from .runs import Cell, Row
from .stats_runs import Loaded, Matrix, Setup, make_matrix, setup_names

K = TypeVar("K", bound=Hashable)
# What users get first, then its parts.
_RETRIEVERS = ("hybrid pq96", "hybrid pq48", "hybrid", "rrf", "dense", "dense pq96", "dense pq48", "bm25")


@dataclass(frozen=True)
class View:
    """Runs seen by one scope and matcher.

    ``main`` are the setups of the main experiment: each chunker's own sizes, each model's own dimensions.
    """

    loaded: Loaded
    scope: str
    matcher: str

    @cached_property
    def cells(self) -> Mapping[Cell, Sequence[Row]]:
        """All cells with their rows."""
        return self.loaded.cells_with(matcher=self.matcher, scope=self.scope)

    @cached_property
    def names(self) -> Mapping[Cell, Setup]:
        """What the cells are called."""
        return setup_names(self.cells)

    @cached_property
    def main(self) -> Mapping[Cell, Setup]:
        """The cells of the main experiment; of a run that has none, all."""
        found = {
            cell: name
            for cell, name in self.names.items()
            if cell.size is None and cell.vectors != "pca" and not name.embedding.endswith("]")
        }
        return found or self.names

    @cached_property
    def retrievers(self) -> list[str]:
        """The retrievers of the main experiment, in the order in which tables show them."""
        there = {name.retriever for name in self.main.values()}
        return sorted(there, key=lambda name: (_place(name, _RETRIEVERS), name))

    @cached_property
    def parsers(self) -> list[str]:
        """The parsers of the main experiment."""
        return sorted({name.parser for name in self.main.values()})

    @cached_property
    def chunkers(self) -> list[str]:
        """The chunkers of the main experiment, the simple ones first."""
        there = {name.chunker for name in self.main.values()}
        return sorted(there, key=lambda name: (_place(name, CHUNKERS), name))

    @cached_property
    def one_model(self) -> str:
        """The model that all vectors are of, whose name then tells nothing apart; "" for several."""
        models = {cell.model for cell in self.cells} - {""}
        return models.pop() if len(models) == 1 else ""

    def told(self, setup: Setup) -> str:
        """Return what the page calls a setup."""
        return str(setup._replace(embedding=setup.embedding.removeprefix(self.one_model).strip()))

    def matrix(self, metric: str) -> Matrix:
        """What each setup of the main experiment reached on each question."""
        whole = make_matrix(self.loaded, self.scope, self.matcher, metric)
        kept = [place for place, setup in enumerate(whole.setups) if setup in set(self.main.values())]
        setups = tuple(whole.setups[place] for place in kept)
        return Matrix(setups, whole.questions, whole.documents, whole.names, whole.values[kept])

    def means(self, metric: str, key: Callable[[Setup, Row], K | None]) -> dict[K, tuple[float, int]]:
        """Return by key the mean of a metric over the main experiment, and how many questions it is of."""
        values: dict[K, list[float]] = {}
        asked: dict[K, set[object]] = {}
        for cell, setup in self.main.items():
            for row in self.cells[cell]:
                group, value = key(setup, row), row[metric]
                if group is not None and isinstance(value, int | float):
                    values.setdefault(group, []).append(value)
                    asked.setdefault(group, set()).add((row["set"], row["question_id"]))
        return {group: (sum(found) / len(found), len(asked[group])) for group, found in values.items()}


def _place(name: str, order: Sequence[str]) -> int:
    return order.index(name) if name in order else len(order)
