import threading

import pytest

from capsa.store.crew import Crew


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_every_job_is_done_once(threads: int) -> None:
    crew, done = Crew(threads), []
    crew.run(done.append, range(100))
    crew.run(done.append, [])
    crew.close()
    assert sorted(done) == list(range(100))


def test_one_thread_keeps_the_order_and_stays_the_caller_s() -> None:
    crew, seen = Crew(1), []
    crew.run(lambda job: seen.append((job, threading.current_thread())), [3, 1, 2])
    assert seen == [(job, threading.current_thread()) for job in (3, 1, 2)]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_ends_the_run_and_the_crew_works_on(threads: int) -> None:
    crew, done = Crew(threads), []

    def work(job: int) -> None:
        if job == 5:
            raise ValueError("job 5")
        done.append(job)

    with pytest.raises(ValueError, match="job 5"):
        crew.run(work, range(10_000))
    assert len(done) < 9_999
    crew.run(work, [1, 2])
    crew.close()
