"""Chroma with the same splitter and model as ``langchain_faiss.py``."""

from collections.abc import Sequence
from pathlib import Path

import chromadb
from chromadb.config import Settings
from langchain_text_splitters import RecursiveCharacterTextSplitter
from measuring import HITS, Indexed, Task, measure
from sentences import CHUNK, OVERLAP, Sentences

BATCH = 256


def index(task: Task, paths: Sequence[Path]) -> Indexed:
    """Split, embed and add the files."""
    sentences = Sentences(task.model, task.tokenizer, task.threads)
    splitter = RecursiveCharacterTextSplitter(chunk_size=CHUNK, chunk_overlap=OVERLAP)
    chunks = [part for path in paths for part in splitter.split_text(path.read_text(encoding="utf-8"))]
    client = chromadb.PersistentClient(str(task.work), Settings(anonymized_telemetry=False))
    collection = client.create_collection("compared", embedding_function=None)
    for start in range(0, len(chunks), BATCH):
        part = chunks[start : start + BATCH]
        ids = [str(start + place) for place in range(len(part))]
        collection.add(ids=ids, documents=part, embeddings=sentences.embed_documents(part))

    def ask(question: str) -> list[str]:
        found = collection.query(query_embeddings=[sentences.embed_query(question)], n_results=HITS)
        texts: list[str] = found["documents"][0]
        return texts

    return Indexed(ask, task.work, len(chunks), sentences.tokens)


if __name__ == "__main__":
    measure(index)
