"""Two rankings -> one. Pure functions; every number that can be tuned is in ``FusionWeights``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Ranking = Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """What can be known of a query without labels, each from 0 to 1 except ``terms``.

    ``terms`` counts the words that were looked for. ``coverage`` is the share of their idf mass that the best
    keyword hit holds. ``bm25_margin`` and ``dense_margin`` say how far the first hit of an arm stands above
    its tenth, as a share of the first score. ``agreement`` is the share of the arms' first tens that they
    have in common.
    """

    terms: int = 0
    coverage: float = 0.0
    bm25_margin: float = 0.0
    dense_margin: float = 0.0
    agreement: float = 0.0


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """How much the keyword arm counts (the dense arm has the rest), and how that follows the query.

    weight = clip(base + coverage * (coverage - 0.5) + bm25_margin * m + dense_margin * m' + agreement * a,
    low, high). ``depth`` is how many hits of each arm set its scale: the best scores 1, the one at ``depth``
    scores 0.
    """

    base: float = 0.5
    coverage: float = 0.6
    bm25_margin: float = 0.0
    dense_margin: float = 0.0
    agreement: float = 0.0
    low: float = 0.15
    high: float = 0.85
    depth: int = 200


DEFAULT_WEIGHTS = FusionWeights()
# Cormack, Clarke and Büttcher 2009: the constant of reciprocal rank fusion.
RRF_CONSTANT = 60


def fuse(
    features: QueryFeatures, bm25: Ranking, dense: Ranking, weights: FusionWeights = DEFAULT_WEIGHTS
) -> list[tuple[int, float]]:
    """Add the arms' min-max scores with a weight that follows the query; best first, ties by chunk id."""
    weight = keyword_weight(features, weights)
    if not bm25 or not dense:
        weight = 1.0 if bm25 else 0.0
    total: dict[int, float] = {}
    for ranking, share in ((bm25, weight), (dense, 1.0 - weight)):
        for chunk_id, score in normalise(ranking, weights.depth):
            total[chunk_id] = total.get(chunk_id, 0.0) + share * score
    return _sorted(total)


def keyword_weight(features: QueryFeatures, weights: FusionWeights = DEFAULT_WEIGHTS) -> float:
    """Return the keyword arm's share for a query."""
    weight = (
        weights.base
        + weights.coverage * (features.coverage - 0.5)
        + weights.bm25_margin * features.bm25_margin
        + weights.dense_margin * features.dense_margin
        + weights.agreement * features.agreement
    )
    return min(max(weight, weights.low), weights.high)


def normalise(ranking: Ranking, depth: int) -> list[tuple[int, float]]:
    """Scale scores linearly: the best to 1, the one at ``depth`` (or the last) and all below to 0."""
    if not ranking:
        return []
    top, low = ranking[0][1], ranking[min(depth, len(ranking)) - 1][1]
    span = top - low
    if span <= 0:
        return [(chunk_id, 1.0) for chunk_id, _ in ranking]
    return [(chunk_id, max(0.0, (score - low) / span)) for chunk_id, score in ranking]


def reciprocal_rank(bm25: Ranking, dense: Ranking, share: float = 0.5) -> list[tuple[int, float]]:
    """Fuse by ranks alone, for reference: it throws away how sure an arm is."""
    total: dict[int, float] = {}
    for ranking, weight in ((bm25, share), (dense, 1.0 - share)):
        for rank, (chunk_id, _) in enumerate(ranking, 1):
            total[chunk_id] = total.get(chunk_id, 0.0) + weight / (RRF_CONSTANT + rank)
    return _sorted(total)


def query_features(
    bm25: Ranking, dense: Ranking, idf: Mapping[str, float], matches: Callable[[int], frozenset[str]]
) -> QueryFeatures:
    """Look at a query's two rankings; ``matches`` gives the words of ``idf`` that a chunk holds."""
    mass = sum(idf.values())
    best = matches(bm25[0][0]) if bm25 and mass else frozenset()
    common = {chunk_id for chunk_id, _ in bm25[:10]} & {chunk_id for chunk_id, _ in dense[:10]}
    return QueryFeatures(
        terms=len(idf),
        coverage=sum(idf[word] for word in best) / mass if mass else 0.0,
        bm25_margin=margin(bm25),
        dense_margin=margin(dense),
        agreement=len(common) / 10,
    )


def margin(ranking: Ranking) -> float:
    """Return how far the first score stands above the tenth, as a share of the first."""
    if not ranking or ranking[0][1] <= 0:
        return 0.0
    tenth = ranking[min(10, len(ranking)) - 1][1]
    return min(1.0, (ranking[0][1] - tenth) / ranking[0][1])


def _sorted(total: Mapping[int, float]) -> list[tuple[int, float]]:
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))
