"""Documents' texts: kept once, compressed, in parts, so that a piece of a huge one is cheap to read."""

import sqlite3
from collections import OrderedDict

import zstandard

# A part is unpacked whole to read one chunk of it: 64k characters take about 0.1 ms.
PART = 1 << 16
# Level 9 packs 2 % tighter than 6 at less than half its speed (60 MB/s); 12 gains 1 % more at a fifth.
LEVEL = 6
# Parts that a reader keeps unpacked: 32 of 64k characters are some 2 to 8 MB.
KEPT_PARTS = 32


def put_text(connection: sqlite3.Connection, document_id: int, text: str) -> None:
    """Replace the document's text."""
    delete_text(connection, document_id)
    pack = zstandard.ZstdCompressor(level=LEVEL).compress
    rows = (
        (document_id, start, pack(text[start : start + PART].encode("utf-8", "surrogatepass")))
        for start in range(0, len(text), PART)
    )
    connection.executemany("INSERT INTO texts (document_id, start, blob) VALUES (?, ?, ?)", rows)


def delete_text(connection: sqlite3.Connection, document_id: int) -> None:
    """Remove the document's text."""
    connection.execute("DELETE FROM texts WHERE document_id = ?", (document_id,))


class TextReader:
    """Reads pieces of texts, keeping the last parts unpacked; forget them when the database has changed."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._unpack = zstandard.ZstdDecompressor().decompress
        self._parts: OrderedDict[tuple[int, int], str] = OrderedDict()

    def read(self, document_id: int, start: int, end: int) -> str:
        """Return ``text[start:end]``."""
        first = start - start % PART
        pieces = [self._part(document_id, offset) for offset in range(first, end, PART)]
        return "".join(pieces)[start - first : end - first]

    def whole(self, document_id: int) -> str:
        """Return the whole text."""
        rows = self._connection.execute(
            "SELECT blob FROM texts WHERE document_id = ? ORDER BY start", (document_id,)
        )
        return "".join(self._decode(blob) for (blob,) in rows)

    def forget(self) -> None:
        """Drop what is kept."""
        self._parts.clear()

    def _part(self, document_id: int, start: int) -> str:
        place = (document_id, start)
        if place in self._parts:
            self._parts.move_to_end(place)
            return self._parts[place]
        row = self._connection.execute(
            "SELECT blob FROM texts WHERE document_id = ? AND start = ?", place
        ).fetchone()
        text = self._parts[place] = self._decode(row[0]) if row else ""
        if len(self._parts) > KEPT_PARTS:
            self._parts.popitem(last=False)
        return text

    def _decode(self, blob: bytes) -> str:
        return self._unpack(blob).decode("utf-8", "surrogatepass")
