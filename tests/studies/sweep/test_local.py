import json
import threading

import pytest

from boidsgen.studies.sweep.jobs import run_jobs
from boidsgen.studies.sweep.local import Workers
from tests.studies.sweep import fakes
from tests.systems import WINDOWS


@pytest.fixture
def workers():
    """Two worker processes."""
    with Workers(2) as crew:
        yield crew


def test_workers_stay_for_many_tasks(workers):
    """Two processes do ten tasks."""
    outcomes = [outcome for _, outcome in run_jobs(range(10), workers, fakes.process, at_once=4)]

    assert len({outcome["pid"] for outcome in outcomes}) <= 2
    assert sorted(outcome["job"] for outcome in outcomes) == list(range(10))


def test_a_task_that_raises_in_a_worker(workers):
    """The kind of exception and its reason come back."""
    [(_, outcome)] = run_jobs(["job"], workers, fakes.failing, at_once=1)

    assert outcome == {"status": "failed", "reason": "ValueError: no job"}


def test_what_a_task_prints_is_no_answer(workers):
    """Standard output of a worker is not where answers go."""
    [(_, outcome)] = run_jobs(["job"], workers, fakes.prints, at_once=1)

    assert outcome == {"status": "done", "job": "job"}


def test_one_thread_a_worker(workers):
    """Libraries that like threads are told that there is one core."""
    outcomes = run_jobs(["NUMBA_NUM_THREADS", "OMP_NUM_THREADS"], workers, fakes.settings, at_once=2)

    assert [outcome["value"] for _, outcome in outcomes] == ["1", "1"]


def test_a_killed_worker_is_replaced(workers, tmp_path):
    """A job whose worker is killed once is done all the same, and so are all others."""
    jobs = [{"mark": str(tmp_path / str(number))} for number in range(3)]

    assert [outcome["status"] for _, outcome in run_jobs(jobs, workers, fakes.dies_once, at_once=2)] == ["done"] * 3


def test_a_job_that_kills_its_workers_fails_alone(workers):
    """A job that kills whoever does it fails with the reason; its neighbors do not notice."""
    jobs = [{"number": number, "dies": number == 3} for number in range(8)]
    outcomes = {job["number"]: outcome for job, outcome in run_jobs(jobs, workers, fakes.dies, at_once=4)}

    assert [outcomes[number]["status"] for number in range(8)] == ["done"] * 3 + ["failed"] + ["done"] * 4
    how = "ended with exit code 9" if WINDOWS else "was ended by SIGKILL"
    assert outcomes[3]["reason"] == f"the worker {how}, twice"


def test_the_last_words_of_a_worker_are_told(workers):
    """What a worker says before it ends is part of the reason."""
    [(_, outcome)] = run_jobs(["job"], workers, fakes.leaves, at_once=1)

    assert outcome["reason"] == "the worker ended with exit code 3 (out of cheese), twice"


def test_leaving_ends_tasks_in_the_middle(tmp_path):
    """Whoever leaves does not wait for tasks to end, and what they were making is removed first."""
    paths = [tmp_path / str(number) for number in range(4)]
    with Workers(2) as crew:
        for path in paths:
            crew.submit(fakes.cleans_up, {"path": str(path)})
        while sum(path.exists() for path in paths) < 2:
            threading.Event().wait(0.01)

    assert not any(path.exists() for path in paths)


def test_a_job_must_be_json(workers):
    """A job that cannot travel is told at once."""
    with pytest.raises(TypeError, match="not JSON serializable"):
        workers.submit(fakes.echo, {1, 2})


def test_jobs_and_outcomes_travel_unchanged(workers):
    """Infinity and any letter survive the way to a worker and back."""
    job = {"number": float("inf"), "text": 'ß 鳥\n"\\', "list": [1, 2.5, None, True]}
    [(_, outcome)] = run_jobs([job], workers, fakes.echo, at_once=1)

    assert outcome["job"] == json.loads(json.dumps(job)) == job
