import threading

import pytest

from boidsgen.studies.sweep.jobs import LostWorkerError, run_jobs
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


def test_an_executor_that_is_gone_ends_it():
    """What submitting raises is for the caller: no other job could be done either."""
    with pytest.raises(OSError, match="gone"):
        list(run_jobs([1], fakes.Gone(), fakes.echo, at_once=1))
