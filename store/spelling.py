"""Words of a query that stand in no document -> words near to them that do, or that begin so."""

import json
import re
from collections.abc import Iterator, Set
from string import ascii_lowercase
from typing import NamedTuple

from .querysyntax import parse_query
from .reader import Reader
from .stems import WORD, fold

# A shorter word is near to too many others.
MIN_LENGTH = 4
# From this length on two letters may be wrong.
LONG = 7
# Words of a query that are looked at, and words that are compared with each of them (about 3 µs each).
MAX_WORDS = 4
MAX_COMPARED = 50_000
# Stems that a made word may have, and chunks that are read for one that is written so.
STEMS_TRIED = 4
CHUNKS_READ = 20
PLAIN = re.compile(r"[a-z]+")
# The end of a query that somebody is typing. Fewer letters are the beginning of too many words: three took up
# to 9 ms in 100,000 chunks, four up to 3 ms.
BEGUN = re.compile(r"(?<!\S)[a-z]{4,}$", re.IGNORECASE)


class Correction(NamedTuple):
    """A word as it was asked for, and one that the documents have."""

    word: str
    instead: str


def correct(reader: Reader, text: str) -> list[Correction]:
    """Return a correction for each unknown word of the query that has one, in a snapshot of the reader."""
    parsed = parse_query(text)
    prefixes = {term.tokens[-1] for term in parsed.terms if term.prefix}
    words = [word for word in parsed.words if len(word) >= MIN_LENGTH and word not in prefixes]
    stems = reader.stemmer.stems(words)
    unknown = [
        (word, stems[word][0])
        for word in words
        if PLAIN.fullmatch(word.lower()) and len(stems[word]) == 1 and not _count(reader, stems[word][0])
    ]
    found = (
        (word, _one_off(reader, word.lower()) or _further(reader, stem)) for word, stem in unknown[:MAX_WORDS]
    )
    return [Correction(word, instead) for word, instead in found if instead]


def complete(reader: Reader, text: str) -> str:
    """Return the query with its last word, if no document has that, as the commonest one that begins so.

    In a snapshot of the reader.
    """
    begun = BEGUN.search(text)
    if begun is None:
        return text
    word = begun[0].lower()
    stems = reader.stemmer.stems([word])[word]
    if any(_count(reader, stem) for stem in stems):
        return text
    row = reader.connection.execute(
        "SELECT term FROM vocabulary WHERE term >= ? AND term < ? ORDER BY doc DESC, term LIMIT 1",
        (word, f"{word}\U0010ffff"),
    ).fetchone()
    whole = _begun_so(reader, row[0]) if row else ""
    return text[: begun.start()] + whole if whole else text


def is_near(one: str, other: str, most: int) -> bool:
    """Whether so many letters changed, added, left out or swapped with their neighbour make one the other.

    The optimal string alignment distance, row by row.
    """
    if abs(len(one) - len(other)) > most:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, row = row, [i]
        for j, against in enumerate(other, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return False
        before = above
    return row[-1] <= most


def _count(reader: Reader, stem: str) -> int:
    row = reader.connection.execute("SELECT doc FROM vocabulary WHERE term = ?", (stem,)).fetchone()
    return 0 if row is None else int(row[0])


def _one_off(reader: Reader, word: str) -> str:
    """Return a word with one letter less, more or other, or two swapped, of the commonest stem that has one.

    The words are made and not looked up: the index has stems, and those may be far from what was typed.
    """
    stems = {edit: found[0] for edit, found in reader.stemmer.stems(_edits(word)).items() if found}
    rows = reader.connection.execute(
        "SELECT term FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))"
        " ORDER BY doc DESC LIMIT ?",
        (json.dumps(sorted(set(stems.values()))), STEMS_TRIED),
    ).fetchall()
    found = (_written(reader, stem, {edit for edit in stems if stems[edit] == stem}) for (stem,) in rows)
    return next(filter(None, found), "")


def _edits(word: str) -> Iterator[str]:
    """Words that begin as it does, since few people miss the first letter."""
    for place in range(1, len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (f"{before}{letter}{after}" for letter in ascii_lowercase)
        if after:
            yield before + after[1:]
            yield from (f"{before}{letter}{after[1:]}" for letter in ascii_lowercase)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def _further(reader: Reader, stem: str) -> str:
    near = _nearest(reader, stem)
    return _written(reader, near) if near else ""


def _nearest(reader: Reader, stem: str) -> str:
    """Return the commonest near stem, of those with the same first letter; nothing when there is none."""
    most = 2 if len(stem) >= LONG else 1
    letters = set(stem)
    rows = reader.connection.execute(
        "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?"
        " AND length(term) BETWEEN ? AND ? LIMIT ?",
        (stem[0], chr(ord(stem[0]) + 1), len(stem) - most, len(stem) + most, MAX_COMPARED),
    )
    near = [
        (count, term)
        for term, count in rows
        if len(letters.symmetric_difference(term)) <= 2 * most and is_near(stem, term, most)
    ]
    one_off = [each for each in near if is_near(stem, each[1], 1)]
    return max(one_off or near, default=(0, ""))[1]


def _written(reader: Reader, stem: str, wanted: Set[str] = frozenset()) -> str:
    """Return a word of that stem as some document has it, one of those wanted when there are some."""
    # A stem has a stem too, which may be another; neighbours are of one document, so others are looked at.
    found = reader.connection.execute(
        "SELECT rowid FROM keywords WHERE keywords MATCH ? ORDER BY rowid * 2654435761 % 4294967296 LIMIT ?",
        (f'"{min(wanted, default=stem)}"', CHUNKS_READ),
    ).fetchall()
    words = (word for (chunk_id,) in found for word in _words(reader, chunk_id, stem))
    return next((word for word in words if not wanted or word in wanted), "")


def _begun_so(reader: Reader, stem: str) -> str:
    """Return a word of that stem as some document has it; nothing when none of the first has one."""
    # What is asked for is made a stem of its own first, which the stem begins with: so as a beginning. Titles
    # are no part of the texts that are read.
    found = reader.connection.execute(
        "SELECT rowid FROM keywords WHERE keywords MATCH ? LIMIT ?", (f'body : "{stem}" *', CHUNKS_READ)
    ).fetchall()
    return next((word for (chunk_id,) in found for word in _words(reader, chunk_id, stem)), "")


def _words(reader: Reader, chunk_id: int, stem: str) -> Iterator[str]:
    chunk = reader.chunks([chunk_id])[chunk_id]
    crumb = " ".join(reader.document(chunk.document_id).outline.path(chunk.heading))
    words = WORD.findall(fold(f"{reader.text(chunk)} {crumb}").lower())
    stems = reader.stemmer.stems(words)
    yield from (word for word in words if stems[word] == (stem,))
