"""The usual hand-made stack: LangChain's loader, splitter and FAISS store, a sentence model in ONNX."""

from collections.abc import Sequence
from pathlib import Path

from langchain_community.document_loaders import TextLoader
from langchain_community.vectorstores import FAISS
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter
from measuring import HITS, Indexed, Task, measure
from sentences import CHUNK, OVERLAP, Sentences


class Adapter(Sentences, Embeddings):  # type: ignore[misc]  # LangChain is not installed here
    """The model as LangChain wants it."""


def index(task: Task, paths: Sequence[Path]) -> Indexed:
    """Load, split, embed and save the files."""
    embeddings = Adapter(task.model, task.tokenizer, task.threads)
    documents = [document for path in paths for document in TextLoader(str(path), encoding="utf-8").load()]
    splitter = RecursiveCharacterTextSplitter(chunk_size=CHUNK, chunk_overlap=OVERLAP)
    chunks = splitter.split_documents(documents)
    store = FAISS.from_documents(chunks, embeddings)
    store.save_local(str(task.work))

    def ask(question: str) -> list[str]:
        return [each.page_content for each in store.similarity_search(question, k=HITS)]

    return Indexed(ask, task.work, len(chunks), embeddings.tokens)


if __name__ == "__main__":
    measure(index)
