"""SQLite metadata beside a quantised FAISS index, the embedder, and the search over both."""
