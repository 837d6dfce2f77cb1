"""How vectors become codes and codes are scored: one seam, an ordered table of codes (see ``codes.py``)."""

from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..codes import CODES
from .flat import Flat
from .level_code import LevelCode
from .levels import Codes, Found, Vectors
from .rotation import rotate, rotation
from .training import read_codebook

if TYPE_CHECKING:
    import faiss

__all__ = [
    "Codes",
    "Found",
    "Quantiser",
    "Scan",
    "Vectors",
    "check_dimension",
    "open_quantiser",
    "rotate",
    "rotation",
]


class Scan(Protocol):
    """All codes of an index in the form that is searched."""

    def search(self, query: Vectors, count: int) -> Found:
        """Return places and inner products of the ``count`` codes where these are highest, best first."""


class Quantiser(Protocol):
    """Makes codes of unit vectors (float32 [n, dimension]) and scores them; ``size`` is the bytes of a code.

    ``scan`` may score more roughly than ``products``: its best are scored again.
    """

    name: str
    dimension: int
    size: int

    def encode(self, vectors: Vectors) -> Codes:
        """Return the codes: uint8 [n, size]; ValueError for a value that is not finite."""

    def decode(self, codes: Codes) -> Vectors:
        """Return the vectors that codes stand for, float32 [n, dimension]; their norm is only near 1."""

    def signs(self, codes: Codes) -> Codes | None:
        """Return the vectors' codes in 1 bit a dimension (pq48), None when they are not part of these."""

    def products(self, query: Vectors, codes: Codes) -> Vectors:
        """Return the inner product of the query with each code's vector, float32 [n]."""

    def cosines(self, query: Vectors, codes: Codes) -> Vectors:
        """Return the cosine of the unit query with each code's vector, float32 [n]; of few codes at a time.

        A code's cosine is the same to the last bit whatever codes are with it.
        """

    def index(self) -> "faiss.Index":
        """Return an empty FAISS index (inner product) that takes these codes by ``add_sa_codes``."""

    def scan(self, codes: Codes) -> Scan:
        """Return what searches all of the codes."""


@lru_cache(maxsize=8)
def open_quantiser(name: str, dimension: int, codebook: bytes = b"") -> Quantiser:
    """Return the quantiser of that name; ``codebook`` is what ``training.make_codebook`` made for it."""
    check_dimension(dimension)
    code = CODES[name]
    if code.plan[0][1] == 32:
        return Flat(code, dimension)
    if codebook:
        return LevelCode(name, dimension, *read_codebook(codebook, dimension))
    sections = code.sections(dimension)
    kept = sum(dims for dims, _ in sections)
    axes = np.ascontiguousarray(rotation(dimension)[:, :kept]) if code.turns else None
    return LevelCode(name, dimension, sections, axes)


def check_dimension(dimension: int) -> int:
    """Return the dimension when its codes fill whole bytes, else raise ValueError."""
    if dimension < 8 or dimension % 8:
        raise ValueError(f"vectors of {dimension} dimensions have no code: it takes a multiple of 8")
    return dimension
