"""Chunkers: Document in, chunks out, one module a strategy."""
