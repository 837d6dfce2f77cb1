"""The metrics of paper 000 section 4.4, each a function of which evidence the ranked chunks match.

``matched`` is a ranking: for each retrieved chunk in order, the set of evidence indexes (0 .. m-1) it holds.
"""

from collections.abc import Sequence, Set
from math import ceil, log2

Matched = Sequence[Set[int]]


def evidence_recall(matched: Matched, m: int, k: int) -> float:
    """ER@k = |union of the evidence in the top k| / m (paper 000 section 4.4)."""
    return len(_union(matched, k)) / m


def hit(matched: Matched, k: int) -> float:
    """Hit@k = 1 when at least one evidence string is in the top k (paper 000 section 4.4)."""
    return float(bool(_union(matched, k)))


def full(matched: Matched, m: int, k: int) -> float:
    """Full@k = 1 when all m evidence strings are in the top k (paper 000 section 4.4)."""
    return float(len(_union(matched, k)) == m)


def reciprocal_rank(matched: Matched) -> float:
    """1 / rank of the first chunk that matches any evidence string, 0 without one (paper 000 section 4.4)."""
    return next((1 / rank for rank, found in enumerate(matched, 1) if found), 0.0)


def ndcg(matched: Matched, m: int, k: int) -> float:
    """nDCG@k with newly matched evidence as gain (paper 000 section 4.4).

    DCG = sum of |new at rank r| / log2(r + 1); IDCG ranks m chunks of one evidence string each first, so a
    chunk that holds two strings at once can bring the quotient past 1.
    """
    seen: set[int] = set()
    gain = 0.0
    for rank, found in enumerate(matched[:k], 1):
        gain += len(found - seen) / log2(rank + 1)
        seen |= found
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(m, k) + 1))
    return gain / ideal


def capped(value: float) -> float:
    """nDCG held to at most 1, for a reader who expects a share: min(1, nDCG)."""
    return min(1.0, value)


def evidence_coverage(held: Set[int], m: int) -> float:
    """Evidence Coverage = |evidence that some chunk of the index holds| / m, retrieved or not.

    The ceiling of any ranking (paper 000 sections 4.4 and 5.5). Of the retrieved chunks alone it would be
    Evidence Recall: evidence_recall(matched, m, k).
    """
    return len(held) / m


def tokens_retrieved(sizes: Sequence[int], k: int) -> int:
    """Tokens in the first k chunks together."""
    return sum(sizes[:k])


def evidence_recall_in_tokens(matched: Matched, sizes: Sequence[int], m: int, budget: int) -> float:
    """ER over the longest prefix of the ranking whose chunks hold at most ``budget`` tokens together.

    Larger chunks win at equal k for no merit; at an equal budget of retrieved tokens they do not.
    """
    used = kept = 0
    for size in sizes:
        if used + size > budget:
            break
        used += size
        kept += 1
    return evidence_recall(matched, m, kept)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` (0-1] of all values do not pass; 0 for no values."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else 0.0


def _union(matched: Matched, k: int) -> set[int]:
    return set().union(*matched[:k])
