"""Codes of one level a coordinate, in the same number of bits for each or in more for the first ones."""

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from .levels import Codes, Found, Vectors, byte_products, cosines, levels, pack, signs, unpack
from .lookup import inner_products

if TYPE_CHECKING:
    import faiss

# Bits of a part of a FAISS product quantiser whose look-up tables fit into SIMD registers.
NIBBLE = 4
# Vectors in a block of IndexPQFastScan, fixed by its SIMD kernels.
BLOCK = 32


class LevelCode:
    """A quantiser by levels: (dimensions, bits) in order, each filling whole bytes.

    ``axes``, float32 [dimension, kept], are what the coordinates stand for: orthogonal, and each as long as
    the coordinates along it are larger than is usual.
    """

    def __init__(
        self, name: str, dimension: int, sections: Sequence[tuple[int, int]], axes: Vectors | None
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.sections = sections
        self.size = sum(dims * bits for dims, bits in sections) // 8
        self._kept = sum(dims for dims, _ in self.sections)
        # Where each section is in a vector and in a code, with its bits.
        self._dimensions = _spans(self.sections)
        self._bytes = _spans([(dims * bits // 8, bits) for dims, bits in self.sections])
        self._axes = axes
        if axes is not None:
            self._lengths = np.linalg.norm(axes, axis=0)
            self._encoding = axes / self._lengths**2

    def encode(self, vectors: Vectors) -> Codes:
        """Return the codes of unit vectors: uint8 [n, size]; ValueError for a value that is not finite."""
        if not np.isfinite(vectors).all():
            raise ValueError("a vector with a value that is not finite has no code")
        turned = vectors if self._axes is None else vectors @ self._encoding
        parts = [pack(turned[:, span], bits, self.dimension) for span, bits in self._dimensions]
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    def decode(self, codes: Codes) -> Vectors:
        """Return the vectors that codes stand for, float32 [n, dimension]; their norm is only near 1."""
        turned = self._unpacked(codes)
        return turned if self._axes is None else turned @ self._axes.T

    def signs(self, codes: Codes) -> Codes | None:
        """Return the same vectors' codes in 1 bit a dimension, None when they are not part of these."""
        if self._axes is not None:
            return None
        parts = [signs(codes[:, span], bits) for span, bits in self._bytes]
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    def products(self, query: Vectors, codes: Codes) -> Vectors:
        """Return the inner product of the query with each code's vector, float32 [n]."""
        query = self._turned(query)
        tables = [byte_products(query[span], bits, self.dimension) for span, bits in self._dimensions]
        return inner_products(tables[0] if len(tables) == 1 else np.vstack(tables), codes)

    def cosines(self, query: Vectors, codes: Codes) -> Vectors:
        """Return the cosine of the unit query with each code's vector, float32 [n]."""
        if self._axes is None:
            return cosines(query, self._unpacked(codes))
        return cosines(self._turned(query) / self._lengths, self._unpacked(codes) * self._lengths)

    def index(self) -> "faiss.Index":
        """Return an empty FAISS index (inner product) that takes these codes by ``add_sa_codes``."""
        import faiss

        if self._whole_bytes:
            return self._scalar_index()
        parts = self.size * 8 // NIBBLE
        index = faiss.IndexPQ(self._width * parts, parts, NIBBLE, faiss.METRIC_INNER_PRODUCT)
        faiss.copy_array_to_vector(self._centroids.ravel(), index.pq.centroids)
        index.is_trained = True
        return index

    def _scalar_index(self) -> "faiss.Index":
        import faiss

        kind = faiss.ScalarQuantizer.QT_8bit_uniform
        index = faiss.IndexScalarQuantizer(self._kept, kind, faiss.METRIC_INNER_PRODUCT)
        first, second = levels(8, self.dimension)[:2]
        # Lower end and range: FAISS decodes a level c as low + (c + 0.5) / 255 * range.
        trained = np.array([first - (second - first) / 2, 255 * (second - first)], dtype=np.float32)
        faiss.copy_array_to_vector(trained, index.sq.trained)
        index.is_trained = True
        return index

    def scan(self, codes: Codes) -> "Scan":
        """Return what searches all of the codes by FAISS."""
        import faiss

        # One query is one thread's work; the others would only spin beside it.
        faiss.omp_set_num_threads(1)
        plain: Any = self.index()
        plain.add_sa_codes(np.ascontiguousarray(codes))
        return Scan(self, plain if self._whole_bytes else faiss.IndexPQFastScan(plain, BLOCK))

    def asked(self, query: Vectors) -> Vectors:
        """Return the query as the FAISS index takes it, float32 [1, width]."""
        turned = self._turned(query)
        if self._whole_bytes:
            return turned.reshape(1, -1)
        spread = []
        for span, bits in self._dimensions:
            parts = turned[span].reshape(-1, NIBBLE // bits)
            if parts.shape[1] < self._width:
                parts = np.pad(parts, ((0, 0), (0, self._width - parts.shape[1])))
            spread.append(parts.ravel())
        return np.concatenate(spread).reshape(1, -1)

    @property
    def _whole_bytes(self) -> bool:
        return self.sections[0][1] == 8

    @property
    def _width(self) -> int:
        """Dimensions of a part, those that only fill it up included."""
        return max(NIBBLE // bits for _, bits in self.sections)

    @cached_property
    def _centroids(self) -> Vectors:
        """Float32 [parts, 16, width]: all combinations of levels, the first lowest, zeros to fill up."""
        made = []
        for dims, bits in self.sections:
            places = np.arange(0, NIBBLE, bits)
            corners = levels(bits, self.dimension)[(np.arange(16)[:, None] >> places) & (2**bits - 1)]
            filled = np.pad(corners, ((0, 0), (0, self._width - len(places))))
            made.append(np.tile(filled, (dims * bits // NIBBLE, 1, 1)))
        return np.vstack(made)

    def _turned(self, query: Vectors) -> Vectors:
        turned: Vectors = query if self._axes is None else query @ self._axes
        return turned

    def _unpacked(self, codes: Codes) -> Vectors:
        parts = [unpack(codes[:, span], bits, self.dimension) for span, bits in self._bytes]
        return parts[0] if len(parts) == 1 else np.hstack(parts)


def _spans(sizes: Sequence[tuple[int, int]]) -> list[tuple[slice, int]]:
    """Return where each section is, with its bits."""
    ends = list(accumulate(size for size, _ in sizes))
    return [(slice(end - size, end), bits) for end, (size, bits) in zip(ends, sizes, strict=True)]


class Scan:
    """All codes of a quantiser in a FAISS index."""

    def __init__(self, quantiser: LevelCode, index: "faiss.Index") -> None:
        self._quantiser = quantiser
        self._index: Any = index

    def search(self, query: Vectors, count: int) -> Found:
        """Return places and inner products of the ``count`` codes where these are highest, best first."""
        asked = np.ascontiguousarray(self._quantiser.asked(query))
        scores, places = self._index.search(asked, min(count, self._index.ntotal))
        return places[0], scores[0]
