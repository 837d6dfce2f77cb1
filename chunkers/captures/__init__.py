"""Saved pages and archives of them: bytes in, pages with their addresses out. Nothing is ever fetched."""
