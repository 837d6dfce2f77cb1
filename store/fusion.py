"""Two rankings -> one. Pure functions; every number that was tuned is in ``FusionWeights``.

Both arms are brought to an absolute scale and added: the dense arm's cosine, and BM25 as a share of the most
that any chunk could have for the query's words. How much the keyword arm counts follows the query: much when
its best hit holds most of what was asked and the arms agree, little when the question's words are hardly in
the documents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log1p

Ranking = Sequence[tuple[int, float]]

# BM25's limit for a word of idf 1 in FTS5, k1 + 1.
SATURATION = 2.2
# Hits of each arm that are compared for agreement.
FIRST = 10


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """What can be known of a query without labels.

    ``bound`` is the most BM25 that a chunk could have, ``coverage`` the best hit's share of it (phrases can
    carry it past 1), ``agreement`` the share of the arms' first tens that they have in common,
    ``terms`` the number of words that were looked for.
    """

    bound: float = 1.0
    coverage: float = 0.0
    agreement: float = 0.0
    terms: int = 0


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """score = cosine + weight * BM25 / bound, with a weight that is a logistic function of the query:

    weight = most / (1 + exp(-(offset + coverage * c + agreement * a + terms * log(1 + t)))), with c, a and t
    the query's coverage, agreement and number of terms.
    Chosen on the development sets together, see "Fusion" in README.md.
    """

    most: float = 1.87
    offset: float = -0.9
    coverage: float = 2.67
    agreement: float = 2.98
    terms: float = -0.55


DEFAULT_WEIGHTS = FusionWeights()


def fuse(
    features: QueryFeatures, bm25: Ranking, dense: Ranking, weights: FusionWeights = DEFAULT_WEIGHTS
) -> list[tuple[int, float]]:
    """Add the arms' scores with a weight that follows the query; best first, ties by chunk id.

    ``dense`` should score all chunks of ``bm25`` too: a chunk without a cosine counts as having none.
    """
    total = dict(dense)
    weight = keyword_weight(features, weights) / features.bound
    for chunk_id, score in bm25:
        total[chunk_id] = total.get(chunk_id, 0.0) + weight * score
    return [(chunk_id, -score) for score, chunk_id in sorted((-score, key) for key, score in total.items())]


def keyword_weight(features: QueryFeatures, weights: FusionWeights = DEFAULT_WEIGHTS) -> float:
    """Return what the keyword arm counts for a query, the dense arm counting 1."""
    certainty = (
        weights.offset
        + weights.coverage * features.coverage
        + weights.agreement * features.agreement
        + weights.terms * log1p(features.terms)
    )
    return weights.most / (1.0 + exp(-certainty))


def query_features(bm25: Ranking, dense: Ranking, idf: Mapping[str, float]) -> QueryFeatures:
    """Look at a query's two rankings, best first; ``idf`` is of the words that were looked for."""
    bound = SATURATION * sum(idf.values()) or 1.0
    common = {chunk_id for chunk_id, _ in bm25[:FIRST]} & {chunk_id for chunk_id, _ in dense[:FIRST]}
    return QueryFeatures(
        bound=bound,
        coverage=bm25[0][1] / bound if bm25 else 0.0,
        agreement=len(common) / FIRST,
        terms=len(idf),
    )
