"""Embeddings kept by content hash, so that a repeated evaluation embeds no text twice."""

import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from capsa.store.embedder import Embedder
from capsa.store.models import Model

_BATCH = 256  # texts between two commits: what an interrupted run can lose


class CachedEmbedder:
    """An Embedder that asks another one only for texts whose vectors are not in its file yet."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path)
        path.chmod(0o600)
        self._connection.execute("create table if not exists vectors (key blob primary key, vector blob)")

    @property
    def model(self) -> Model:
        """The model whose vectors these are."""
        return self._embedder.model

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the texts, float32 [n, dimension], unit norm."""
        vectors = np.zeros((len(texts), self.model.dimension), dtype=np.float32)
        for first in range(0, len(texts), _BATCH):
            vectors[first : first + _BATCH] = self._embed_batch(texts[first : first + _BATCH])
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a query, float32 [dimension]; queries are not kept, their latency is measured."""
        return self._embedder.embed_query(text)

    def close(self) -> None:
        """Close the file; the wrapped embedder stays open."""
        self._connection.close()

    def __enter__(self) -> "CachedEmbedder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [self._key(text) for text in texts]
        known = {key: vector for key in dict.fromkeys(keys) if (vector := self._fetch(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            fresh = self._embedder.embed(list(missing.values()))
            known.update(zip(missing, fresh, strict=True))
            self._keep(list(missing), fresh)
        return np.stack([known[key] for key in keys])

    def _key(self, text: str) -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=self._model_key()).digest()

    def _model_key(self) -> bytes:
        return bytes.fromhex(self.model.sha256)[:32]

    def _fetch(self, key: bytes) -> NDArray[np.float32] | None:
        row = self._connection.execute("select vector from vectors where key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)

    def _keep(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        rows = [(key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._connection:
            self._connection.executemany("insert or replace into vectors values (?, ?)", rows)
