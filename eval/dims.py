"""Fewer dimensions (paper 000 section 5.6): vectors cut off and made unit again, as they are or after PCA."""

from collections.abc import Callable, Sequence

import numpy as np

from capsa.chunkers.errors import CapsaError
from capsa.store.embedder import unit
from capsa.store.models import Model
from capsa.store.quantisers import Vectors, rotation

from .engines import MemoQueries, WindowVectors

DIMENSIONS = (64, 128, 256, 384, 512, 768)
# Trained so that the first dimensions of a vector are a vector (Matryoshka representation learning).
TRUNCATABLE = frozenset({"nomic-embed-text-v1.5"})
_NORM_TOLERANCE = 1e-5

Transform = Callable[[Vectors], Vectors]


def dimensions_of(model: Model) -> tuple[int, ...]:
    """Return the dimensions to try: those of the paper below the model's own, and that."""
    return (*(size for size in DIMENSIONS if size < model.dimension), model.dimension)


def truncation(model: Model, size: int) -> Transform:
    """Return what keeps the first ``size`` dimensions of the model's own vectors, unit norm again.

    The store turns the vectors of some models by a fixed rotation; that is undone first.
    """
    if not model.rotate:
        return lambda vectors: unit(vectors[..., :size])
    back = rotation(model.dimension).T
    return lambda vectors: unit((vectors @ back)[..., :size])


def principal(vectors: Vectors, size: int) -> Transform:
    """Return what keeps the first ``size`` principal axes of the given vectors, unit norm again.

    The axes are of the second moments, not centred: with all of them, inner products stay what they were.
    """
    moments = vectors.astype(np.float64).T @ vectors.astype(np.float64)
    _, axes = np.linalg.eigh(moments)
    kept = np.ascontiguousarray(axes[:, ::-1][:, :size]).astype(np.float32)
    return lambda vectors: unit(vectors @ kept)


def check(vectors: Vectors, queries: Vectors, size: int) -> None:
    """Raise CapsaError unless shape, norms and scores are sound: the paper's checks before use."""
    if vectors.shape[1:] != (size,) or queries.shape[1:] != (size,):
        raise CapsaError(
            f"vectors of {vectors.shape[1:]} and {queries.shape[1:]} are not of {size} dimensions"
        )
    for some in (vectors, queries):
        norms = np.linalg.norm(some, axis=1)
        if len(norms) and np.abs(norms - 1).max() > _NORM_TOLERANCE:
            raise CapsaError(
                f"a vector cut to {size} dimensions has a norm of {norms[np.abs(norms - 1).argmax()]}"
            )
    if not np.isfinite(queries @ vectors.T).all():
        raise CapsaError(f"a score in {size} dimensions is not finite")


def transformed(
    windows: WindowVectors, queries: MemoQueries, texts: Sequence[str], transform: Transform, size: int
) -> tuple[WindowVectors, "CutQueries"]:
    """Return the windows and an embedder of questions in fewer dimensions, checked on all questions."""
    vectors = np.ascontiguousarray(transform(windows.vectors))
    cut = CutQueries(queries, transform)
    check(vectors, np.stack([cut.embed_query(text) for text in texts]), size)
    return WindowVectors(vectors, windows.owners), cut


class CutQueries(MemoQueries):
    """Questions in fewer dimensions."""

    def __init__(self, whole: MemoQueries, transform: Transform) -> None:
        super().__init__(whole)
        self._whole = whole
        self._transform = transform

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, float32 [fewer]."""
        return self._transform(super().embed_query(text))

    def ms(self, text: str) -> float:
        """Milliseconds that embedding the question took."""
        return self._whole.ms(text)
