"""Chroma with the same splitter and model as ``langchain_faiss.py``, beside which it lies; same arguments."""

import json
import os
import sys
import time
from pathlib import Path

import chromadb
from chromadb.config import Settings
from langchain_faiss import CHUNK, OVERLAP, SUFFIXES, Sentences
from langchain_text_splitters import RecursiveCharacterTextSplitter

BATCH = 256


def main(arguments: list[str]) -> None:
    """Index the folder, ask the questions, print what it took."""
    folder, model, tokenizer, work, threads, questions = arguments
    paths = sorted(path for path in Path(folder).rglob("*") if path.suffix in SUFFIXES)
    began, cpu = time.perf_counter(), time.process_time()
    sentences = Sentences(model, tokenizer, int(threads))
    splitter = RecursiveCharacterTextSplitter(chunk_size=CHUNK, chunk_overlap=OVERLAP)
    chunks = [part for path in paths for part in splitter.split_text(path.read_text(encoding="utf-8"))]
    client = chromadb.PersistentClient(work, Settings(anonymized_telemetry=False))
    collection = client.create_collection("compared", embedding_function=None)
    for start in range(0, len(chunks), BATCH):
        part = chunks[start : start + BATCH]
        ids = [str(start + place) for place in range(len(part))]
        collection.add(ids=ids, documents=part, embeddings=sentences.embed_documents(part))
    wall, spent = time.perf_counter() - began, time.process_time() - cpu
    answers = []
    for question in json.loads(Path(questions).read_text(encoding="utf-8")):
        start_s = time.perf_counter()
        found = collection.query(query_embeddings=[sentences.embed_query(question)], n_results=10)
        took = 1000 * (time.perf_counter() - start_s)
        answers.append({"ms": took, "texts": found["documents"][0]})
    record = {
        "files": len(paths),
        "source_bytes": sum(os.path.getsize(path) for path in paths),
        "chunks": len(chunks),
        "tokens": sentences.tokens,
        "wall_s": wall,
        "cpu_s": spent,
        "index_bytes": sum(path.stat().st_size for path in Path(work).rglob("*") if path.is_file()),
        "answers": answers,
    }
    sys.stdout.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
