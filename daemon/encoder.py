"""The embedding model in use and whether it can be loaded; without one keyword search goes on."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from capsa.chunkers.errors import UnavailableError
from capsa.store import models
from capsa.store.models import Model

from .settings import Settings

if TYPE_CHECKING:
    from capsa.store.embedder import Embedder
    from capsa.store.writer import Writer


@dataclass(frozen=True, slots=True)
class Encoder:
    """The model whose tokenizer and window shape the chunks; ``problem`` says why it cannot make vectors."""

    model: Model
    problem: str = ""

    @property
    def usable(self) -> bool:
        """Whether vectors can be made."""
        return not self.problem


def find_encoder(home: Path) -> Encoder:
    """The model in use; the shipped one stands in for the chunks' sizes when that one is gone."""
    try:
        model = models.load_model(home)
    except UnavailableError as error:
        return Encoder(models.load_model(home, models.DEFAULT), str(error))
    try:
        path = models.model_path(model)
    except UnavailableError as error:
        return Encoder(model, str(error))
    return Encoder(model) if path.is_file() else Encoder(model, f"{path}: the model's weights are missing")


def open_embedder(encoder: Encoder, writer: "Writer", settings: Settings) -> "Embedder":
    """Load the model, and let the index take its vectors; UnavailableError when there is none."""
    from capsa.store import embedder

    if encoder.problem:
        raise UnavailableError(encoder.problem)
    opened = embedder.open_embedder(encoder.model, writer.home / "cache", settings.thread_count())
    writer.bind_model(encoder.model, settings.code)
    return opened
