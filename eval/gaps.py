"""What an evaluation was asked for and cannot have here: named in every table, never left out in silence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from capsa.chunkers.errors import UnavailableError
from capsa.store.models import DEFAULT, list_models, load_model, model_path
from capsa.store.registry import KNOWN


@dataclass(frozen=True, slots=True)
class Gap:
    """One value of an axis (parser, model) that is not here, and why."""

    axis: str
    name: str
    reason: str

    def __str__(self) -> str:
        return f"not here: {self.axis} {self.name}: {self.reason}"


def split_parsers(wanted: Iterable[str]) -> tuple[list[str], list[Gap]]:
    """Return the parsers that can be used, and a gap for each other one."""
    here: list[str] = []
    gaps: list[Gap] = []
    for parser in wanted:
        if parser == "docling" and find_spec("docling") is None:
            gaps.append(Gap("parser", parser, "pip install 'capsa[docling]'"))
        else:
            here.append(parser)
    return here, gaps


def split_models(home: Path, wanted: Sequence[str]) -> tuple[list[str], list[Gap]]:
    """Return the models that are installed, and a gap for each other one.

    Without names: the shipped one and all that were added, and a gap for each of the paper's that was not.
    """
    names = list(wanted) or list(dict.fromkeys([*(model.name for model in list_models(home)), *KNOWN]))
    here: list[str] = []
    gaps: list[Gap] = []
    for name in names:
        try:
            model = load_model(home, name)
            model_path(model)
            here.append(name)
        except UnavailableError as error:
            known = f"`capsa model add FOLDER --name {name}`" if name in KNOWN else str(error)
            gaps.append(Gap("model", name, str(error) if name == DEFAULT else known))
    return here, gaps
