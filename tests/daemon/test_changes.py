import pytest

from capsa.daemon.watching.changes import (
    AGAIN_SECONDS,
    BURST,
    LONGEST_SECONDS,
    MINUTE,
    QUIET_SECONDS,
    Batch,
    Changes,
)

ROOT = b"/docs"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_what_is_gathered_is_let_out_when_it_is_quiet(clock: Clock) -> None:
    changes = Changes(clock)
    changes.add(ROOT, b"/docs/a")
    changes.add(ROOT, b"/docs/b")
    changes.add(ROOT, b"/docs/a")
    assert changes.waiting == 2
    assert changes.take(0) == Batch()
    clock.now += QUIET_SECONDS
    assert changes.take(0) == Batch(frozenset([b"/docs/a", b"/docs/b"]))
    assert changes.take(0) == Batch()


def test_a_path_is_settled_as_its_last_event_says(clock: Clock) -> None:
    changes = Changes(clock)
    for name, events in ((b"/docs/a", [False, True]), (b"/docs/b", [True, False]), (b"/docs/c", [True])):
        for settled in events:
            changes.add(ROOT, name, settled)
    clock.now += QUIET_SECONDS
    assert changes.take(0).settled == {b"/docs/a", b"/docs/c"}
    changes.add(ROOT, b"/docs/a")
    clock.now += QUIET_SECONDS
    assert changes.take(0).settled == frozenset()


def test_a_few_are_let_out_alone(clock: Clock) -> None:
    changes = Changes(clock)
    changes.add(ROOT, b"/docs/a")
    changes.add(ROOT, b"/docs/b")
    assert changes.take_few(2) == Batch()
    clock.now += QUIET_SECONDS
    assert changes.take_few(1) == Batch()
    assert changes.take_few(2) == Batch(frozenset([b"/docs/a", b"/docs/b"]))
    assert changes.take_few(2) == Batch()
    changes.add(ROOT, b"/docs/a")
    clock.now += LONGEST_SECONDS
    changes.look_over([b"/docs2"])
    assert changes.take_few(2) == Batch()


def test_what_never_becomes_quiet_is_let_out_all_the_same(clock: Clock) -> None:
    changes = Changes(clock)
    steps = int(LONGEST_SECONDS / 0.1) + 1
    for number in range(steps):
        changes.add(ROOT, b"/docs/%d" % number)
        assert changes.take(0) == Batch() or number == steps - 1
        clock.now += 0.1
    assert len(changes.take(0).paths) == steps


def test_a_file_that_changes_for_ever_gets_few_turns(clock: Clock) -> None:
    changes = Changes(clock)
    turns = 0
    for _ in range(int(MINUTE * 10)):
        changes.add(ROOT, b"/docs/log")
        clock.now += 0.1
        turns += len(changes.take(0).paths)
    assert BURST + 2 <= turns <= BURST + MINUTE / AGAIN_SECONDS + 1


def test_edits_now_and_then_are_never_held_back(clock: Clock) -> None:
    changes = Changes(clock)
    for _ in range(10):
        clock.now += MINUTE / BURST + 1
        changes.add(ROOT, b"/docs/a")
        clock.now += QUIET_SECONDS
        assert changes.take(0).paths == {b"/docs/a"}


def test_too_many_paths_become_their_root(clock: Clock) -> None:
    changes = Changes(clock, most=3)
    for number in range(5):
        changes.add(ROOT, b"/docs/%d" % number)
    changes.add(b"/docs2", b"/docs2/a")
    clock.now += QUIET_SECONDS
    assert changes.take(0) == Batch(frozenset([b"/docs2/a"]), frozenset([ROOT]))
    assert changes.overflows == 1


def test_a_root_is_looked_over_at_most_every_so_often(clock: Clock) -> None:
    changes = Changes(clock)
    changes.look_over([ROOT])
    clock.now += QUIET_SECONDS
    assert changes.take(0).roots == {ROOT}
    changes.look_over([ROOT])
    clock.now += QUIET_SECONDS
    assert not changes.take(0)
    clock.now += AGAIN_SECONDS
    assert changes.take(0).roots == {ROOT}


def test_a_root_that_must_wait_holds_no_path_back(clock: Clock) -> None:
    changes = Changes(clock)
    changes.look_over([ROOT])
    clock.now += QUIET_SECONDS
    assert changes.take(0).roots == {ROOT}
    changes.look_over([ROOT])
    changes.add(ROOT, b"/docs/a")
    clock.now += QUIET_SECONDS
    assert changes.take(0) == Batch(frozenset([b"/docs/a"]))


def test_looking_a_root_over_covers_its_paths(clock: Clock) -> None:
    changes = Changes(clock)
    changes.add(ROOT, b"/docs/a")
    changes.add(b"/docs2", b"/docs2/a")
    changes.look_over([ROOT])
    changes.add(ROOT, b"/docs/b")
    clock.now += QUIET_SECONDS
    assert changes.take(0) == Batch(frozenset([b"/docs2/a"]), frozenset([ROOT]))


@pytest.mark.parametrize("told_by", [(ROOT, b"/docs/in"), (b"/docs/in", ROOT)])
def test_looking_a_root_over_does_not_cover_a_root_within_it(
    told_by: tuple[bytes, bytes], clock: Clock
) -> None:
    changes = Changes(clock)
    for root in told_by:
        changes.add(root, b"/docs/in/a")
    changes.add(ROOT, b"/docs/b")
    changes.look_over([ROOT])
    clock.now += QUIET_SECONDS
    assert changes.take(0) == Batch(frozenset([b"/docs/in/a"]), frozenset([ROOT]))
    changes.look_over([b"/docs/in"])
    assert changes.waiting == 1


def test_what_is_postponed_comes_later_and_alone(clock: Clock) -> None:
    changes = Changes(clock)
    changes.postpone([b"/docs/young"], 5)
    changes.add(ROOT, b"/docs/a")
    clock.now += QUIET_SECONDS
    assert changes.take(0).paths == {b"/docs/a"}
    clock.now += 5
    assert changes.take(0).paths == {b"/docs/young"}


def test_waiting_ends_when_told_and_when_the_time_is_up() -> None:
    changes = Changes()
    assert changes.take(0.01) == Batch()
    changes.add(ROOT, b"/docs/a")
    assert changes.take(5) == Batch(frozenset([b"/docs/a"]))
