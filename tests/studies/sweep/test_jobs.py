import threading

import pytest

from boidsgen.studies.sweep.jobs import TASK_SECONDS, LostWorkerError, run_jobs, together
from tests.studies.sweep import fakes


def test_every_job_has_its_outcome():
    """All jobs come back, each with what its task gave."""
    outcomes = list(run_jobs(range(10), fakes.Immediate(), fakes.echo, at_once=3))

    assert [(job, outcome["job"]) for job, outcome in outcomes] == [(number, number) for number in range(10)]


def test_jobs_come_back_as_they_end():
    """Whoever ends first is first."""
    executor = fakes.Held()
    ended = run_jobs("abc", executor, fakes.echo, at_once=2)
    threading.Timer(0.01, executor.finish, [1]).start()

    assert next(ended)[0] == "b"


def test_few_jobs_are_in_flight():
    """Of many jobs only as many are taken as were asked for."""
    taken = []
    executor = fakes.Held()
    ended = run_jobs(map(taken.append, range(1000)), executor, fakes.echo, at_once=4)
    threading.Timer(0.01, executor.finish, [0]).start()
    next(ended)

    assert len(taken) == 5
    assert len(executor.waiting) == 4


def test_what_a_task_raises_is_an_outcome():
    """A task that raises costs its own job only."""
    [(_, outcome)] = run_jobs(["job"], fakes.Immediate(), fakes.failing, at_once=1)

    assert outcome == {"status": "failed", "reason": "ValueError: no job"}


def test_what_is_cancelled_is_an_outcome():
    """An executor that gives a job up does not lose it."""
    executor = fakes.Held()
    ended = run_jobs(["job"], executor, fakes.echo, at_once=1)
    threading.Timer(0.01, executor.cancel).start()

    assert next(ended)[1] == {"status": "failed", "reason": "was given up by its executor"}


@pytest.mark.parametrize(("deaths", "status"), [(1, "done"), (2, "failed")])
def test_a_job_is_tried_once_more_when_its_worker_dies(deaths, status):
    """One death may have been bad luck; two are the job's fault."""
    left = [LostWorkerError("the worker died")] * deaths

    def task(job):
        if left:
            raise left.pop()
        return fakes.echo(job)

    [(_, outcome)] = run_jobs(["job"], fakes.Immediate(), task, at_once=1)

    assert outcome["status"] == status
    assert outcome.get("reason", "the worker died, twice") == "the worker died, twice"


class Counting(fakes.Immediate):
    """Keeps how many jobs each task had; a worker dies over the tasks whose numbers are given."""

    def __init__(self, *deadly):
        self.sizes, self.deadly = [], deadly

    def submit(self, task, job):
        """Count it, and do it now."""
        self.sizes.append(len(job["jobs"]) if task is together else 1)
        if len(self.sizes) in self.deadly:
            return super().submit(fakes.dying, job)
        return super().submit(task, job)


def test_short_jobs_are_bundled():
    """Tasks grow to about two seconds of work, and no job is lost or done twice."""
    executor = Counting()
    outcomes = list(run_jobs(range(1000), executor, fakes.quick, at_once=2))

    assert [(job, outcome["job"]) for job, outcome in outcomes] == [(number, number) for number in range(1000)]
    assert executor.sizes[:16] == [1] * 16
    assert max(executor.sizes) == TASK_SECONDS / 0.1
    assert len(executor.sizes) < 150


def test_long_jobs_are_not_bundled():
    """Each is a task of its own, and so is one that does not tell how long it took."""
    for task in (fakes.slow, fakes.echo):
        executor = Counting()
        assert len(list(run_jobs(range(200), executor, task, at_once=1))) == 200
        assert set(executor.sizes) == {1}


def test_a_job_that_raises_costs_no_other_of_its_bundle():
    """Only that one has failed."""
    jobs = [*range(200), "bad", *range(200)]
    outcomes = list(run_jobs(jobs, Counting(), fakes.quick, at_once=1))

    failed = [(job, outcome["reason"]) for job, outcome in outcomes if outcome["status"] == "failed"]
    assert len(outcomes) == 401
    assert [job for job, _ in failed] == ["bad"]
    assert failed[0][1].startswith("TypeError: ")


def test_a_bundle_whose_worker_died_is_done_one_by_one():
    """Which of its jobs was to blame shows then."""
    executor = Counting(30)
    outcomes = dict(run_jobs(range(400), executor, fakes.quick, at_once=1))

    lost = executor.sizes[29]
    assert lost > 1
    assert executor.sizes[30 : 30 + lost] == [1] * lost
    assert [outcomes[number]["job"] for number in range(400)] == list(range(400))


def test_an_executor_that_is_gone_ends_it():
    """What submitting raises is for the caller: no other job could be done either."""
    with pytest.raises(OSError, match="gone"):
        list(run_jobs([1], fakes.Gone(), fakes.echo, at_once=1))
