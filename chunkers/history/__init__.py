"""Exports of browsers and of services that keep pages: which one a file is, and what it holds.

The order of the tables is that of the questions: the particular before the general.
"""

from .reading import find_format, is_export, read_export

__all__ = ["find_format", "is_export", "read_export"]
