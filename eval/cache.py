"""Embeddings kept by content hash, so that a repeated evaluation embeds no text twice."""

import sqlite3
import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capsa.chunkers.errors import UnavailableError
from capsa.store.embedder import Embedder
from capsa.store.models import Model

_BATCH = 256  # texts between two commits: what an interrupted run can lose
_WAIT_S = 60  # for another process that writes
_SCHEMA = "create table if not exists embedded (key blob primary key, vector blob, cpu_ms real) without rowid"
_FEW = 500  # keys in one query


def open_kept(path: Path, schema: str) -> sqlite3.Connection:
    """Open a file (0600) in which evaluations keep what they have done, with the table that it has."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=_WAIT_S)
    path.chmod(0o600)
    connection.execute(schema)
    return connection


class CachedEmbedder:
    """An Embedder that asks another one only for texts whose vectors are not in its file yet."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._spent_s = 0.0
        self._connection = open_kept(path, _SCHEMA)

    @property
    def model(self) -> Model:
        """The model whose vectors these are."""
        return self._embedder.model

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of the texts, float32 [n, dimension]; UnavailableError for one it cannot read."""
        vectors = np.zeros((len(texts), self.model.dimension), dtype=np.float32)
        for first in range(0, len(texts), _BATCH):
            vectors[first : first + _BATCH] = self._embed_batch(texts[first : first + _BATCH])
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a query, float32 [dimension]; queries are not kept, their latency is measured."""
        return self._embedder.embed_query(text)

    @property
    def spent_s(self) -> float:
        """CPU seconds spent on embedding passages since this was opened."""
        return self._spent_s

    def costs(self, texts: Sequence[str]) -> list[float]:
        """CPU milliseconds that each text took when it was embedded, 0.0 for one that never was.

        Texts are embedded together: each has the share of its length.
        """
        keys = [self._key(text) for text in texts]
        rows = self._select("cpu_ms", keys)
        return [rows.get(key, 0.0) for key in keys]

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
        known = {
            key: np.frombuffer(vector, dtype=np.float32)
            for key, vector in self._select("vector", list(dict.fromkeys(keys))).items()
        }
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            known.update(self._embed_new(missing))
        return np.stack([known[key] for key in keys])

    def _embed_new(self, missing: dict[bytes, str]) -> dict[bytes, NDArray[np.float32]]:
        began = time.process_time()
        try:
            fresh = self._embedder.embed(list(missing.values()))
        except ValueError as error:
            reason = f"some passages have more than the {self.model.window} tokens that it reads"
            raise UnavailableError(f"{reason}; cut them for it: --models {self.model.name}") from error
        spent = time.process_time() - began
        self._spent_s += spent
        rate = 1000 * spent / max(1, sum(map(len, missing.values())))
        rows = [
            (key, vector.tobytes(), rate * len(text))
            for (key, text), vector in zip(missing.items(), fresh, strict=True)
        ]
        with self._connection:
            self._connection.executemany("insert or replace into embedded values (?, ?, ?)", rows)
        return dict(zip(missing, fresh, strict=True))

    def _key(self, text: str) -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=self._model_key()).digest()

    def _model_key(self) -> bytes:
        return self.model.fingerprint.encode()

    def _select(self, column: str, keys: Sequence[bytes]) -> dict[bytes, Any]:
        found: dict[bytes, Any] = {}
        for first in range(0, len(keys), _FEW):
            few = keys[first : first + _FEW]
            marks = ",".join("?" * len(few))
            rows = self._connection.execute(f"select key, {column} from embedded where key in ({marks})", few)
            found.update(rows.fetchall())
        return found
