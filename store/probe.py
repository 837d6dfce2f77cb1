"""A first look at a model that the user adds: load it, run it once, and write down what was found."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capsa.chunkers.errors import UnavailableError, UsageError

from .models import Model
from .quantisers import check_dimension
from .registry import Settings
from .sessions import feed, open_session, run_errors
from .wordpieces import WordPieces

if TYPE_CHECKING:
    import onnxruntime

# Running the whole of a very long window would take minutes; a shorter text shows the same faults.
PROBE_TOKENS = 512
LEAST_ROOM = 16


def probe(name: str, folder: Path, settings: Settings, sha256: str) -> Model:
    """Return the record of the model in the folder, or raise UsageError with the reason it cannot serve."""
    try:
        pieces = WordPieces(folder / "tokenizer.json")
        session = open_session(folder / "model.onnx", f"{name}/model.onnx")
    except UnavailableError as error:
        raise UsageError(str(error)) from error
    room = settings.window - pieces.special - len(pieces.bare_ids(settings.passage_prefix))
    if room < LEAST_ROOM:
        raise UsageError(f"{name}: a window of {settings.window} tokens leaves {room} for a text (--window)")
    rows = _run(session, pieces, min(settings.window, PROBE_TOKENS))
    dimension = _check(rows, name, settings)
    return Model(
        name=name,
        folder=folder,
        dimension=dimension,
        window=settings.window,
        room=room,
        pooling=settings.pooling if rows.ndim == 3 else "none",
        query_prefix=settings.query_prefix,
        passage_prefix=settings.passage_prefix,
        normalise=True,
        rotate=True,
        inputs=tuple(given.name for given in session.get_inputs()),
        sha256=sha256,
    )


def _run(session: "onnxruntime.InferenceSession", pieces: WordPieces, length: int) -> Any:
    """Run two texts, one as long as the window, so that a fixed batch or length shows itself now."""
    word = pieces.bare_ids("word")
    long = pieces.enclose((word * length)[: length - pieces.special])
    try:
        return session.run(None, feed(session, [long, pieces.ids("a short text")], pieces.padding))[0]
    except run_errors() as error:
        raise UsageError(f"the model does not take two texts of up to {length} tokens: {error}") from error


def _check(rows: Any, name: str, settings: Settings) -> int:
    if rows.ndim not in (2, 3) or rows.shape[0] != 2 or not np.isfinite(rows).all():
        raise UsageError(f"{name}: the first output is neither token vectors nor one vector a text")
    dimension = int(rows.shape[-1])
    if settings.dimension and dimension != settings.dimension:
        raise UsageError(
            f"{name} is known to give {settings.dimension} dimensions but this model.onnx gives {dimension}; "
            "if it is another model, add it under another name (--name)"
        )
    try:
        check_dimension(dimension)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error
    return dimension
