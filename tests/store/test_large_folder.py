"""A folder of any size goes at a cost in proportion, by SQLite's steps, which no other work disturbs."""

from pathlib import Path

from store_kit import put

from capsa.store.writer import Writer

STEPS = 10


def steps_of_removing(folder: Path, count: int) -> int:
    """Return about how many instructions SQLite runs to take out so many documents, all there are."""
    folder.mkdir()
    taken = 0

    def count_steps() -> int:
        nonlocal taken
        taken += STEPS
        return 0

    names = [f"/d/{number}.txt" for number in range(count)]
    with Writer.open(folder) as writer:
        for name in names:
            put(writer, name, f"river {name}\n\nstones")
        writer._connection.set_progress_handler(count_steps, STEPS)
        assert writer.remove([name.encode() for name in names]) == count
        writer._connection.set_progress_handler(None, 0)
    return taken


def test_removing_many_documents_costs_no_more_for_each(tmp_path: Path) -> None:
    few, many = (steps_of_removing(tmp_path / str(count), count) for count in (50, 400))
    assert 0 < many < 1.5 * 8 * few
