"""Reading files of any length piece by piece: the items of a JSON file, the rows of a CSV file."""

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..errors import ParseError
from .model import Meter

PIECE = 1 << 20
# Of one item or row: a page has an address and a title.
LONGEST_ITEM = 16 << 20
_SPACE = re.compile(r"[\s,]*+")
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Pieces:
    """A binary file as pieces of text; what is not UTF-8 becomes U+FFFD. The meter counts its bytes."""

    def __init__(self, source: BinaryIO, meter: Meter) -> None:
        self._source = source
        self._meter = meter

    def __iter__(self) -> Iterator[str]:
        piece = self._read()
        bom, encoding = next(((b, name) for b, name in _BOMS if piece.startswith(b)), (b"", "utf-8"))
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        piece = piece[len(bom) :]
        while piece:
            yield decoder.decode(piece)
            piece = self._read()
        yield decoder.decode(b"", final=True)

    def _read(self) -> bytes:
        piece = self._source.read(PIECE)
        self._meter.done += len(piece)
        return piece


class JsonItems:
    """The items of one list, or the values of one object, of a JSON file: those that follow the opening."""

    def __init__(self, source: BinaryIO, meter: Meter, opening: str) -> None:
        self._pieces = iter(Pieces(source, meter))
        self._opening = re.compile(opening)
        self._decoder = json.JSONDecoder()
        self._text = ""
        self._place = 0

    def __iter__(self) -> Iterator[Any]:
        """Yield the items; ParseError when the file ends before its list does, or an item is no JSON."""
        closing = {"[": "]", "{": "}"}[self._find_opening()]
        while True:
            if self._next() == closing:
                return
            item = self._decode()
            if closing == "}":
                self._place += self._next() == ":"
                self._next()
                item = self._decode()
            yield item

    def _find_opening(self) -> str:
        while True:
            match = self._opening.search(self._text)
            if match:
                self._place = match.end()
                return match[0][-1]
            # What is searched for may lie across two pieces.
            self._text = self._text[-200:]
            self._more()

    def _next(self) -> str:
        """Go on to the next character that is no space and no comma, and return it."""
        while True:
            match = _SPACE.match(self._text, self._place)
            self._place = match.end() if match else self._place
            if self._place < len(self._text):
                return self._text[self._place]
            self._more()

    def _decode(self) -> Any:
        while True:
            try:
                item, end = self._decoder.raw_decode(self._text, self._place)
            except ValueError as error:
                if len(self._text) - self._place > LONGEST_ITEM:
                    raise ParseError("damaged", f"not valid JSON: {error}") from error
                self._more()
                continue
            self._place = end
            return item

    def _more(self) -> None:
        # The bytes of one character may lie in several pieces.
        piece = next((piece for piece in self._pieces if piece), "")
        if not piece:
            raise ParseError("damaged", "the file ends in the middle: it is cut off or no valid JSON")
        self._text = self._text[self._place :] + piece
        self._place = 0


def read_rows(source: BinaryIO, meter: Meter) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV or TSV file by the names of its first row, in lower case without blanks."""
    csv.field_size_limit(LONGEST_ITEM)
    lines = _lines(source, meter)
    first = next(lines, "")
    delimiter = max(",;\t", key=first.count)
    names = [name.strip().lower() for name in next(csv.reader([first], delimiter=delimiter), [])]
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            yield dict(zip(names, row, strict=False))
    except csv.Error as error:
        raise ParseError("damaged", f"not a valid table: {error}") from error


def _lines(source: BinaryIO, meter: Meter) -> Iterator[str]:
    text = ""
    for piece in Pieces(source, meter):
        text += piece
        if len(text) > LONGEST_ITEM:
            raise ParseError("damaged", "not a table: it has no line ends")
        # A line end may be part of a field, so it stays.
        *lines, text = text.splitlines(keepends=True) or [""]
        yield from lines
    yield from io.StringIO(text)
