import numpy as np
import pytest

from capsa.store import scans, vectors
from capsa.store.codes import CODES
from capsa.store.quantisers import open_quantiser
from capsa.store.vectors import VectorIndex


def unit(count: int, seed: int = 0, dimension: int = 384) -> np.ndarray:
    found = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def make_index(count: int, name: str = "pq96") -> VectorIndex:
    ids = np.arange(1, count + 1) * 3
    quantiser = open_quantiser(name, 384)
    return VectorIndex(ids, ids + 1, quantiser.encode(unit(count)), quantiser)


def exact(index: VectorIndex, query: np.ndarray, count: int, allowed: set[int] | None = None) -> list[int]:
    decoded = index.quantiser.decode(index.codes)
    scores = (decoded * query).sum(axis=1) / np.sqrt((decoded * decoded).sum(axis=1))
    order = np.lexsort((index.ids, -scores))
    chunks = [int(index.chunks[place]) for place in order]
    return [found for found in chunks if allowed is None or found in allowed][:count]


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("count", [1, 31, 500, 5000])
def test_the_best_are_those_of_an_exact_search(count: int, name: str) -> None:
    index = make_index(count, name)
    for query in unit(5, seed=1):
        found = [chunk_id for chunk_id, _ in index.search(query, 100)]
        assert found[:10] == exact(index, query, 10)


@pytest.mark.parametrize("size", [0, 1, 40, 3000])
def test_a_filter_applies_before_ranking(size: int) -> None:
    index = make_index(6000)
    allowed = np.random.default_rng(3).choice(index.chunks, size, replace=False)
    for query in unit(3, seed=4):
        found = [chunk_id for chunk_id, _ in index.search(query, 50, allowed)]
        assert found[:10] == exact(index, query, 10, set(allowed.tolist()))
        assert len(found) == min(size, 50)


@pytest.mark.parametrize("size", [2500, 4000, 5999])
def test_a_broad_filter_after_other_searches_finds_the_same(size: int) -> None:
    index = make_index(6000)
    query = unit(1, seed=9)[0]
    for _ in range(3):
        index.search(query, 10)
    allowed = np.random.default_rng(size).choice(index.chunks, size, replace=False)
    found = [chunk_id for chunk_id, _ in index.search(query, 50, allowed)]
    assert found[:10] == exact(index, query, 10, set(allowed.tolist()))
    assert len(found) == 50


def test_what_is_removed_is_not_found_and_what_is_added_is() -> None:
    index = make_index(4000)
    query = unit(1, seed=5)[0]
    best = index.search(query, 5)[0][0]
    index.remove(np.array([best - 1, 10**9]))
    assert best not in [chunk_id for chunk_id, _ in index.search(query, 100)]
    index.add(np.array([20_000]), np.array([70]), index.quantiser.encode(query.reshape(1, -1)))
    assert index.search(query, 5)[0][0] == 70
    assert (len(index), index.last_id) == (4000, 20_000)


def test_an_empty_index_finds_nothing() -> None:
    none = np.empty(0, dtype=np.int64)
    index = VectorIndex(none, none, np.empty((0, 96), dtype=np.uint8), open_quantiser("pq96", 384))
    assert index.search(unit(1)[0], 10) == []
    assert index.last_id == 0


def test_codes_must_fit() -> None:
    with pytest.raises(ValueError, match="shape"):
        VectorIndex(
            np.array([1]), np.array([1]), np.zeros((1, 48), dtype=np.uint8), open_quantiser("pq96", 384)
        )


def test_fast_scan_and_decoding_agree_where_they_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    index = make_index(1500)
    query = unit(1, seed=6)[0]
    direct = index.search(query, 20)
    monkeypatch.setattr(vectors, "DIRECT", 0)
    assert [chunk for chunk, _ in index.search(query, 20)[:10]] == [chunk for chunk, _ in direct[:10]]


def test_given_vectors_are_scored_as_in_a_search() -> None:
    index = make_index(5000)
    query = unit(1, seed=7)[0]
    best = dict(index.search(query, 20))
    assert index.score(query, np.array([*best, 1, 10**6])) == list(best.items())


def test_a_chunk_counts_with_its_best_window() -> None:
    index = make_index(3000)
    query = unit(1, seed=8)[0]
    alone = index.search(query, 6)
    index.chunks = index.chunks.copy()
    index.chunks[index.chunks == alone[3][0]] = alone[0][0]
    assert index.search(query, 6) == [*alone[:3], *alone[4:]]
    assert index.score(query, np.array([alone[0][0]])) == alone[:1]


@pytest.mark.parametrize("order", ["ascending", "mixed"])
def test_the_vectors_of_few_and_of_many_chunks_are_found(order: str) -> None:
    ids = np.arange(1, 1201)
    chunks = ids // 3
    if order == "mixed":
        chunks = np.random.default_rng(1).permutation(chunks)
    quantiser = open_quantiser("pq96", 384)
    index = VectorIndex(ids, chunks, quantiser.encode(unit(1200)), quantiser)
    query = unit(1, seed=2)[0]
    whole = dict(index.search(query, 1200))
    for wanted in (np.array([7]), np.array([300, 5, 5, 9_999]), np.array([], dtype=np.int64), np.arange(350)):
        found = dict(index.score(query, wanted))
        assert found == pytest.approx({key: whole[key] for key in wanted.tolist() if key in whole}, abs=1e-6)


@pytest.mark.parametrize("removed", [1, 150, 199, 201, 2500])
def test_what_is_removed_is_only_marked_at_first_and_the_rest_is_found(removed: int) -> None:
    index = make_index(4000)
    query = unit(1, seed=10)[0]
    for _ in range(2):
        index.search(query, 5)
    # The best of all are gone: a scan must look further.
    ranking = exact(index, query, removed + 10)
    best, expected = np.array(ranking[:removed]), ranking[removed:]
    index.remove(best - 1)
    assert len(index) == 4000 - removed
    assert len(index.ids) == (4000 if removed <= 200 else 4000 - removed)
    assert [chunk for chunk, _ in index.search(query, 100)[:10]] == expected
    assert index.search(query, 10, best) == index.score(query, best) == []
    half = index.chunks[::2]
    among = [hit for hit in index.search(query, len(index)) if hit[0] in set(half.tolist())]
    assert index.search(query, 100, half)[:10] == among[:10]


def test_a_first_search_finds_nothing_that_is_gone() -> None:
    index = make_index(4000)
    query = unit(1, seed=11)[0]
    best = exact(index, query, 20)
    index.remove(np.array(best[:10]) - 1)
    assert [chunk for chunk, _ in index.search(query, 100)[:10]] == best[10:]


def test_adding_and_removing_by_turns_leaves_what_a_new_index_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "PART", 700)
    codes = open_quantiser("pq96", 384).encode(unit(6000))
    index = make_index(3000)
    random = np.random.default_rng(2)
    query = unit(1, seed=12)[0]
    for end in (3500, 4200, 4201, 6000):
        start = index.last_id // 3
        ids = np.arange(start + 1, end + 1) * 3
        index.add(ids, ids + 1, codes[start:end])
        index.remove(random.choice(index.ids, 60, replace=False))
        again = VectorIndex(*alive(index), index.quantiser)
        for _ in range(3):
            assert index.search(query, 100)[:50] == again.search(query, 100)[:50]
    index.close_ranks()
    assert [each.tolist() for each in alive(index)[:2]] == [again.ids.tolist(), again.chunks.tolist()]
    assert index.search(query, 50) == again.search(query, 50)


def alive(index: VectorIndex) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    found = {chunk for chunk, _ in index.search(np.ones(384, dtype=np.float32), len(index))}
    kept = np.isin(index.chunks, list(found))
    return index.ids[kept], index.chunks[kept], index.codes[kept]


@pytest.mark.parametrize("name", ["pq96", "sq8", "float32"])
def test_a_first_look_at_the_signs_finds_the_best(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "PART", 700)
    index, plain = make_index(5000, name), make_index(5000, name)
    queries = unit(6, seed=13)
    expected = [twice(plain, query, 100)[:10] for query in queries]
    monkeypatch.setattr(scans, "MANY", 5001)
    assert twice(index, queries[0], 100)[:10] == expected[0]
    # One vector more, and the signs are looked at.
    index.add(np.array([20_000]), np.array([7]), index.quantiser.encode(-queries[0].reshape(1, -1)))
    found = [twice(index, query, 100)[:10] for query in queries]
    assert index._scans is not None
    assert index._scans._signs is not None
    assert found == expected
    assert twice(index, -queries[0], 5)[0][0] == 7


def twice(index: VectorIndex, query: np.ndarray, count: int) -> list[tuple[int, float]]:
    index.search(query, count)
    return index.search(query, count)


def test_the_best_of_one_part_are_all_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "PART", 500)
    quantiser = open_quantiser("pq96", 384)
    query = unit(1, seed=14)[0]
    vectors = unit(3000)
    vectors[1000:1400] = query + unit(400, seed=15)
    vectors[1000:1400] /= np.linalg.norm(vectors[1000:1400], axis=1, keepdims=True)
    codes = quantiser.encode(vectors)
    parts = scans.Scans(quantiser)
    parts.cover(codes)
    found = parts.search(query, 300, codes)
    assert len(set(found.tolist())) == 300
    assert set(found.tolist()) <= set(range(1000, 1400))
