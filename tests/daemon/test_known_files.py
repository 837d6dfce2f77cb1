"""What is known of many files, and what is to be read of them, is packed, and comes out as it went in."""

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import astuple

from hypothesis import given, settings
from hypothesis import strategies as st

from capsa.daemon.candidates import Candidate, Candidates
from capsa.daemon.known_files import KnownFiles
from capsa.daemon.targets import Target
from capsa.daemon.walk import Found
from capsa.store.records import Known

TARGET = Target(b"/d", b"/d", 1)
NUMBERS = st.integers(-(2**63), 2**63 - 1)
WORDS = st.sampled_from(["", "damaged", "native/5", "native/6"])
STATUSES = st.sampled_from(["indexed", "skipped", "failed"])
HASHES = st.sampled_from([b"", bytes(16), bytes(range(16))])
KNOWN = st.builds(
    Known, NUMBERS, NUMBERS, NUMBERS, NUMBERS, HASHES, STATUSES, WORDS, WORDS, pending=st.booleans()
)
PATHS = st.lists(st.sampled_from([b"a", b"b", b"a.md", b"\xff"]), min_size=1, max_size=3).map(b"/".join)
FILES = st.builds(Found, PATHS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
MANY = 10_000


def packed(files: dict[bytes, Known]) -> KnownFiles:
    return KnownFiles((path, *astuple(files[path])) for path in sorted(files))


@settings(max_examples=50)
@given(st.dictionaries(PATHS, KNOWN), st.lists(PATHS), st.lists(PATHS, max_size=1))
def test_what_is_known_is_ticked_off_by_whole_names(
    files: dict[bytes, Known], taken: list[bytes], hidden: list[bytes]
) -> None:
    known = packed(files)
    assert len(known) == len(files)
    assert known.has_pending == any(each.pending for each in files.values())
    for path in taken:
        assert known.take(path) == files.get(path)
    files = {each: what for each, what in files.items() if each not in taken}
    for path in hidden:
        known.take_below(path)
        files = {each: what for each, what in files.items() if not (each + b"/").startswith(path + b"/")}
    assert dict(known.left()) == files
    assert known.left_over == len(files)


@settings(max_examples=50)
@given(st.lists(st.builds(Candidate, st.just(TARGET), FILES, st.none() | KNOWN, st.booleans())))
def test_candidates_come_in_order_and_then_newest_first(files: list[Candidate]) -> None:
    candidates = Candidates(files)
    assert len(candidates) == len(files)
    assert list(candidates) == files
    candidates.sort_newest_first()
    assert list(candidates) == sorted(files, key=lambda each: each.file.changed_ns, reverse=True)


def test_numbers_of_files_that_need_all_64_bits_are_kept() -> None:
    (kept,) = Candidates([Candidate(TARGET, Found(b"/d/a", 1, 2, 3, 2**64 - 2), None, again=True)])
    assert kept.file.inode % 2**64 == 2**64 - 2


def bytes_each(make: Callable[[], object]) -> float:
    """Return how many bytes of what is made stay for each of MANY."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = make()
        return (tracemalloc.get_traced_memory()[0] - before) / MANY if kept else 0.0
    finally:
        tracemalloc.stop()


def paths() -> Iterator[bytes]:
    return (b"/home/somebody/documents/of-a-folder/%09d.txt" % number for number in range(MANY))


def test_a_file_takes_less_than_three_hundred_bytes() -> None:
    stamps = [(n, 17 * 10**17 + n, 17 * 10**17 + n, 10**7 + n) for n in range(MANY)]
    rows = (
        (path, *each, each[0].to_bytes(16, "big"), "indexed", "", "native/5", 0)
        for path, each in zip(paths(), stamps, strict=True)
    )
    assert 100 < bytes_each(lambda: KnownFiles(rows)) < 200
    new = (
        Candidate(TARGET, Found(path, *each), None, again=True)
        for path, each in zip(paths(), stamps, strict=True)
    )
    assert 100 < bytes_each(lambda: Candidates(new)) < 200
