"""Parsers: bytes in, Document out, one module a format."""
