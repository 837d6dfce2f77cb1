"""The keyword arm: BM25 of any words, at a cost that hardly grows with the index.

FTS5 takes about 1 µs for the BM25 of a row, and a question's words stand in a tenth of all rows. So the rows
are first ordered by what their BM25 would be if each of their words stood in them once, from id lists and
lengths that are kept, and only the best get their exact BM25.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .columns import Ids
from .postings import COUNTED
from .querysyntax import ParsedQuery, Term
from .ranking import CANDIDATES, inverse_frequency, match_expression, rank_keywords
from .reader import Reader
from .selections import FEW_DOCUMENTS, Selection
from .snippets import WordFinder
from .vectors import Ranked

# Up to so many matching rows FTS5 ranks all of them in 2 ms.
DIRECT_ROWS = 2000
# Rows that get their exact score. With 100, 150, 200, 300 of them 93, 96, 97, 98 % of the exact first ten
# were among them (180 questions of more than DIRECT_ROWS, 100,000 chunks); without lengths 300 gave 89 %.
EXACT_ROWS = 200
# BM25's constants in FTS5: how much length counts, and how soon more of a word adds nothing.
LENGTH_SHARE, SATURATION = 0.75, 1.2
# A word of more rows than this is left out, rarest first, as soon as ALWAYS others are asked for.
COMMON_ROWS = COUNTED
ALWAYS = 2


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """A parsed query with what the index knows of it: ``idf`` by stem, ``rows`` that a term matches at most.

    ``finder`` finds its words in texts.
    """

    parsed: ParsedQuery
    idf: Mapping[str, float]
    rows: Mapping[Term, int]
    finder: WordFinder

    @classmethod
    def of(cls, reader: Reader, parsed: ParsedQuery) -> "KeywordQuery":
        """Look the words up in the reader's snapshot."""
        stems = reader.stemmer.stems(parsed.words)
        # A run of a spaceless script has a stem a character, which is a word by itself.
        words = {stem: word if len(found) == 1 else stem for word, found in stems.items() for stem in found}
        counts = {stem: reader.postings.count(word) for stem, word in words.items()}
        idf = {stem: inverse_frequency(count, reader.chunk_count) for stem, count in counts.items()}
        rows = {
            term: min((counts[stem] for token in term.tokens for stem in stems[token]), default=0)
            for term in parsed.terms
        }
        prefixes = [term.tokens[-1] for term in parsed.terms if term.prefix]
        return cls(parsed, idf, rows, WordFinder(idf, prefixes, reader.stemmer))


def search_keywords(reader: Reader, query: KeywordQuery, selection: Selection | None) -> Ranked:
    """Return the best chunks by BM25, best first, of those selected only."""
    parsed = query.parsed
    if not parsed.terms:
        return []
    telling = without_common(query)
    found = _rank(reader, query, telling, selection)
    if len(found) < CANDIDATES and len(telling) < len(parsed.optional):
        found = _rank(reader, query, parsed.optional, selection)
    return found


def without_common(query: KeywordQuery) -> tuple[Term, ...]:
    """Return the optional terms, rarest first, without those that nearly every chunk has."""
    order = sorted(query.parsed.optional, key=lambda term: query.rows[term])
    return tuple(
        term for place, term in enumerate(order) if place < ALWAYS or query.rows[term] <= COMMON_ROWS
    )


def _rank(reader: Reader, query: KeywordQuery, terms: Sequence[Term], selection: Selection | None) -> Ranked:
    expression = match_expression(terms, query.parsed)
    if not _is_costly(query, terms, selection):
        documents = None if selection is None else selection.documents
        return rank_keywords(reader.connection, expression, documents)
    chunks = None if selection is None else selection.chunks
    return rank_keywords(reader.connection, expression, chunk_ids=likely_chunks(reader, terms, chunks))


def _is_costly(query: KeywordQuery, terms: Sequence[Term], selection: Selection | None) -> bool:
    if query.parsed.required or query.parsed.excluded:
        return False
    few = selection is not None and len(selection.documents) <= FEW_DOCUMENTS
    return not few and sum(query.rows[term] for term in terms) > DIRECT_ROWS


def likely_chunks(reader: Reader, terms: Sequence[Term], allowed: Ids | None = None) -> list[int]:
    """Return the allowed chunks with the highest BM25 if each term stood but once in a chunk."""
    lists = [reader.postings.ids(term.expression()) for term in terms]
    weights = [inverse_frequency(len(found), reader.chunk_count) for found in lists]
    # By id and not by place: chunk ids are dense enough, and sorting them would cost more than the sums.
    sums = np.zeros(1 + max((int(found[-1]) for found in lists if len(found)), default=0))
    # Marks beside the sums: the places of true ones are found ten times as fast as those of numbers.
    marks = np.zeros(len(sums), dtype=bool)
    for found, weight in zip(lists, weights, strict=True):
        sums[found] += weight
        marks[found] = True
    if allowed is not None:
        wanted = np.zeros(len(marks), dtype=bool)
        wanted[allowed[allowed < len(marks)]] = True
        marks &= wanted
    ids = np.flatnonzero(marks)
    lengths = reader.lengths.of(ids)
    # The mean of the chunks that match stands for that of all.
    share = 1 - LENGTH_SHARE + LENGTH_SHARE / max(1.0, lengths.mean()) * lengths if len(ids) else 1.0
    found_ids: list[int] = ids[highest(sums[ids] / (1 + SATURATION * share), EXACT_ROWS)].tolist()
    return found_ids


def highest(scores: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.int64]:
    """Return the places of the highest scores, ascending; the first of equal ones."""
    if len(scores) <= count:
        return np.arange(len(scores))
    least = np.partition(scores, -count)[-count]
    above = np.flatnonzero(scores > least)
    level = np.flatnonzero(scores == least)[: count - len(above)]
    return np.sort(np.concatenate([above, level]))
