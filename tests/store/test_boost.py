"""Visits have a small part in a page's score, and none in anything else's."""

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_kit import HashEmbedder, find, put

from capsa.store.boost import BOOSTED, FREQUENCY, NO_BOOSTS, RECENCY, Boosts, factor, raised
from capsa.store.visits import Told
from capsa.store.writer import Writer

DAY = 86_400.0


def page(uri: str, title: str, age_days: float, visits: int) -> Told:
    last = round((time.time() - age_days * DAY) * 1e6)
    times = tuple((last - number * 1_000_000_000, "") for number in range(visits))
    return Told(uri, uri, title, last, times)


def test_the_factor_is_one_and_a_tenth_at_most_and_falls_with_age() -> None:
    assert factor(0, 1000) == 1 + RECENCY + FREQUENCY
    assert factor(0, 1) > factor(30 * DAY, 1) > factor(3000 * DAY, 1) > 1
    assert factor(1e12, 0) == 1
    assert factor(30 * DAY, 0) == pytest.approx(1 + RECENCY / 2)
    assert factor(-5 * DAY, 3) == factor(0, 3)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1, 30), max_size=30))
def test_without_pages_the_ranking_is_the_very_same(scores: list[float]) -> None:
    ranked = list(enumerate(sorted(scores, reverse=True)))
    assert NO_BOOSTS.apply(ranked) == ranked
    assert Boosts({-1: 1.1}).apply(ranked) == ranked


def test_a_better_factor_never_lowers_a_score() -> None:
    assert raised(0.5, 1.1) > 0.5
    assert raised(-0.5, 1.1) > -0.5
    ranked = [(number, 1.0) for number in range(BOOSTED + 5)]
    assert Boosts({7: 1.05, BOOSTED + 1: 1.1}).apply(ranked)[0] == (7, 1.05)


def test_of_equal_pages_the_one_visited_lately_and_often_comes_first(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        writer.history.put(
            "firefox",
            [
                page("https://a.org/fox-den", "The den of a fox", 900, 1),
                page("https://b.org/fox-den", "The den of a fox", 1, 40),
                page("https://c.org/fox-den", "The den of a fox", 400, 2),
            ],
        )
        batch = writer.history.waiting(9)
        writer.history.give_vectors(batch, embedder.embed([text for stub in batch for text in stub.texts]))
    for model in (None, embedder):
        first = find(tmp_path, "den of a fox", model).hits[0]
        assert first.uri == "https://b.org/fox-den"
        assert first.why.boost == pytest.approx(factor(DAY, 40), abs=0.001)
        plain = find(tmp_path, "den of a fox", model, boost=False).hits
        assert all(hit.why.boost == 1.0 for hit in plain)


def test_documents_keep_their_scores_beside_pages(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Writer.open(tmp_path, embedder.model) as writer:
        for number in range(5):
            put(writer, f"/d/{number}.txt", f"The fox number {number} sleeps in its den.", embedder)
        writer.history.put("firefox", [page("https://a.org/", "Something else", 1, 40)])
    hits = find(tmp_path, "fox den", embedder).hits
    plain = find(tmp_path, "fox den", embedder, boost=False).hits
    assert [(hit.uri, hit.score) for hit in hits] == [(hit.uri, hit.score) for hit in plain]
    assert all(hit.visited is None for hit in hits)
