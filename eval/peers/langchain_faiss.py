"""The usual hand-made stack: LangChain's loader, splitter and FAISS store, a sentence model in ONNX.

    python langchain_faiss.py FOLDER MODEL.onnx TOKENIZER.json WORK THREADS QUERIES.json

Run by ``capsa eval speed --compare`` with a Python that has langchain-community; prints one JSON record. It
imports nothing of capsa: what it measures is what somebody would write without it.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SUFFIXES = (".md", ".txt", ".html")
CHUNK, OVERLAP = 1000, 200  # characters, the splitter's usual values
WINDOW, BATCH = 256, 32  # tokens of sentence-transformers for this model, and its batch


class Sentences:
    """The model as sentence-transformers runs it: padded batches, the mean of the tokens, unit norm."""

    def __init__(self, model: str, tokenizer: str, threads: int) -> None:
        import onnxruntime
        import tokenizers

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


def main(arguments: list[str]) -> None:
    """Index the folder, ask the questions, print what it took."""
    from langchain_community.document_loaders import TextLoader
    from langchain_community.vectorstores import FAISS
    from langchain_core.embeddings import Embeddings
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Adapter(Sentences, Embeddings):  # type: ignore[misc]  # LangChain is not installed here
        """The model as LangChain wants it."""

    folder, model, tokenizer, work, threads, questions = arguments
    paths = sorted(path for path in Path(folder).rglob("*") if path.suffix in SUFFIXES)
    began, cpu = time.perf_counter(), time.process_time()
    embeddings = Adapter(model, tokenizer, int(threads))
    documents = [document for path in paths for document in TextLoader(str(path), encoding="utf-8").load()]
    splitter = RecursiveCharacterTextSplitter(chunk_size=CHUNK, chunk_overlap=OVERLAP)
    chunks = splitter.split_documents(documents)
    store = FAISS.from_documents(chunks, embeddings)
    store.save_local(work)
    wall, spent = time.perf_counter() - began, time.process_time() - cpu
    answers = []
    for question in json.loads(Path(questions).read_text(encoding="utf-8")):
        start = time.perf_counter()
        found = store.similarity_search(question, k=10)
        answers.append(
            {"ms": 1000 * (time.perf_counter() - start), "texts": [each.page_content for each in found]}
        )
    size = sum(path.stat().st_size for path in Path(work).rglob("*") if path.is_file())
    record = {
        "files": len(paths),
        "source_bytes": sum(os.path.getsize(path) for path in paths),
        "chunks": len(chunks),
        "tokens": embeddings.tokens,
        "wall_s": wall,
        "cpu_s": spent,
        "index_bytes": size,
        "answers": answers,
    }
    sys.stdout.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
