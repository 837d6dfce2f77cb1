"""The model and the splitter as the usual hand-made stack has them."""

from typing import Any

import numpy as np
import onnxruntime
import tokenizers

CHUNK, OVERLAP = 1000, 200  # characters, the splitter's usual values
WINDOW, BATCH = 256, 32  # tokens of sentence-transformers for this model, and its batch


class Sentences:
    """The model as sentence-transformers runs it: padded batches, the mean of the tokens, unit norm."""

    def __init__(self, model: str, tokenizer: str, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._tokenizer = tokenizers.Tokenizer.from_file(tokenizer)
        self._tokenizer.enable_truncation(WINDOW)
        self._tokenizer.enable_padding()
        self.tokens = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        rows: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            rows += self._embed(texts[start : start + BATCH]).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question."""
        row: list[float] = self._embed([text])[0].tolist()
        return row

    def _embed(self, texts: list[str]) -> Any:
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([each.ids for each in encoded], dtype=np.int64)
        mask = np.array([each.attention_mask for each in encoded], dtype=np.int64)
        self.tokens += int(mask.sum())
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, given)[0]
        pooled = (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
