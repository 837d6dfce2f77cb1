"""The keyword arm: BM25 over the rarest words of a question, so that a search costs the same in a large index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .querysyntax import ParsedQuery, Term
from .ranking import CANDIDATES, Ranked, inverse_frequency, match_expression, rank_keywords
from .reader import Reader

# Rows that may match before common words are left out of the first pass.
ROW_BUDGET = 5000
# The rarest terms always count, however common they are.
ALWAYS = 2


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """A parsed query with what the index knows of its words: ``idf`` by stem, ``rows`` that a term matches at most."""

    parsed: ParsedQuery
    idf: Mapping[str, float]
    rows: Mapping[Term, int]

    @classmethod
    def of(cls, reader: Reader, parsed: ParsedQuery) -> "KeywordQuery":
        """Look the words up in the reader's snapshot."""
        stems = reader.stemmer.stems(parsed.words)
        frequencies = reader.frequencies([stem for found in stems.values() for stem in found])
        idf = {stem: inverse_frequency(count, reader.chunk_count) for stem, count in frequencies.items()}
        rows = {
            term: min((frequencies[stem] for token in term.tokens for stem in stems[token]), default=0)
            for term in parsed.terms
        }
        return cls(parsed, idf, rows)


def search_keywords(reader: Reader, query: KeywordQuery, documents: Sequence[int] | None) -> Ranked:
    """Return the best chunks by BM25, best first, among the documents only."""
    parsed = query.parsed
    if not parsed.terms:
        return []
    chosen = rarest(query)
    found = rank_keywords(reader.connection, match_expression(chosen, parsed), documents)
    if len(found) < CANDIDATES and len(chosen) < len(parsed.optional):
        found = rank_keywords(reader.connection, match_expression(parsed.optional, parsed), documents)
    return found


def rarest(query: KeywordQuery) -> tuple[Term, ...]:
    """Return the optional terms that fit into the budget of rows, rarest first."""
    order = sorted(query.parsed.optional, key=lambda term: query.rows[term])
    total, chosen = 0, []
    for term in order:
        total += query.rows[term]
        if len(chosen) >= ALWAYS and total > ROW_BUDGET:
            break
        chosen.append(term)
    return tuple(chosen)
